#ifndef PINION_PARTICIPANT_H
#define PINION_PARTICIPANT_H

#include <stdint.h>

struct ddsi_domaingv;

/* The kernel's id of the thread that reads what is sent to the readers of a domain instance, 0 if unknown. */
int32_t pn_receiver(const struct ddsi_domaingv *gv);

#endif
