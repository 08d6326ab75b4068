#include "turn.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "dds/ddsi/ddsi_domaingv.h"

#include "hot.h"
#include "names.h"

/*
 * Cyclone DDS notes for each thread the one domain instance whose memory it uses, to keep that memory until
 * the thread is done. What a callback does in another instance would take the place of that note, while the
 * caller goes on to use what is no longer kept. So whoever has the turn makes notes in place of another
 * thread, the lender, which does nothing but be there: Cyclone DDS has a place for each thread only.
 */
struct pn_turn {
  pthread_mutex_t lock;
  uint32_t refs;
  struct ddsi_thread_state *own; /* of the thread that has the turn */
  struct ddsi_thread_state *lent; /* NULL until pn_turn_prepare */
  pthread_t lender;
  sem_t ready, enough;
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
  sem_init(&t->ready, 0, 0);
  sem_init(&t->enough, 0, 0);
  return t;
}

static void wait_for(sem_t *s)
{
  while (sem_wait(s) != 0)
    ;
}

static void *lend(void *arg)
{
  pn_turn *t = arg;
  t->lent = ddsi_lookup_thread_state();
  sem_post(&t->ready);
  wait_for(&t->enough);
  return NULL;
}

/* Signals are for threads of the program. */
static bool start_lender(pn_turn *t)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool ok = pthread_create(&t->lender, NULL, lend, t) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (ok)
    wait_for(&t->ready);
  return ok;
}

bool pn_turn_prepare(pn_turn *t)
{
  if (pn_turn_taken() == t)
    return true; /* its reader is there */
  pthread_mutex_lock(&t->lock);
  bool ok = t->lent != NULL || start_lender(t);
  pthread_mutex_unlock(&t->lock);
  return ok;
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
  if (t->lent != NULL) {
    sem_post(&t->enough);
    pthread_join(t->lender, NULL);
  }
  sem_destroy(&t->ready);
  sem_destroy(&t->enough);
  pthread_mutex_destroy(&t->lock);
  free(t);
}

PN_HOT void pn_turn_take(pn_turn *t)
{
  pthread_mutex_lock(&t->lock);
  taken = t;
  t->own = ddsi_lookup_thread_state();
  tsd_thread_state = t->lent;
}

PN_HOT void pn_turn_give(pn_turn *t)
{
  tsd_thread_state = t->own;
  taken = NULL;
  pthread_mutex_unlock(&t->lock);
}

PN_HOT pn_turn *pn_turn_taken(void) { return taken; }

const void *pn_turn_kept(const pn_turn *t) { return ddsrt_atomic_ldvoidp(&t->own->gv); }
