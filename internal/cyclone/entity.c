#include "endpoint.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dds/ddsi/ddsi_domaingv.h"
#include "dds/ddsi/ddsi_entity.h"
#include "dds/ddsi/ddsi_entity_index.h"
#include "dds/ddsi/ddsi_endpoint.h"

#include "_cgo_export.h"
#include "batch.h"
#include "cache.h"
#include "congestion.h"
#include "hot.h"
#include "names.h"
#include "queue.h"

/* Cyclone DDS takes our reference only where it succeeds, and gives back the sertype that it knew already. */
dds_entity_t pn_topic_new(dds_entity_t participant, const char *name, const char *type_name, const pn_key_step *steps, uint32_t n,
                          const struct ddsi_sertype **type)
{
  struct ddsi_sertype *t = pn_sertype_new(type_name, steps, n);
  if (t == NULL)
    return DDS_RETCODE_OUT_OF_RESOURCES;
  dds_entity_t topic = dds_create_topic_sertype(participant, name, &t, NULL, NULL, NULL);
  if (topic < 0)
    ddsi_sertype_unref(t);
  else
    *type = t;
  return topic;
}

bool pn_topic_keyhash(const struct ddsi_sertype *type, const void *payload, size_t size, unsigned char hash[16])
{
  pn_sample *s = pn_sample_new(type, size);
  if (s == NULL)
    return false;
  memcpy(s->payload, payload, size);
  bool ok = pn_sample_finish(s);
  if (ok) {
    struct ddsi_keyhash h;
    ddsi_serdata_get_keyhash(&s->c, &h, false);
    memcpy(hash, h.value, sizeof h.value);
  }
  pn_release(s);
  return ok;
}

