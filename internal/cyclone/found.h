#ifndef PINION_FOUND_H
#define PINION_FOUND_H

#include "entity.h"
#include "queue.h"

/* What a built-in topic tells about (DDS 1.4, 2.2.5). */
typedef enum pn_found_kind {
  PN_FOUND_PARTICIPANT,
  PN_FOUND_WRITER,
  PN_FOUND_READER,
} pn_found_kind;

/* Of an entity that is gone only handle, guid and participant are set. */
typedef struct pn_found {
  int32_t alive;
  uint64_t handle;
  unsigned char guid[16], participant[16];
  const char *topic, *type;
  pn_qos qos;
  void *sample; /* owns all of the above that is pointed to */
} pn_found;

/* A reader of the built-in topic, which the queue gets when there is news. */
pn_endpoint *pn_found_reader_new(dds_entity_t participant, pn_found_kind kind, uint64_t token, pn_queue *queue, dds_return_t *rc);

/* Takes the oldest news: 1, 0 for none, or an error. After 1 pn_found_free must follow. */
dds_return_t pn_found_take(pn_endpoint *reader, pn_found_kind kind, pn_found *out);
void pn_found_free(pn_found_kind kind, pn_found *f);

#endif
