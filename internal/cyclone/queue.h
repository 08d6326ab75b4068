#ifndef PINION_QUEUE_H
#define PINION_QUEUE_H

#include <stdint.h>

struct pn_endpoint;

/*
 * A queue holds the readers that have data, each once, in the order in which they got ready.
 * Readers' listeners fill it from Cyclone DDS's threads; one consumer empties it and learns of
 * new entries through an eventfd or a futex word, whichever it waits on.
 */
typedef struct pn_queue pn_queue;

typedef struct pn_ready {
  uint64_t token;
  int64_t since; /* CLOCK_MONOTONIC in ns */
} pn_ready;

/* eventfd is written when the queue stops being empty; -1 for none. */
pn_queue *pn_queue_new(int eventfd);
void pn_queue_free(pn_queue *q);

/* Moves up to max entries to out. From then on their readers may be put into the queue again. */
uint32_t pn_queue_pop(pn_queue *q, pn_ready *out, uint32_t max);

/* Puts the reader into the queue unless it is there. */
void pn_queue_push(pn_queue *q, struct pn_endpoint *reader);

/* Takes the reader out, for good; it must not be pushed any more. */
void pn_queue_remove(pn_queue *q, struct pn_endpoint *reader);

/* Wakes the consumer without an entry. */
void pn_queue_kick(pn_queue *q);

/* The word changes with every push and kick; waiting must be set while somebody sleeps on it. */
uint32_t *pn_queue_word(pn_queue *q);
uint32_t *pn_queue_waiting(pn_queue *q);

#endif
