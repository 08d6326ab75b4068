#ifndef PINION_CACHE_H
#define PINION_CACHE_H

#include "dds/ddsc/dds_rhc.h"
#include "tally.h"

/*
 * A reader's cache as Cyclone DDS has it, which tells t of the samples that get into it. NULL where there
 * is none: for types with keys, without memory, and with Cyclone DDS 11, which does not export its own.
 */
struct dds_rhc *pn_cache_new(const struct ddsi_sertype *type, pn_tally *t);
/* Only for a cache that no reader took over. */
void pn_cache_free(struct dds_rhc *cache);

#endif
