#include "sample.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dds/ddsrt/md5.h"
#include "dds/ddsrt/mh3.h"

#include "hot.h"
#include "names.h"

#if DDS_VERSION_MAJOR < 11
#include "dds/ddsi/ddsi_domaingv.h"
#include "dds/ddsi/ddsi_tkmap.h"
#endif

static_assert(offsetof(pn_sample, payload) % 8 == 4, "the body must be 8-byte aligned");
static_assert(offsetof(pn_sample, payload) - offsetof(pn_sample, size) == sizeof(uint32_t), "Go looks for the size in front of the payload");

/* The header of a packet (RTPS 2.2, 9.4.4). */
typedef struct pn_header {
  unsigned char protocol[4], version[2], vendor[2];
  uint32_t prefix[3];
} pn_header;

/* What a submessage with data begins with (RTPS 2.2, 9.4.5.3: Data, DataFrag). */
typedef struct pn_data {
  unsigned char kind, flags;
  uint16_t octets, extra_flags, octets_to_qos;
  uint32_t reader, writer;
  uint32_t seq_high, seq_low;
} pn_data;

/* The protocol moves payloads in units of 4 bytes. */
static size_t align4(size_t n) { return (n + 3) & ~(size_t)3; }

PN_HOT int64_t pn_monotonic(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static const pn_sample *sample(const struct ddsi_serdata *d) { return (const pn_sample *)d; }

typedef struct pn_sertype {
  struct ddsi_sertype c;
  size_t key_size;
  uint32_t n;
  pn_key_step steps[];
} pn_sertype;

static bool keyless(const struct ddsi_sertype *type) { return ((const pn_sertype *)type)->n == 0; }

static unsigned char *key_of(const pn_sample *s) { return (unsigned char *)s->payload + align4(s->size); }

/* Keys that do not fit into a key hash (RTPS 2.2, 9.6.3.8) have their digest behind them. */
#define HASH_SIZE (sizeof(struct ddsi_keyhash))

static unsigned char *digest_of(const pn_sample *s) { return key_of(s) + s->key_size; }

static void digest(const pn_sample *s, unsigned char *to)
{
  ddsrt_md5_state_t md5;
  ddsrt_md5_init(&md5);
  ddsrt_md5_append(&md5, key_of(s), (unsigned)s->key_size);
  ddsrt_md5_finish(&md5, to);
}

static void set_hash(pn_sample *s, const unsigned char *data, size_t size)
{
  s->c.hash = s->c.type->serdata_basehash ^ ddsrt_mh3(data, size, 0);
}

/* Makes of a key that is complete now what Cyclone DDS finds the instance by. */
static void finish_key(pn_sample *s)
{
  if (s->key_size <= HASH_SIZE) {
    set_hash(s, key_of(s), s->key_size);
    return;
  }
  digest(s, digest_of(s));
  set_hash(s, digest_of(s), HASH_SIZE);
}

PN_HOT static pn_sample *new_sample(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, size_t size)
{
  const size_t key_size = ((const pn_sertype *)type)->key_size;
  if (size < PN_HEADER || size > UINT32_MAX - 8)
    return NULL;
  pn_sample *s = malloc(offsetof(pn_sample, payload) + align4(size) + key_size + (key_size > HASH_SIZE ? HASH_SIZE : 0));
  if (s == NULL)
    return NULL;
  ddsi_serdata_init(&s->c, type, kind);
  s->c.hash = type->serdata_basehash; /* keyless: one instance */
  s->key_size = key_size;
  s->key_missing = false;
  s->arrival = 0;
  s->seq = 0;
  memset(s->writer, 0, sizeof s->writer);
  s->size = (uint32_t)size;
  memset(s->payload + align4(size) - 4, 0, 4);
  return s;
}

PN_HOT pn_sample *pn_sample_new(const struct ddsi_sertype *type, size_t size)
{
  return new_sample(type, SDK_DATA, size);
}

/*
 * A sample of kind SDK_KEY; key may be NULL for types without one. Fast DDS before 3.3 takes a payload
 * that is not longer than a key hash, header and all, for the hash, so shorter keys are padded.
 */
static pn_sample *new_key(const struct ddsi_sertype *type, const unsigned char *key)
{
  const size_t size = ((const pn_sertype *)type)->key_size;
  const size_t padded = size > 0 && size < HASH_SIZE ? HASH_SIZE : size;
  pn_sample *s = new_sample(type, SDK_KEY, PN_HEADER + padded);
  if (s == NULL)
    return NULL;
  memcpy(s->payload, (const unsigned char[]){0, size == 0, 0, 0}, PN_HEADER);
  if (size > 0) {
    memset(s->payload + PN_HEADER, 0, padded);
    memcpy(s->payload + PN_HEADER, key, size);
    memcpy(key_of(s), key, size);
    finish_key(s);
  }
  return s;
}

PN_HOT bool pn_sample_finish(pn_sample *s)
{
  const pn_sertype *type = (const pn_sertype *)s->c.type;
  if (type->key_size == 0 || s->c.kind != SDK_DATA)
    return true;
  if (!pn_key_read(type->steps, type->n, s->payload, s->size, false, key_of(s)))
    return false;
  finish_key(s);
  return true;
}

pn_sample *pn_sample_key(const pn_sample *s) { return new_key(s->c.type, key_of(s)); }

/* Turns a payload that came into the sample that Cyclone DDS gets. Gives s up. */
PN_HOT static struct ddsi_serdata *received(pn_sample *s)
{
  const pn_sertype *type = (const pn_sertype *)s->c.type;
  if (s->c.kind == SDK_DATA) {
    if (pn_sample_finish(s))
      return &s->c;
    ddsi_serdata_unref(&s->c);
    return NULL;
  }
  pn_sample *key = NULL;
  if (pn_key_read(type->steps, type->n, s->payload, s->size, true, key_of(s)))
    key = new_key(s->c.type, key_of(s));
  if (key != NULL) {
    key->arrival = s->arrival;
    key->seq = s->seq;
    memcpy(key->writer, s->writer, sizeof key->writer);
  }
  ddsi_serdata_unref(&s->c);
  return (struct ddsi_serdata *)key;
}

/*
 * Cyclone DDS tells nobody above the reorder buffer which number a sample has and whose it is, but
 * the packet is still there: its header and the submessage, whose numbers the receiver has turned
 * into host order. A source that an InfoSource submessage puts in the header's place, as relays do,
 * is not looked for.
 */
static void read_origin(pn_sample *s, const struct ddsi_rdata *frag)
{
  if (DDSI_RDATA_SUBMSG_OFF(frag) == 0)
    return;
  const unsigned char *packet = DDSI_RMSG_PAYLOAD(frag->rmsg);
  const pn_header *header = (const void *)packet;
  const pn_data *data = (const void *)(packet + DDSI_RDATA_SUBMSG_OFF(frag));
  s->seq = (uint64_t)data->seq_high << 32 | data->seq_low;
  const uint32_t guid[4] = {htonl(header->prefix[0]), htonl(header->prefix[1]), htonl(header->prefix[2]), htonl(data->writer)};
  memcpy(s->writer, guid, sizeof s->writer);
}

/* For few threads each, so that lanes do not wait for each other's cache lines. */
enum { SHARDS = 16 };
static struct {
  _Alignas(64) uint64_t reached;
  uint64_t refused;
} counts[SHARDS];

/* Counts what came out of packets, NULL for what was refused, and returns it. */
PN_HOT static struct ddsi_serdata *counted(struct ddsi_serdata *d)
{
  static unsigned threads;
  static _Thread_local unsigned shard; /* and one */
  if (shard == 0)
    shard = 1 + __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) % SHARDS;
  __atomic_fetch_add(&counts[shard - 1].reached, 1, __ATOMIC_RELAXED);
  if (d == NULL)
    __atomic_fetch_add(&counts[shard - 1].refused, 1, __ATOMIC_RELAXED);
  return d;
}

