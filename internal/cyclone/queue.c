#include "queue.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "endpoint.h"

struct pn_queue {
  pthread_mutex_t lock;
  pn_endpoint *first, **last;
  int eventfd;
  uint32_t word;
  uint32_t waiting;
};

pn_queue *pn_queue_new(int eventfd)
{
  pn_queue *q = calloc(1, sizeof *q);
  if (q == NULL)
    return NULL;
  pthread_mutex_init(&q->lock, NULL);
  q->last = &q->first;
  q->eventfd = eventfd;
  return q;
}

void pn_queue_free(pn_queue *q)
{
  pthread_mutex_destroy(&q->lock);
  free(q);
}

uint32_t *pn_queue_word(pn_queue *q) { return &q->word; }
uint32_t *pn_queue_waiting(pn_queue *q) { return &q->waiting; }

static void wake(pn_queue *q, bool was_empty)
{
  __atomic_fetch_add(&q->word, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&q->waiting, __ATOMIC_SEQ_CST) != 0)
    syscall(SYS_futex, &q->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  if (q->eventfd >= 0 && was_empty) {
    uint64_t one = 1;
    ssize_t n = write(q->eventfd, &one, sizeof one);
    (void)n; /* fails only when the counter is full, and then the consumer is awake */
  }
}

void pn_queue_kick(pn_queue *q) { wake(q, true); }

void pn_queue_push(pn_queue *q, pn_endpoint *e)
{
  pthread_mutex_lock(&q->lock);
  bool was_empty = q->first == NULL;
  bool push = !e->queued;
  if (push) {
    e->queued = 1;
    e->since = pn_monotonic();
    e->next = NULL;
    *q->last = e;
    q->last = &e->next;
  }
  pthread_mutex_unlock(&q->lock);
  if (push)
    wake(q, was_empty);
}

uint32_t pn_queue_pop(pn_queue *q, pn_ready *out, uint32_t max)
{
  uint32_t n = 0;
  pthread_mutex_lock(&q->lock);
  for (; n < max && q->first != NULL; n++) {
    pn_endpoint *e = q->first;
    q->first = e->next;
    if (q->first == NULL)
      q->last = &q->first;
    e->queued = 0;
    out[n] = (pn_ready){.token = e->token, .since = e->since};
  }
  pthread_mutex_unlock(&q->lock);
  return n;
}

void pn_queue_remove(pn_queue *q, pn_endpoint *e)
{
  pthread_mutex_lock(&q->lock);
  for (pn_endpoint **p = &q->first; *p != NULL; p = &(*p)->next) {
    if (*p != e)
      continue;
    *p = e->next;
    if (e->next == NULL)
      q->last = p;
    break;
  }
  e->queued = 1; /* keeps a late push out */
  pthread_mutex_unlock(&q->lock);
}
