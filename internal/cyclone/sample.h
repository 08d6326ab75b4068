#ifndef PINION_SAMPLE_H
#define PINION_SAMPLE_H

#include <stddef.h>

#include "dds/dds.h"
#include "dds/ddsi/ddsi_serdata.h"
#include "dds/ddsi/ddsi_sertype.h"
#include "dds/version.h"

#include "key.h"

/* Bytes that the encapsulation header takes in front of the body. */
#define PN_HEADER 4u

/*
 * A sample is one message as it goes over the wire: encapsulation header and body in one block.
 * Cyclone DDS knows it as a serdata and counts its references; nobody writes to the payload
 * after the sample was handed to pn_write or came out of a reader.
 *
 * Of a type with a key, the key in big-endian CDR follows the padded payload: equal keys are equal
 * bytes. A digest follows a key of more than 16 bytes. Where a sample is a key alone, of an instance that was disposed of or lost its writers, the
 * payload is the key with a header.
 *
 * The payload starts 4 bytes behind an 8-byte boundary, so that the body (CDR aligns relative
 * to it) is aligned in memory as it is in CDR and can be read in place.
 */
typedef struct pn_sample {
  struct ddsi_serdata c;
  int64_t arrival; /* CLOCK_MONOTONIC in ns: received from the network, or written */
  uint64_t seq;    /* sequence number that the writer gave it, 0 where that is unknown */
  unsigned char writer[16]; /* GUID in wire order, zero where it is unknown */
  uint32_t key_size; /* of the key behind the payload, 0 for types without one */
  bool key_missing;  /* only the digest is there */
  uint32_t size;   /* header and body, without padding at the end; right in front of them */
  unsigned char payload[];
} pn_sample;

/* Go and Cyclone DDS know a sample by its payload and by its serdata. */
static inline pn_sample *pn_sample_of(unsigned char *payload)
{
  return (pn_sample *)(payload - offsetof(pn_sample, payload));
}

/*
 * A sertype for messages whose content, the key aside, only the layers above understand. Without steps
 * it has no key. The caller owns one reference.
 */
struct ddsi_sertype *pn_sertype_new(const char *type_name, const pn_key_step *steps, uint32_t n);

/* A new sample of size bytes (header included) with zeroed padding, one reference, or NULL. */
pn_sample *pn_sample_new(const struct ddsi_sertype *type, size_t size);

/* Finds the key in a payload that is complete now; false where it ends too early. */
bool pn_sample_finish(pn_sample *s);

/* The key of s as a sample of its own, or NULL. */
pn_sample *pn_sample_key(const pn_sample *s);

/* How many samples and ends of instances the process's types got out of packets, and how many of them they refused. */
void pn_samples(uint64_t *reached, uint64_t *refused);

int64_t pn_monotonic(void);

#endif
