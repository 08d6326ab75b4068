#include "participant.h"

#include <pthread.h>
#include <string.h>

#include "dds/ddsi/ddsi_domaingv.h"

#include "names.h"

/* Linux makes the id of a thread's CPU clock from the thread's id. */
static int32_t kernel_id(pthread_t thread)
{
  clockid_t clock;
  return pthread_getcpuclockid(thread, &clock) == 0 ? ~(clock >> 3) : 0;
}

/*
 * "recv" waits for all sockets that no other thread reads; where there is one for the data that comes by
 * unicast it is called "recvUC". With MultipleReceiveThreads there may be "recvMC" too.
 */
int32_t pn_receiver(const struct ddsi_domaingv *gv)
{
  if (gv == NULL || gv->n_recv_threads == 0)
    return 0;
  uint32_t best = 0;
  for (uint32_t i = 1; i < gv->n_recv_threads; i++)
    if (strcmp(gv->recv_threads[i].name, "recvUC") == 0)
      best = i;
  return kernel_id(gv->recv_threads[best].thrst->tid.v);
}
