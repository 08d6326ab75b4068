#ifndef PINION_BATCH_H
#define PINION_BATCH_H

#include "entity.h"

/*
 * A writer that batches keeps what is written in the packet that it is about to send until somebody
 * flushes it or nothing more fits. Which writers do is settled when they are created: by their QoS from
 * 0.10.4 on, before by a setting of the process. One that did not ask and is made while that is on, for
 * others of this package, is flushed after each sample.
 */

/* Whether the library has batching as a policy of writers. */
#define PN_BATCHING_QOS (DDS_VERSION_MAJOR > 0 || DDS_VERSION_PATCH >= 4)

/* Creates the entity of a writer that batches if asked is set, after size bytes at the latest unless that is 0. */
dds_entity_t pn_batching_new(pn_endpoint *writer, dds_entity_t participant, dds_entity_t topic, dds_qos_t *q, const dds_listener_t *l,
                             bool asked, size_t size);
/* For a writer that is deleted. */
void pn_batching_end(pn_endpoint *writer);

/* The caller holds the writer's lock. pn_batched is for after a sample of size bytes: it flushes where that is due. */
void pn_batched(pn_endpoint *writer, size_t size);
dds_return_t pn_batch_flush(pn_endpoint *writer);

#endif
