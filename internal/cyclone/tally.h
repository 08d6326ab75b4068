#ifndef PINION_TALLY_H
#define PINION_TALLY_H

#include <pthread.h>
#include <stdint.h>

/*
 * Cyclone DDS says neither that numbers are missing when a sample arrives, nor that a sample was
 * replaced before it was taken. A tally finds out both from the numbers that writers give their
 * samples: it is told of each sample when it gets into a reader's cache and when it is taken, which
 * must be in the order of the numbers, as it is where there are no keys.
 */
typedef struct pn_tally {
  pthread_mutex_t lock;
  struct pn_source *sources;
  uint32_t count, capacity, last;
  uint32_t depth;
} pn_tally;

/*
 * depth is that of KEEP_LAST; 0 stands for KEEP_ALL, where nothing is replaced, and for a cache that
 * tells of no arrival: there all that is missing counts as lost.
 */
void pn_tally_init(pn_tally *t, uint32_t depth);
void pn_tally_fini(pn_tally *t);

void pn_tally_arrived(pn_tally *t, uint64_t publication, uint64_t seq);
/* Around taking samples and telling of it: what is taken must not look replaced in between. */
void pn_tally_lock(pn_tally *t);
void pn_tally_unlock(pn_tally *t);
/* Tells what is missing between the writer's last sample that was taken and this one. */
void pn_tally_taken(pn_tally *t, uint64_t publication, uint64_t seq, uint64_t *lost, uint64_t *overwritten);
/* The writer will send no more. */
void pn_tally_gone(pn_tally *t, uint64_t publication);

#endif
