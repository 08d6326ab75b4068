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
static int32_t receiver_of(const struct ddsi_domaingv *gv)
{
  uint32_t best = 0;
  for (uint32_t i = 1; i < gv->n_recv_threads; i++)
    if (strcmp(gv->recv_threads[i].name, "recvUC") == 0)
      best = i;
  return gv->n_recv_threads > 0 ? kernel_id(gv->recv_threads[best].thrst->tid.v) : 0;
}

dds_entity_t pn_participant_new(dds_domainid_t domain, const dds_qos_t *qos, int32_t *receiver)
{
  *receiver = 0;
  dds_entity_t participant = dds_create_participant(domain, qos, NULL);
  if (participant < 0)
    return participant;
  /* Cyclone DDS notes for each thread the domain that it used last. */
  const struct ddsi_domaingv *gv = ddsrt_atomic_ldvoidp(&ddsi_lookup_thread_state()->gv);
  if (gv != NULL && gv->config.domainId == domain)
    *receiver = receiver_of(gv);
  return participant;
}
