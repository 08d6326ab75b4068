#include "turn.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct pn_turn {
  pthread_mutex_t lock;
  uint32_t refs;
};

static _Thread_local pn_turn *taken;

/* A thread without priority may have it while one with a high priority waits. */
pn_turn *pn_turn_new(void)
{
  pn_turn *t = calloc(1, sizeof *t);
  if (t == NULL)
    return NULL;
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&t->lock, &attr);
  pthread_mutexattr_destroy(&attr);
  t->refs = 1;
  return t;
}

pn_turn *pn_turn_ref(pn_turn *t)
{
  __atomic_fetch_add(&t->refs, 1, __ATOMIC_RELAXED);
  return t;
}

void pn_turn_unref(pn_turn *t)
{
  if (__atomic_fetch_sub(&t->refs, 1, __ATOMIC_ACQ_REL) != 1)
    return;
  pthread_mutex_destroy(&t->lock);
  free(t);
}

void pn_turn_take(pn_turn *t)
{
  pthread_mutex_lock(&t->lock);
  taken = t;
}

void pn_turn_give(pn_turn *t)
{
  taken = NULL;
  pthread_mutex_unlock(&t->lock);
}

pn_turn *pn_turn_taken(void) { return taken; }
