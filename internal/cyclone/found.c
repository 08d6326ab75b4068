#include "found.h"

#include <string.h>

#include "endpoint.h"

pn_endpoint *pn_found_reader_new(dds_entity_t participant, pn_found_kind kind, uint64_t token, pn_queue *queue, dds_return_t *rc)
{
  static const dds_entity_t topics[] = {
    [PN_FOUND_PARTICIPANT] = DDS_BUILTIN_TOPIC_DCPSPARTICIPANT,
    [PN_FOUND_WRITER] = DDS_BUILTIN_TOPIC_DCPSPUBLICATION,
    [PN_FOUND_READER] = DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION,
  };
  return pn_queued_reader_new(participant, topics[kind], token, queue, rc);
}

static void *new_sample(pn_found_kind kind)
{
  return dds_alloc(kind == PN_FOUND_PARTICIPANT ? sizeof(dds_builtintopic_participant_t) : sizeof(dds_builtintopic_endpoint_t));
}

void pn_found_free(pn_found_kind kind, pn_found *f)
{
  if (f->qos.user_data != NULL)
    dds_free((void *)f->qos.user_data);
  if (kind == PN_FOUND_PARTICIPANT)
    dds_builtintopic_free_participant(f->sample);
  else
    dds_builtintopic_free_endpoint(f->sample);
}

/* Policies that are not in q keep the values of p. */
static void read_qos(pn_qos *p, const dds_qos_t *q)
{
  dds_reliability_kind_t reliability;
  dds_durability_kind_t durability;
  dds_history_kind_t history;
  dds_liveliness_kind_t liveliness;
  if (dds_qget_reliability(q, &reliability, &p->max_blocking))
    p->reliability = (int32_t)reliability;
  if (dds_qget_durability(q, &durability))
    p->durability = (int32_t)durability;
  if (dds_qget_history(q, &history, &p->depth))
    p->history = (int32_t)history;
  if (dds_qget_liveliness(q, &liveliness, &p->lease))
    p->liveliness = (int32_t)liveliness;
  dds_qget_deadline(q, &p->deadline);
  dds_qget_lifespan(q, &p->lifespan);
  void *user_data = NULL;
  if (dds_qget_userdata(q, &user_data, &p->user_data_size))
    p->user_data = user_data;
}

static void read_participant(pn_found *f, bool valid)
{
  const dds_builtintopic_participant_t *p = f->sample;
  memcpy(f->guid, p->key.v, sizeof f->guid);
  memcpy(f->participant, p->key.v, sizeof f->participant);
  if (valid)
    read_qos(&f->qos, p->qos);
}

static void read_endpoint(pn_found *f, bool valid)
{
  const dds_builtintopic_endpoint_t *e = f->sample;
  memcpy(f->guid, e->key.v, sizeof f->guid);
  memcpy(f->participant, e->participant_key.v, sizeof f->participant);
  if (!valid)
    return;
  f->topic = e->topic_name;
  f->type = e->type_name;
  read_qos(&f->qos, e->qos);
}

dds_return_t pn_found_take(pn_endpoint *reader, pn_found_kind kind, pn_found *out)
{
  dds_sample_info_t info;
  *out = (pn_found){.sample = new_sample(kind)};
  dds_return_t n = dds_take(reader->entity, &out->sample, &info, 1, 1);
  if (n != 1) {
    pn_found_free(kind, out);
    return n;
  }
  out->alive = info.instance_state == DDS_IST_ALIVE;
  out->handle = info.instance_handle;
  (kind == PN_FOUND_PARTICIPANT ? read_participant : read_endpoint)(out, info.valid_data);
  return 1;
}
