#include "congestion.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "dds/ddsi/ddsi_domaingv.h"

#include "hot.h"
#include "names.h"

#if DDS_VERSION_MAJOR < 11

#include "dds/ddsi/ddsi_tran.h"

/* Both numbers count what the kernel needs to keep a packet, which is up to twice what is in it. */
static bool full(int socket, size_t size)
{
  int held = 0, room = 0;
  socklen_t n = sizeof room;
  if (ioctl(socket, SIOCOUTQ, &held) != 0 || held == 0 || getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, &n) != 0)
    return false;
  return (size_t)held + 2 * size >= (size_t)room;
}

bool pn_congested(const struct ddsi_domaingv *gv, size_t size)
{
  for (int i = 0; i < gv->n_interfaces; i++)
    if (full(ddsi_conn_handle(gv->xmit_conns[i]), size))
      return true;
  return false;
}

#else

/* From 11 on the library keeps its sockets to itself. */
bool pn_congested(const struct ddsi_domaingv *gv, size_t size)
{
  (void)gv;
  (void)size;
  return false;
}

#endif

static _Thread_local bool hurried;

void pn_hurry(bool on) { hurried = on; }
PN_HOT bool pn_hurried(void) { return hurried; }
