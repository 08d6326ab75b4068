#ifndef PINION_DOMAIN_H
#define PINION_DOMAIN_H

#include "dds/dds.h"

/*
 * Creates a domain instance and collects what Cyclone DDS logs meanwhile (11 logs it on standard
 * error), NUL at the end; what does not fit is cut off. Only one thread at a time may be here.
 */
dds_entity_t pn_domain_new(dds_domainid_t id, const char *config, char *messages, size_t size);

#endif
