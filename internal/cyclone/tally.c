#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hot.h"
#include "tally.h"

/* Samples that never arrived, which come before one that did. */
typedef struct gap {
  uint64_t before, missing;
  uint64_t arrival; /* of the sample behind the gap: it was the writer's n-th */
} gap;

struct pn_source {
  uint64_t publication;
  uint64_t arrived, taken; /* number of the last sample */
  uint64_t arrivals;
  gap *gaps; /* in front of samples that were not taken, oldest first */
  uint32_t count, capacity;
  bool gone;
};

/* Writers that come and go must not add up. */
enum { MAX_SOURCES = 256 };

void pn_tally_init(pn_tally *t, uint32_t depth)
{
  *t = (pn_tally){.depth = depth};
  pthread_mutex_init(&t->lock, NULL);
}

void pn_tally_fini(pn_tally *t)
{
  for (uint32_t i = 0; i < t->count; i++)
    free(t->sources[i].gaps);
  free(t->sources);
  pthread_mutex_destroy(&t->lock);
}

PN_HOT static struct pn_source *find(pn_tally *t, uint64_t publication)
{
  if (t->last < t->count && t->sources[t->last].publication == publication)
    return &t->sources[t->last];
  for (uint32_t i = 0; i < t->count; i++) {
    if (t->sources[i].publication == publication) {
      t->last = i;
      return &t->sources[i];
    }
  }
  return NULL;
}

/* Makes room by forgetting a writer that is gone, or the one known for longest. */
static void evict(pn_tally *t)
{
  uint32_t victim = 0;
  for (uint32_t i = 0; i < t->count && !t->sources[victim].gone; i++) {
    if (t->sources[i].gone)
      victim = i;
  }
  free(t->sources[victim].gaps);
  t->count--;
  memmove(&t->sources[victim], &t->sources[victim + 1], (t->count - victim) * sizeof *t->sources);
}

/* Returns NULL when there is no memory; then nothing is counted. */
static struct pn_source *add(pn_tally *t, uint64_t publication, uint64_t seq)
{
  if (t->count == MAX_SOURCES)
    evict(t);
  if (t->count == t->capacity) {
    uint32_t capacity = t->capacity == 0 ? 4 : 2 * t->capacity;
    struct pn_source *p = realloc(t->sources, capacity * sizeof *p);
    if (p == NULL)
      return NULL;
    t->sources = p;
    t->capacity = capacity;
  }
  t->last = t->count++;
  t->sources[t->last] = (struct pn_source){.publication = publication, .arrived = seq - 1, .taken = seq - 1};
  return &t->sources[t->last];
}

static void drop_first(struct pn_source *s)
{
  s->count--;
  memmove(&s->gaps[0], &s->gaps[1], s->count * sizeof *s->gaps);
}

/*
 * Gaps in front of samples that cannot be in the cache any more need not be told apart, so there are
 * at most as many as there are samples in the cache, and one.
 */
static bool make_room(struct pn_source *s, uint32_t depth)
{
  while (s->count >= 2 && s->gaps[1].arrival + depth < s->arrivals) {
    s->gaps[1].missing += s->gaps[0].missing;
    drop_first(s);
  }
  if (s->count < s->capacity)
    return true;
  uint32_t capacity = s->capacity == 0 ? 4 : 2 * s->capacity;
  gap *p = realloc(s->gaps, capacity * sizeof *p);
  if (p == NULL)
    return false;
  s->gaps = p;
  s->capacity = capacity;
  return true;
}

PN_HOT void pn_tally_arrived(pn_tally *t, uint64_t publication, uint64_t seq)
{
  pthread_mutex_lock(&t->lock);
  struct pn_source *s = find(t, publication);
  if (s == NULL)
    s = add(t, publication, seq);
  if (s != NULL && seq > s->arrived) {
    s->arrivals++;
    uint64_t missing = seq - s->arrived - 1;
    if (missing > 0 && t->depth != 0 && (s->count < s->capacity || make_room(s, t->depth)))
      s->gaps[s->count++] = (gap){.before = seq, .missing = missing, .arrival = s->arrivals};
    s->arrived = seq;
  }
  pthread_mutex_unlock(&t->lock);
}

PN_HOT void pn_tally_lock(pn_tally *t) { pthread_mutex_lock(&t->lock); }
PN_HOT void pn_tally_unlock(pn_tally *t) { pthread_mutex_unlock(&t->lock); }

PN_HOT void pn_tally_taken(pn_tally *t, uint64_t publication, uint64_t seq, uint64_t *lost, uint64_t *overwritten)
{
  *lost = *overwritten = 0;
  struct pn_source *s = find(t, publication);
  if (s == NULL)
    s = add(t, publication, seq);
  if (s != NULL && seq > s->taken) {
    uint64_t missing = seq - s->taken - 1;
    s->taken = seq;
    if (t->depth == 0)
      *lost = missing;
    for (; s->count > 0 && s->gaps[0].before <= seq; drop_first(s))
      *lost += s->gaps[0].missing;
    *overwritten = missing - *lost;
  }
}

void pn_tally_gone(pn_tally *t, uint64_t publication)
{
  pthread_mutex_lock(&t->lock);
  struct pn_source *s = find(t, publication);
  if (s != NULL)
    s->gone = true;
  pthread_mutex_unlock(&t->lock);
}