void pn_samples(uint64_t *reached, uint64_t *refused)
{
  *reached = *refused = 0;
  for (int i = 0; i < SHARDS; i++) {
    *reached += __atomic_load_n(&counts[i].reached, __ATOMIC_RELAXED);
    *refused += __atomic_load_n(&counts[i].refused, __ATOMIC_RELAXED);
  }
}

PN_HOT static struct ddsi_serdata *read_packets(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, const struct ddsi_rdata *frag, size_t size)
{
  if (kind != SDK_DATA && keyless(type))
    return (struct ddsi_serdata *)new_key(type, NULL);
  pn_sample *s = new_sample(type, kind, size);
  if (s == NULL)
    return NULL;
  s->arrival = pn_monotonic();
  read_origin(s, frag);
  size_t off = 0;
  for (; frag != NULL; frag = frag->nextfrag) {
    if (frag->maxp1 <= off) /* fragments may overlap */
      continue;
    if (frag->min > off || frag->maxp1 > size)
      break;
    const unsigned char *payload = DDSI_RMSG_PAYLOADOFF(frag->rmsg, DDSI_RDATA_PAYLOAD_OFF(frag));
    memcpy(s->payload + off, payload + (off - frag->min), frag->maxp1 - off);
    off = frag->maxp1;
  }
  if (off == size)
    return received(s);
  ddsi_serdata_unref(&s->c);
  return NULL;
}