static dds_qos_t *new_qos(const pn_qos *p)
{
  dds_qos_t *q = dds_create_qos();
  dds_qset_reliability(q, p->reliability, p->max_blocking);
  dds_qset_durability(q, p->durability);
  dds_qset_history(q, p->history, p->history == DDS_HISTORY_KEEP_LAST ? p->depth : DDS_LENGTH_UNLIMITED);
  /* What late joiners get is kept by the durability service, with limits of its own (DDS 1.4, 2.2.3.5). */
  if (p->durability == DDS_DURABILITY_TRANSIENT_LOCAL)
    dds_qset_durability_service(q, 0, p->history, p->history == DDS_HISTORY_KEEP_LAST ? p->depth : DDS_LENGTH_UNLIMITED,
                                DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  if (p->flags & PN_QOS_DEADLINE)
    dds_qset_deadline(q, p->deadline);
  if (p->flags & PN_QOS_LIFESPAN)
    dds_qset_lifespan(q, p->lifespan);
  if (p->flags & PN_QOS_LIVELINESS)
    dds_qset_liveliness(q, p->liveliness, p->lease);
  dds_qset_writer_data_lifecycle(q, false);
  dds_qset_ignorelocal(q, DDS_IGNORELOCAL_NONE);
  const dds_data_representation_id_t xcdr1 = DDS_DATA_REPRESENTATION_XCDR1;
  dds_qset_data_representation(q, 1, &xcdr1);
  if (p->user_data_size > 0)
    dds_qset_userdata(q, p->user_data, p->user_data_size);
  return q;
}

static void event(void *arg, pn_event e) { pinionEvent(((pn_endpoint *)arg)->token, &e); }

static void on_subscription_matched(dds_entity_t r, const dds_subscription_matched_status_t s, void *arg)
{
  (void)r;
  event(arg, (pn_event){.kind = PN_MATCHED, .total = s.total_count, .current = s.current_count, .change = s.total_count_change,
                        .current_change = s.current_count_change, .handle = s.last_publication_handle});
}

static void on_publication_matched(dds_entity_t w, const dds_publication_matched_status_t s, void *arg)
{
  (void)w;
  event(arg, (pn_event){.kind = PN_MATCHED, .total = s.total_count, .current = s.current_count, .change = s.total_count_change,
                        .current_change = s.current_count_change, .handle = s.last_subscription_handle});
}

static void on_requested_incompatible_qos(dds_entity_t r, const dds_requested_incompatible_qos_status_t s, void *arg)
{
  (void)r;
  event(arg, (pn_event){.kind = PN_INCOMPATIBLE_QOS, .total = s.total_count, .change = s.total_count_change, .policy = s.last_policy_id});
}

static void on_offered_incompatible_qos(dds_entity_t w, const dds_offered_incompatible_qos_status_t s, void *arg)
{
  (void)w;
  event(arg, (pn_event){.kind = PN_INCOMPATIBLE_QOS, .total = s.total_count, .change = s.total_count_change, .policy = s.last_policy_id});
}

static void on_requested_deadline_missed(dds_entity_t r, const dds_requested_deadline_missed_status_t s, void *arg)
{
  (void)r;
  event(arg, (pn_event){.kind = PN_DEADLINE_MISSED, .total = s.total_count, .change = s.total_count_change, .handle = s.last_instance_handle});
}

static void on_offered_deadline_missed(dds_entity_t w, const dds_offered_deadline_missed_status_t s, void *arg)
{
  (void)w;
  event(arg, (pn_event){.kind = PN_DEADLINE_MISSED, .total = s.total_count, .change = s.total_count_change, .handle = s.last_instance_handle});
}

static void on_liveliness_lost(dds_entity_t w, const dds_liveliness_lost_status_t s, void *arg)
{
  (void)w;
  event(arg, (pn_event){.kind = PN_LIVELINESS_LOST, .total = s.total_count, .change = s.total_count_change});
}

static void on_liveliness_changed(dds_entity_t r, const dds_liveliness_changed_status_t s, void *arg)
{
  (void)r;
  event(arg, (pn_event){.kind = PN_LIVELINESS_CHANGED, .total = s.alive_count, .current = s.not_alive_count, .change = s.alive_count_change,
                        .current_change = s.not_alive_count_change, .handle = s.last_publication_handle});
}

static void on_sample_lost(dds_entity_t r, const dds_sample_lost_status_t s, void *arg)
{
  (void)r;
  event(arg, (pn_event){.kind = PN_SAMPLE_LOST, .total = s.total_count, .change = s.total_count_change});
}

static void on_sample_rejected(dds_entity_t r, const dds_sample_rejected_status_t s, void *arg)
{
  (void)r;
  event(arg, (pn_event){.kind = PN_SAMPLE_REJECTED, .total = s.total_count, .change = s.total_count_change, .handle = s.last_instance_handle});
}

/* reader is e's, which e does not know yet while it is being created. */
PN_HOT static dds_return_t take(pn_endpoint *e, dds_entity_t reader, pn_received *out, uint32_t max)
{
  struct ddsi_serdata *data[PN_BATCH];
  dds_sample_info_t info[PN_BATCH];
  pn_tally_lock(&e->tally);
  dds_return_t n = dds_takecdr(reader, data, max < PN_BATCH ? max : PN_BATCH, info, DDS_ANY_STATE);
  for (dds_return_t i = 0; i < n; i++) {
    const pn_sample *s = (const pn_sample *)data[i];
    out[i] = (pn_received){
      .payload = s->payload,
      .size = s->size,
      .valid = info[i].valid_data,
      .source = info[i].source_timestamp,
      .arrival = info[i].valid_data ? s->arrival : pn_monotonic(), /* s was made when the instance was new */
      .seq = s->seq,
      .publication = info[i].publication_handle,
      .instance_state = (int32_t)info[i].instance_state,
      .ref = data[i],
    };
    memcpy(out[i].writer, s->writer, sizeof s->writer);
    if (out[i].valid && s->seq != 0)
      pn_tally_taken(&e->tally, out[i].publication, s->seq, &out[i].lost, &out[i].overwritten);
  }
  pn_tally_unlock(&e->tally);
  return n;
}

dds_return_t pn_take(pn_endpoint *reader, pn_received *out, uint32_t max) { return take(reader, reader->entity, out, max); }

PN_HOT void pn_release(void *ref) { ddsi_serdata_unref(ref); }

/* What gettid(2) returns, which costs as much as the rest of a delivery does. */
PN_HOT static int thread_id(void)
{
  static _Thread_local int id;
  if (id == 0)
    id = (int)syscall(SYS_gettid);
  return id;
}

/* Go sees whole batches, so that a crossing between the languages is paid for once. */
PN_HOT static void deliver(pn_endpoint *e, dds_entity_t reader)
{
  pn_received batch[PN_BATCH];
  dds_return_t n;
  do {
    n = take(e, reader, batch, PN_BATCH);
    if (n > 0)
      pinionDeliver(e->token, thread_id(), batch, (uint32_t)n);
    for (dds_return_t i = 0; i < n; i++)
      pn_release(batch[i].ref);
  } while (n == PN_BATCH);
}

/* All come on one thread, but for pn_resume, data that a peer sent elsewhere, and the end of instances. */
PN_HOT static void on_data_inline(dds_entity_t reader, void *arg)
{
  pn_endpoint *e = arg;
  pn_turn_take(e->turn);
  if (!e->paused)
    deliver(e, reader);
  pn_turn_give(e->turn);
}

/* Tells whether e was paused. */
static bool set_paused(pn_endpoint *e, int paused)
{
  pn_turn_take(e->turn);
  const bool was = e->paused;
  e->paused = paused;
  pn_turn_give(e->turn);
  return was;
}

/* If others take their turn before this does, they deliver. */
void pn_resume(pn_endpoint *e)
{
  if (e->turn != NULL && set_paused(e, 0))
    on_data_inline(e->entity, e);
}

void pn_pause(pn_endpoint *e)
{
  if (e->turn != NULL)
    set_paused(e, 1);
}

static void on_data_queued(dds_entity_t r, void *arg)
{
  (void)r;
  pn_endpoint *e = arg;
  __atomic_fetch_add(&e->arrivals, 1, __ATOMIC_SEQ_CST);
  pn_queue_push(e->queue, e);
}

uint32_t *pn_reader_arrivals(pn_endpoint *e) { return &e->arrivals; }

static pn_endpoint *endpoint_new(uint64_t token, const struct ddsi_sertype *type)
{
  pn_endpoint *e = calloc(1, sizeof *e);
  if (e == NULL)
    return NULL;
  e->token = token;
  e->type = type;
  pthread_mutex_init(&e->lock, NULL);
  pn_tally_init(&e->tally, 0);
  return e;
}

/* Keeps e where entity is a handle; an error code goes to rc and ends e. */
static pn_endpoint *created(pn_endpoint *e, dds_entity_t entity, dds_return_t *rc)
{
  if (entity < 0) {
    *rc = entity;
    pn_endpoint_free(e);
    return NULL;
  }
  e->entity = entity;
  dds_guid_t guid;
  if (dds_get_guid(entity, &guid) == DDS_RETCODE_OK)
    memcpy(e->guid, guid.v, sizeof e->guid);
  *rc = DDS_RETCODE_OK;
  return e;
}

pn_endpoint *pn_reader_new(dds_entity_t participant, dds_entity_t topic, const struct ddsi_sertype *type, const pn_qos *qos,
                           uint64_t token, pn_delivery delivery, pn_queue *queue, pn_turn *turn, int paused, dds_return_t *rc)
{
  *rc = DDS_RETCODE_OUT_OF_RESOURCES;
  pn_endpoint *e = endpoint_new(token, type);
  if (e == NULL)
    return NULL;
  e->queue = queue;
  if (delivery == PN_INLINE) {
    e->turn = pn_turn_ref(turn);
    if (!pn_turn_prepare(turn)) {
      pn_endpoint_free(e);
      return NULL;
    }
  }
  e->paused = paused;
  dds_listener_t *l = dds_create_listener(e);
  dds_lset_subscription_matched(l, on_subscription_matched);
  dds_lset_requested_incompatible_qos(l, on_requested_incompatible_qos);
  dds_lset_requested_deadline_missed(l, on_requested_deadline_missed);
  dds_lset_liveliness_changed(l, on_liveliness_changed);
  dds_lset_sample_lost(l, on_sample_lost);
  dds_lset_sample_rejected(l, on_sample_rejected);
  if (delivery == PN_INLINE)
    dds_lset_data_available(l, on_data_inline);
  else if (delivery == PN_QUEUED)
    dds_lset_data_available(l, on_data_queued);
  dds_qos_t *q = new_qos(qos);
  struct dds_rhc *cache = pn_cache_new(e, qos);
  dds_entity_t reader = cache != NULL ? dds_create_reader_rhc(participant, topic, q, l, cache) : dds_create_reader(participant, topic, q, l);
  if (reader < 0 && cache != NULL)
    pn_cache_free(cache);
  dds_delete_qos(q);
  dds_delete_listener(l);
  return created(e, reader, rc);
}

pn_endpoint *pn_queued_reader_new(dds_entity_t participant, dds_entity_t topic, uint64_t token, pn_queue *queue, dds_return_t *rc)
{
  *rc = DDS_RETCODE_OUT_OF_RESOURCES;
  pn_endpoint *e = endpoint_new(token, NULL);
  if (e == NULL)
    return NULL;
  e->queue = queue;
  dds_listener_t *l = dds_create_listener(e);
  dds_lset_data_available(l, on_data_queued);
  e = created(e, dds_create_reader(participant, topic, NULL, l), rc);
  dds_delete_listener(l);
  return e;
}

pn_endpoint *pn_writer_new(dds_entity_t participant, dds_entity_t topic, const struct ddsi_sertype *type, const pn_qos *qos,
                           int batching, size_t batch_size, uint64_t token, dds_return_t *rc)
{
  *rc = DDS_RETCODE_OUT_OF_RESOURCES;
  pn_endpoint *e = endpoint_new(token, type);
  if (e == NULL)
    return NULL;
  dds_listener_t *l = dds_create_listener(e);
  dds_lset_publication_matched(l, on_publication_matched);
  dds_lset_offered_incompatible_qos(l, on_offered_incompatible_qos);
  dds_lset_offered_deadline_missed(l, on_offered_deadline_missed);
  dds_lset_liveliness_lost(l, on_liveliness_lost);
  dds_qos_t *q = new_qos(qos);
  e->reliable = qos->reliability == DDS_RELIABILITY_RELIABLE;
  e = created(e, pn_batching_new(e, participant, topic, q, l, batching, batch_size), rc);
  dds_delete_qos(q);
  dds_delete_listener(l);
  return e;
}

/* Returns Cyclone DDS's own writer, locked, or NULL if it is gone. let_go must follow soon, on the same thread. */
static struct ddsi_writer *hold(const pn_endpoint *writer)
{
  struct ddsi_domaingv *gv = ddsrt_atomic_ldvoidp(&writer->type->gv);
  ddsi_guid_t guid;
  uint32_t words[4];
  memcpy(words, writer->guid, sizeof words);
  for (int i = 0; i < 3; i++)
    guid.prefix.u[i] = ntohl(words[i]);
  guid.entityid.u = ntohl(words[3]);
  struct ddsi_thread_state *self = ddsi_lookup_thread_state();
  ddsrt_atomic_stvoidp(&self->gv, gv);
  ddsi_thread_state_awake(self, gv);
  struct ddsi_writer *w = ddsi_entidx_lookup_writer_guid(gv->entity_index, &guid);
  if (w == NULL)
    ddsi_thread_state_asleep(self);
  else
    ddsrt_mutex_lock(&w->e.lock);
  return w;
}

static void let_go(struct ddsi_writer *w)
{
  ddsrt_mutex_unlock(&w->e.lock);
  ddsi_thread_state_asleep(ddsi_lookup_thread_state());
}

/*
 * Has writes that wait for readers fail. dds_delete means to do that, but waits first for a lock that such a
 * write holds, and so for as long as it may wait.
 */
static void interrupt(const pn_endpoint *writer)
{
  struct ddsi_writer *w = hold(writer);
  if (w == NULL)
    return;
  if (w->state == WRST_OPERATIONAL) {
    w->state = WRST_INTERRUPT;
    ddsrt_cond_mtime_broadcast(&w->throttle_cond);
  }
  let_go(w);
}

dds_return_t pn_endpoint_delete(pn_endpoint *e)
{
  if (e->reliable)
    interrupt(e);
  dds_return_t rc = dds_delete(e->entity);
  if (e->queue != NULL)
    pn_queue_remove(e->queue, e);
  pn_batching_end(e);
  return rc;
}

void pn_endpoint_free(pn_endpoint *e)
{
  if (e->turn != NULL)
    pn_turn_unref(e->turn);
  if (e->spare != NULL)
    pn_discard(e->spare);
  pthread_mutex_destroy(&e->lock);
  pn_tally_fini(&e->tally);
  free(e);
}

pn_batching pn_batching_of(const pn_endpoint *writer) { return writer->batching; }
const unsigned char *pn_endpoint_guid(const pn_endpoint *e) { return e->guid; }
dds_entity_t pn_endpoint_entity(const pn_endpoint *e) { return e->entity; }

static bool peer(dds_builtintopic_endpoint_t *p, unsigned char *guid)
{
  if (p == NULL)
    return false;
  memcpy(guid, p->key.v, sizeof p->key.v);
  dds_builtintopic_free_endpoint(p);
  return true;
}

bool pn_reader_peer(const pn_endpoint *reader, uint64_t handle, unsigned char *guid)
{
  return peer(dds_get_matched_publication_data(reader->entity, handle), guid);
}

bool pn_writer_peer(const pn_endpoint *writer, uint64_t handle, unsigned char *guid)
{
  return peer(dds_get_matched_subscription_data(writer->entity, handle), guid);
}

void pn_discard(unsigned char *payload) { pn_release(pn_sample_of(payload)); }

unsigned char *pn_reserve(pn_endpoint *writer, size_t size, unsigned char *other)
{
  if (other != NULL)
    pn_discard(other);
  pn_sample *s = pn_sample_new(writer->type, size);
  return s != NULL ? s->payload : NULL;
}

void *pn_writer_spare(pn_endpoint *writer) { return &writer->spare; }

/* Larger ones take so long themselves that it makes no difference. */
enum { MAX_SPARE = 1 << 12 };

/*
 * Messages of most topics are of one size. Space for the next one is made when this one is on its way,
 * which makes neither of them late, and saves a call from Go.
 */
PN_HOT static void keep_spare(pn_endpoint *writer, size_t size)
{
  const bool again = size == writer->last_size && size <= MAX_SPARE;
  writer->last_size = size;
  if (!again || __atomic_load_n(&writer->spare, __ATOMIC_RELAXED) != NULL)
    return;
  pn_sample *s = pn_sample_new(writer->type, size);
  if (s != NULL)
    __atomic_store_n(&writer->spare, s->payload, __ATOMIC_RELEASE);
}

/*
 * dds_forwardcdr gives up a reference, except where it does not get hold of the writer because that
 * is being deleted. Nobody else has the sample then: the count tells.
 */
PN_HOT static dds_return_t forward(dds_entity_t writer, struct ddsi_serdata *d)
{
  ddsi_serdata_ref(d);
  dds_return_t rc = dds_forwardcdr(writer, d);
  if (rc != DDS_RETCODE_OK && ddsrt_atomic_ld32(&d->refc) == 2)
    ddsi_serdata_unref(d);
  ddsi_serdata_unref(d);
  return rc;
}

/* Tells whether Cyclone DDS would hold up a write until readers acknowledge what they have got. */
static bool throttled(const pn_endpoint *writer)
{
  struct ddsi_writer *w = writer->reliable ? hold(writer) : NULL;
  if (w == NULL)
    return false;
  struct ddsi_whc_state state;
  w->whc->ops->get_state(w->whc, &state);
  const bool full = state.unacked_bytes > w->whc_high;
  let_go(w);
  return full;
}

/* Tells whether sending size bytes, and those that wait for it, would wait for the network. */
static bool congested(const pn_endpoint *writer, size_t size)
{
  return pn_congested(ddsrt_atomic_ldvoidp(&writer->type->gv), writer->batched + size);
}

/*
 * Cyclone DDS numbers samples under the writer's own lock and keeps the number to itself; taking
 * ours around the write gives the same numbers, and waits no longer than that lock would.
 */
PN_HOT static dds_return_t write_next(pn_endpoint *writer, pn_sample *s, int64_t source, bool try)
{
  if (!try)
    pthread_mutex_lock(&writer->lock);
  else if (pthread_mutex_trylock(&writer->lock) != 0) {
    pn_release(s);
    return DDS_RETCODE_TIMEOUT;
  }
  dds_return_t rc = DDS_RETCODE_TIMEOUT;
  if (!pn_sample_finish(s)) {
    rc = DDS_RETCODE_BAD_PARAMETER;
    pn_release(s);
  } else if (try && (throttled(writer) || congested(writer, s->size)))
    pn_release(s);
  else {
    const size_t size = s->size;
    s->seq = writer->seq + 1;
    s->arrival = pn_monotonic();
    memcpy(s->writer, writer->guid, sizeof s->writer);
    s->c.timestamp.v = source != 0 ? source : dds_time();
    rc = forward(writer->entity, &s->c);
    if (rc == DDS_RETCODE_OK) {
      writer->seq++;
      pn_batched(writer, size);
      keep_spare(writer, size);
    }
  }
  pthread_mutex_unlock(&writer->lock);
  return rc;
}

/* A lane waits for readers where it asks for reliability, and for nothing else. */
static bool hurries(const pn_endpoint *writer) { return !writer->reliable && (pn_turn_taken() != NULL || pn_hurried()); }

PN_HOT dds_return_t pn_write(pn_endpoint *writer, unsigned char *payload, int64_t source, int try)
{
  return write_next(writer, pn_sample_of(payload), source, try || hurries(writer));
}

dds_return_t pn_flush(pn_endpoint *writer, int try)
{
  try = try || hurries(writer);
  if (!try)
    pthread_mutex_lock(&writer->lock);
  else if (pthread_mutex_trylock(&writer->lock) != 0)
    return DDS_RETCODE_TIMEOUT;
  dds_return_t rc = try && congested(writer, 0) ? DDS_RETCODE_TIMEOUT : pn_batch_flush(writer);
  pthread_mutex_unlock(&writer->lock);
  return rc;
}

dds_return_t pn_write_end(pn_endpoint *writer, unsigned char *payload, int dispose, int64_t source, int try)
{
  pn_sample *s = pn_sample_of(payload);
  pn_sample *key = pn_sample_finish(s) ? pn_sample_key(s) : NULL;
  pn_release(s);
  if (key == NULL)
    return DDS_RETCODE_BAD_PARAMETER;
  key->c.statusinfo = dispose ? 1 : 2; /* RTPS 2.2, 9.6.3.9 */
  return pn_write(writer, key->payload, source, try);
}

dds_return_t pn_assert_liveliness(pn_endpoint *writer) { return dds_assert_liveliness(writer->entity); }
