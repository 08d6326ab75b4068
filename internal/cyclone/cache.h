#ifndef PINION_CACHE_H
#define PINION_CACHE_H

#include "dds/ddsc/dds_rhc.h"
#include "endpoint.h"

/*
 * The cache of e as Cyclone DDS has it, which tells the tally, of types without a key, of the samples that
 * get into it, and with KEEP_ALL takes none while as many bytes wait in it as the limit says: then e is told
 * of PN_SAMPLE_REJECTED. NULL where there is none: without memory, and with Cyclone DDS 11, which does not
 * export its own.
 */
struct dds_rhc *pn_cache_new(pn_endpoint *e, const pn_qos *qos);
/* Only for a cache that no reader took over. */
void pn_cache_free(struct dds_rhc *cache);

#endif