PN_HOT static struct ddsi_serdata *from_ser(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind,
                                     const struct ddsi_rdata *frag, size_t size)
{
  return counted(read_packets(type, kind, frag, size));
}

static struct ddsi_serdata *from_ser_iov(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind,
                                         ddsrt_msg_iovlen_t niov, const ddsrt_iovec_t *iov, size_t size)
{
  if (kind != SDK_DATA && keyless(type))
    return (struct ddsi_serdata *)new_key(type, NULL);
  pn_sample *s = new_sample(type, kind, size);
  if (s == NULL)
    return NULL;
  s->arrival = pn_monotonic();
  size_t off = 0;
  for (ddsrt_msg_iovlen_t i = 0; i < niov && off < size; i++) {
    size_t n = iov[i].iov_len < size - off ? iov[i].iov_len : size - off;
    memcpy(s->payload + off, iov[i].iov_base, n);
    off += n;
  }
  if (off == size)
    return received(s);
  ddsi_serdata_unref(&s->c);
  return NULL;
}

#if DDS_VERSION_MAJOR < 11

/* The key with the digest, if it is that of an instance that is known. */
static pn_sample *find_key(const struct ddsi_sertype *type, const unsigned char *hash)
{
  pn_sample *s = new_sample(type, SDK_KEY, PN_HEADER);
  if (s == NULL)
    return NULL;
  s->key_missing = true;
  memcpy(digest_of(s), hash, HASH_SIZE);
  set_hash(s, hash, HASH_SIZE);
  struct ddsi_domaingv *gv = ddsrt_atomic_ldvoidp(&type->gv);
  struct ddsi_tkmap_instance *instance = ddsi_tkmap_find(gv->m_tkmap, &s->c, false);
  ddsi_serdata_unref(&s->c);
  if (instance == NULL)
    return NULL;
  pn_sample *key = new_key(type, key_of(sample(instance->m_sample)));
  ddsi_tkmap_instance_unref(gv->m_tkmap, instance);
  return key;
}

#else /* which does not export its map of instances */

static pn_sample *find_key(const struct ddsi_sertype *type, const unsigned char *hash)
{
  (void)type, (void)hash;
  return NULL;
}

#endif

/* Fast DDS tells of the end of an instance by its key hash alone. */
static struct ddsi_serdata *from_keyhash(const struct ddsi_sertype *type, const struct ddsi_keyhash *keyhash)
{
  const bool whole = ((const pn_sertype *)type)->key_size <= HASH_SIZE;
  return counted((struct ddsi_serdata *)(whole ? new_key(type, keyhash->value) : find_key(type, keyhash->value)));
}

/* Samples are made by pn_sample_new; there is no application representation to convert from or to. */
static struct ddsi_serdata *from_sample(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, const void *data)
{
  (void)data;
  return kind == SDK_KEY && keyless(type) ? (struct ddsi_serdata *)new_key(type, NULL) : NULL;
}

static bool to_sample(const struct ddsi_serdata *d, void *data, void **bufptr, void *buflim)
{
  (void)d, (void)data, (void)bufptr, (void)buflim;
  return false;
}

static bool untyped_to_sample(const struct ddsi_sertype *type, const struct ddsi_serdata *d, void *data, void **bufptr, void *buflim)
{
  (void)type;
  return to_sample(d, data, bufptr, buflim);
}

static struct ddsi_serdata *to_untyped(const struct ddsi_serdata *d)
{
  pn_sample *key = pn_sample_key(sample(d));
  if (key != NULL)
    key->c.type = NULL;
  return (struct ddsi_serdata *)key;
}

/* As rmw_cyclonedds does, the padding counts as payload on the wire. */
PN_HOT static uint32_t get_size(const struct ddsi_serdata *d) { return (uint32_t)align4(sample(d)->size); }

static void to_ser(const struct ddsi_serdata *d, size_t off, size_t size, void *buf)
{
  memcpy(buf, sample(d)->payload + off, size);
}

