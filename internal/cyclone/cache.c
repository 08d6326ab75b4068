#include "dds/dds.h"

#include "cache.h"

#include <stdlib.h>

#include "_cgo_export.h"
#include "hot.h"

#if DDS_VERSION_MAJOR < 11

/* All releases of 0.10 export it, but no installed header declares it. */
extern struct dds_rhc *dds_rhc_default_new(struct dds_reader *reader, const struct ddsi_sertype *type);

/* The inner cache does the work. It is made when the reader is known. */
typedef struct pn_cache {
  struct dds_rhc c;
  struct dds_rhc *inner;
  pn_endpoint *reader;
  bool counts;      /* its tally */
  int64_t limit;    /* 0 for none */
  int64_t waiting;  /* bytes; atomic. Below zero while what was emptied goes in. */
  uint32_t rejected; /* atomic */
} pn_cache;

static struct dds_rhc *inner(struct dds_rhc *c) { return ((pn_cache *)c)->inner; }
static struct dds_rhc *inner_of(struct ddsi_rhc *c) { return ((pn_cache *)c)->inner; }

static void reject(pn_cache *c)
{
  uint32_t n = __atomic_add_fetch(&c->rejected, 1, __ATOMIC_RELAXED);
  pinionEvent(c->reader->token, &(pn_event){.kind = PN_SAMPLE_REJECTED, .total = n, .change = 1});
}

/*
 * What arrives is counted first, so that it is known when it is taken. What finds no room counts as stored:
 * otherwise Cyclone DDS would keep the thread, which receives for others too, until there is some.
 */
PN_HOT static bool store(struct ddsi_rhc *restrict c, const struct ddsi_writer_info *restrict writer, struct ddsi_serdata *restrict data,
                  struct ddsi_tkmap_instance *restrict instance)
{
  pn_cache *cache = (pn_cache *)c;
  const pn_sample *s = (const pn_sample *)data;
  if (data->kind == SDK_DATA && cache->limit != 0) {
    if (__atomic_load_n(&cache->waiting, __ATOMIC_RELAXED) >= cache->limit) {
      reject(cache);
      return true;
    }
    __atomic_fetch_add(&cache->waiting, s->size, __ATOMIC_RELAXED);
  }
  if (data->kind == SDK_DATA && cache->counts && s->seq != 0)
    pn_tally_arrived(&cache->reader->tally, writer->iid, s->seq);
  return dds_rhc_store(inner_of(c), writer, data, instance);
}

static void unregister_writer(struct ddsi_rhc *restrict c, const struct ddsi_writer_info *restrict writer)
{
  pn_cache *cache = (pn_cache *)c;
  if (cache->counts)
    pn_tally_gone(&cache->reader->tally, writer->iid);
  dds_rhc_unregister_wr(inner_of(c), writer);
}

static void relinquish_ownership(struct ddsi_rhc *restrict c, const uint64_t publication)
{
  dds_rhc_relinquish_ownership(inner_of(c), publication);
}

static void set_qos(struct ddsi_rhc *c, const struct dds_qos *qos) { dds_rhc_set_qos(inner_of(c), qos); }

static void free_cache(struct ddsi_rhc *c)
{
  if (inner_of(c) != NULL)
    dds_rhc_free(inner_of(c));
  free(c);
}

static int32_t read_samples(struct dds_rhc *c, bool lock, void **values, dds_sample_info_t *info, uint32_t max, uint32_t mask,
                            dds_instance_handle_t instance, struct dds_readcond *condition)
{
  return dds_rhc_read(inner(c), lock, values, info, max, mask, instance, condition);
}

static int32_t take_samples(struct dds_rhc *c, bool lock, void **values, dds_sample_info_t *info, uint32_t max, uint32_t mask,
                            dds_instance_handle_t instance, struct dds_readcond *condition)
{
  return dds_rhc_take(inner(c), lock, values, info, max, mask, instance, condition);
}

static int32_t read_data(struct dds_rhc *c, bool lock, struct ddsi_serdata **values, dds_sample_info_t *info, uint32_t max,
                         uint32_t samples, uint32_t views, uint32_t instances, dds_instance_handle_t instance)
{
  return dds_rhc_readcdr(inner(c), lock, values, info, max, samples, views, instances, instance);
}

PN_HOT static int32_t take_data(struct dds_rhc *c, bool lock, struct ddsi_serdata **values, dds_sample_info_t *info, uint32_t max,
                         uint32_t samples, uint32_t views, uint32_t instances, dds_instance_handle_t instance)
{
  pn_cache *cache = (pn_cache *)c;
  int32_t n = dds_rhc_takecdr(cache->inner, lock, values, info, max, samples, views, instances, instance);
  if (cache->limit == 0 || n < 0)
    return n;
  int64_t taken = 0;
  for (int32_t i = 0; i < n; i++)
    taken += info[i].valid_data ? ((const pn_sample *)values[i])->size : 0;
  if ((uint32_t)n < max) /* nothing is left, of what had a lifespan either, whose end nobody tells */
    __atomic_store_n(&cache->waiting, 0, __ATOMIC_RELAXED);
  else
    __atomic_fetch_sub(&cache->waiting, taken, __ATOMIC_RELAXED);
  return n;
}

static bool add_condition(struct dds_rhc *c, struct dds_readcond *condition) { return dds_rhc_add_readcondition(inner(c), condition); }
static void remove_condition(struct dds_rhc *c, struct dds_readcond *condition) { dds_rhc_remove_readcondition(inner(c), condition); }
static uint32_t lock_samples(struct dds_rhc *c) { return dds_rhc_lock_samples(inner(c)); }

static dds_return_t associate(struct dds_rhc *c, struct dds_reader *reader, const struct ddsi_sertype *type, struct ddsi_tkmap *map)
{
  struct dds_rhc *made = dds_rhc_default_new(reader, type);
  ((pn_cache *)c)->inner = made;
  return made == NULL ? DDS_RETCODE_OUT_OF_RESOURCES : dds_rhc_associate(made, reader, type, map);
}

static const struct dds_rhc_ops ops = {
  .rhc_ops = {
    .store = store,
    .unregister_wr = unregister_writer,
    .relinquish_ownership = relinquish_ownership,
    .set_qos = set_qos,
    .free = free_cache,
  },
  .read = read_samples,
  .take = take_samples,
  .readcdr = read_data,
  .takecdr = take_data,
  .add_readcondition = add_condition,
  .remove_readcondition = remove_condition,
  .lock_samples = lock_samples,
  .associate = associate,
};

struct dds_rhc *pn_cache_new(pn_endpoint *e, const pn_qos *qos)
{
  pn_cache *c = calloc(1, sizeof *c);
  if (c == NULL)
    return NULL;
  c->c.common.ops = &ops;
  c->reader = e;
  c->counts = e->type->typekind_no_key;
  if (qos->history == DDS_HISTORY_KEEP_ALL)
    c->limit = qos->limit;
  else if (c->counts)
    e->tally.depth = (uint32_t)qos->depth;
  return &c->c;
}

void pn_cache_free(struct dds_rhc *cache) { free_cache(&cache->common.rhc); }

#else

struct dds_rhc *pn_cache_new(pn_endpoint *e, const pn_qos *qos)
{
  (void)e, (void)qos;
  return NULL;
}

void pn_cache_free(struct dds_rhc *cache) { (void)cache; }

#endif
