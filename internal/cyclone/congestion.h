#ifndef PINION_CONGESTION_H
#define PINION_CONGESTION_H

#include <stdbool.h>
#include <stddef.h>

struct ddsi_domaingv;

/*
 * Tells whether sending size bytes now would wait for the network, which takes slowly what the sockets hold
 * already: the kernel stops who sends more than a socket's buffer has room for. What would not fit into an
 * empty one is sent all the same where it is empty.
 */
bool pn_congested(const struct ddsi_domaingv *gv, size_t size);

/* Whether best effort writes of the calling thread fail from now on where they would wait. */
void pn_hurry(bool on);
bool pn_hurried(void);

#endif