PN_HOT static struct ddsi_serdata *to_ser_ref(const struct ddsi_serdata *d, size_t off, size_t size, ddsrt_iovec_t *ref)
{
  ref->iov_base = (void *)(sample(d)->payload + off);
  ref->iov_len = size;
  return ddsi_serdata_ref(d);
}

PN_HOT static void to_ser_unref(struct ddsi_serdata *d, const ddsrt_iovec_t *ref)
{
  (void)ref;
  ddsi_serdata_unref(d);
}

PN_HOT static void free_sample(struct ddsi_serdata *d) { free(d); }

PN_HOT static bool eqkey(const struct ddsi_serdata *a, const struct ddsi_serdata *b)
{
  const pn_sample *x = sample(a), *y = sample(b);
  if (x->key_size != y->key_size)
    return false;
  if (x->key_missing || y->key_missing)
    return memcmp(digest_of(x), digest_of(y), HASH_SIZE) == 0;
  return memcmp(key_of(x), key_of(y), x->key_size) == 0;
}

static size_t print(const struct ddsi_sertype *type, const struct ddsi_serdata *d, char *buf, size_t size)
{
  (void)type;
  return (size_t)snprintf(buf, size, "%u bytes", (unsigned)sample(d)->size);
}

static void get_keyhash(const struct ddsi_serdata *d, struct ddsi_keyhash *buf, bool force_md5)
{
  const pn_sample *s = sample(d);
  memset(buf, 0, sizeof *buf);
  if (s->key_size > HASH_SIZE)
    memcpy(buf->value, digest_of(s), HASH_SIZE);
  else if (s->key_size == 0 || !force_md5)
    memcpy(buf->value, key_of(s), s->key_size);
  else
    digest(s, buf->value);
}

static const struct ddsi_serdata_ops serdata_ops = {
  .eqkey = eqkey,
  .get_size = get_size,
  .from_ser = from_ser,
  .from_ser_iov = from_ser_iov,
  .from_keyhash = from_keyhash,
  .from_sample = from_sample,
  .to_ser = to_ser,
  .to_ser_ref = to_ser_ref,
  .to_ser_unref = to_ser_unref,
  .to_sample = to_sample,
  .to_untyped = to_untyped,
  .untyped_to_sample = untyped_to_sample,
  .free = free_sample,
  .print = print,
  .get_keyhash = get_keyhash,
};

static void free_sertype(struct ddsi_sertype *type)
{
  ddsi_sertype_fini(type);
  free(type);
}

static bool equal_sertype(const struct ddsi_sertype *a, const struct ddsi_sertype *b)
{
  const pn_sertype *x = (const pn_sertype *)a, *y = (const pn_sertype *)b; /* of one name, kind and operations */
  return x->n == y->n && memcmp(x->steps, y->steps, x->n * sizeof x->steps[0]) == 0;
}

static uint32_t hash_sertype(const struct ddsi_sertype *type)
{
  const pn_sertype *t = (const pn_sertype *)type;
  return ddsrt_mh3(t->steps, t->n * sizeof t->steps[0], 0);
}

/* Cyclone DDS calls these three around application samples, which a sertype of ours never has. */
static void zero_samples(const struct ddsi_sertype *type, void *samples, size_t count)
{
  (void)type, (void)samples, (void)count;
}

static void realloc_samples(void **ptrs, const struct ddsi_sertype *type, void *old, size_t oldcount, size_t count)
{
  (void)type, (void)old, (void)oldcount;
  for (size_t i = 0; i < count; i++)
    ptrs[i] = NULL;
}

static void free_samples(const struct ddsi_sertype *type, void **ptrs, size_t count, dds_free_op_t op)
{
  (void)type, (void)ptrs, (void)count, (void)op;
}

static const struct ddsi_sertype_ops sertype_ops = {
  .version = ddsi_sertype_v0,
  .free = free_sertype,
  .zero_samples = zero_samples,
  .realloc_samples = realloc_samples,
  .free_samples = free_samples,
  .equal = equal_sertype,
  .hash = hash_sertype,
};

struct ddsi_sertype *pn_sertype_new(const char *type_name, const pn_key_step *steps, uint32_t n)
{
  pn_sertype *type = malloc(sizeof *type + n * sizeof *steps);
  if (type == NULL)
    return NULL;
  ddsi_sertype_init_flags(&type->c, type_name, &sertype_ops, &serdata_ops, n == 0 ? DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY : 0);
  type->c.allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
  type->key_size = pn_key_size(steps, n);
  type->n = n;
  if (n > 0)
    memcpy(type->steps, steps, n * sizeof *steps);
  return &type->c;
}
