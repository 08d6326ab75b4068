#include "batch.h"

#include <pthread.h>

#include "dds/ddsi/ddsi_domaingv.h"

#include "endpoint.h"
#include "hot.h"

/* What CYCLONEDDS_URI, or pn_batching_new, has set for writers of the domain that are yet to be made. */
static bool domain_batches(const pn_endpoint *writer)
{
  const struct ddsi_domaingv *gv = ddsrt_atomic_ldvoidp(&writer->type->gv);
  return gv->config.whc_batch;
}

#if PN_BATCHING_QOS

dds_entity_t pn_batching_new(pn_endpoint *writer, dds_entity_t participant, dds_entity_t topic, dds_qos_t *q, const dds_listener_t *l,
                             bool asked, size_t size)
{
  writer->flush_at = size;
  writer->batching = domain_batches(writer) ? PN_BATCHING_PROCESS : asked ? PN_BATCHING_WRITER : PN_BATCHING_OFF;
  dds_qset_writer_batching(q, asked);
  return dds_create_writer(participant, topic, q, l);
}

void pn_batching_end(pn_endpoint *writer) { (void)writer; }

#else

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t batchers; /* writers for which the process batches; under the lock */

dds_entity_t pn_batching_new(pn_endpoint *writer, dds_entity_t participant, dds_entity_t topic, dds_qos_t *q, const dds_listener_t *l,
                             bool asked, size_t size)
{
  pthread_mutex_lock(&lock);
  const bool configured = batchers == 0 && domain_batches(writer);
  writer->batching = asked || configured ? PN_BATCHING_PROCESS : PN_BATCHING_OFF;
  writer->flush_at = writer->batching == PN_BATCHING_OFF && batchers > 0 ? 1 : size;
  if (asked && !configured) {
    writer->batcher = true;
    batchers++;
    dds_write_set_batch(true); /* each time, for a domain that is new */
  }
  const dds_entity_t entity = dds_create_writer(participant, topic, q, l);
  pthread_mutex_unlock(&lock);
  if (entity < 0)
    pn_batching_end(writer);
  return entity;
}

void pn_batching_end(pn_endpoint *writer)
{
  if (!writer->batcher)
    return;
  pthread_mutex_lock(&lock);
  if (--batchers == 0)
    dds_write_set_batch(false);
  pthread_mutex_unlock(&lock);
}

#endif

PN_HOT void pn_batched(pn_endpoint *writer, size_t size)
{
  writer->batched += size;
  if (writer->flush_at > 0 && writer->batched >= writer->flush_at)
    pn_batch_flush(writer);
}

dds_return_t pn_batch_flush(pn_endpoint *writer)
{
  writer->batched = 0;
#if DDS_VERSION_MAJOR >= 11
  return dds_write_flush(writer->entity);
#else
  dds_write_flush(writer->entity);
  return DDS_RETCODE_OK;
#endif
}
