#define _GNU_SOURCE
#include "slack.h"

#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sem_t answered;
static atomic_int asked; /* number of the question that waits for an answer, 0 for none */
static atomic_ulong answer;

/* Nobody answers a question that has been given up, and nobody gives up one that is being answered. */
static bool close_question(int number) { return atomic_compare_exchange_strong(&asked, &number, 0); }

/* On the thread whose slack it is. */
static void on_signal(int number, siginfo_t *info, void *context)
{
  (void)number, (void)context;
  int saved = errno;
  if (info->si_code == SI_QUEUE && info->si_pid == getpid()) {
    unsigned long ns = (unsigned long)info->si_value.sival_ptr;
    if (ns != 0)
      prctl(PR_SET_TIMERSLACK, ns, 0, 0, 0);
    if (close_question(info->si_errno)) {
      answer = (unsigned long)prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
      sem_post(&answered);
    }
  }
  errno = saved;
}

static int ask(int tid, unsigned long ns)
{
  static int questions;
  questions = questions % INT_MAX + 1;
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = SIGRTMAX;
  info.si_code = SI_QUEUE;
  info.si_errno = questions;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = (void *)ns;
  atomic_store(&asked, questions);
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, SIGRTMAX, &info) != 0)
    return errno;
  struct timespec limit;
  clock_gettime(CLOCK_MONOTONIC, &limit);
  limit.tv_sec++;
  while (sem_clockwait(&answered, CLOCK_MONOTONIC, &limit) != 0)
    if (errno != EINTR && close_question(questions))
      return ETIMEDOUT;
  return 0;
}

/* The Go runtime has a handler for every signal, which must run on the stack that it has set up for that. */
int pn_timerslack(int tid, unsigned long *ns)
{
  struct sigaction mine, before;
  memset(&mine, 0, sizeof mine);
  mine.sa_sigaction = on_signal;
  mine.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&mine.sa_mask);
  if (sem_init(&answered, 0, 0) != 0 || sigaction(SIGRTMAX, &mine, &before) != 0)
    return errno;
  int rc = ask(tid, *ns);
  sigaction(SIGRTMAX, &before, NULL);
  *ns = answer;
  return rc;
}
