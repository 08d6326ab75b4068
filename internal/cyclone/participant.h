#ifndef PINION_PARTICIPANT_H
#define PINION_PARTICIPANT_H

#include "dds/dds.h"

/* receiver is set to the kernel's id of the thread that reads what is sent to the participant's readers, 0 if unknown. */
dds_entity_t pn_participant_new(dds_domainid_t domain, const dds_qos_t *qos, int32_t *receiver);

#endif
