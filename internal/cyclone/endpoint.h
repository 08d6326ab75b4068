#ifndef PINION_ENDPOINT_H
#define PINION_ENDPOINT_H

#include <pthread.h>

#include "entity.h"
#include "tally.h"
#include "turn.h"

struct pn_endpoint {
  dds_entity_t entity;
  uint64_t token;
  unsigned char guid[16];
  /* writer, see batch.h */
  pn_batching batching; /* in force */
  bool batcher;         /* one for which the process batches */
  size_t flush_at;      /* bytes, 0 for none */
  const struct ddsi_sertype *type;
  bool reliable;        /* writer */
  pthread_mutex_t lock; /* writer: of batched and seq */
  size_t batched;       /* writer: bytes written since it was flushed */
  uint64_t seq;         /* writer: numbers the samples as Cyclone DDS does, for readers in this process */
  size_t last_size;     /* writer: of the last message, under the lock */
  unsigned char *spare; /* writer: see pn_writer_spare; under the lock where it is set */
  pn_turn *turn;        /* inline reader */
  int paused;           /* inline reader, for who has the turn */
  pn_tally tally;       /* reader */
  uint32_t arrivals;    /* queued reader: how often the listener was called, which is before it is queued; atomic */
  /* queued reader, under the queue's lock */
  struct pn_queue *queue;
  struct pn_endpoint *next;
  int64_t since;
  int queued;
};

#endif
