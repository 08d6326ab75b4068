#ifndef PINION_DOMAIN_H
#define PINION_DOMAIN_H

#include "dds/dds.h"

struct ddsi_domaingv;

/*
 * Creates a domain instance. Permissions are checked against its id on the wire, for which they are, where
 * Cyclone DDS would take the one inside the process. *gv is what the instance consists of, valid as long as
 * it is, or NULL if that is unknown: then permissions are checked as Cyclone DDS does it.
 */
dds_entity_t pn_domain_new(dds_domainid_t id, const char *config, struct ddsi_domaingv **gv);

#endif
