#ifndef PINION_SAMPLE_H
#define PINION_SAMPLE_H

#include <stddef.h>

#include "dds/dds.h"
#include "dds/ddsi/ddsi_serdata.h"
#include "dds/ddsi/ddsi_sertype.h"
#include "dds/version.h"

/* Bytes that the encapsulation header takes in front of the body. */
#define PN_HEADER 4u

/*
 * A sample is one message as it goes over the wire: encapsulation header and body in one block.
 * Cyclone DDS knows it as a serdata and counts its references; nobody writes to the payload
 * after the sample was handed to pn_write or came out of a reader.
 *
 * The payload starts 4 bytes behind an 8-byte boundary, so that the body (CDR aligns relative
 * to it) is aligned in memory as it is in CDR and can be read in place.
 */
typedef struct pn_sample {
  struct ddsi_serdata c;
  int64_t arrival; /* CLOCK_MONOTONIC in ns: received from the network, or written */
  uint64_t seq;    /* sequence number that the writer gave it, 0 where that is unknown */
  unsigned char writer[16]; /* GUID in wire order, zero where it is unknown */
  uint32_t size;   /* header and body, without padding at the end */
  unsigned char payload[];
} pn_sample;

enum { PN_PAYLOAD = offsetof(pn_sample, payload) };

/* A sertype for messages whose content only the layers above understand. The caller owns one reference. */
struct ddsi_sertype *pn_sertype_new(const char *type_name);

/* A new sample of size bytes (header included) with zeroed padding, one reference, or NULL. */
pn_sample *pn_sample_new(const struct ddsi_sertype *type, size_t size);

int64_t pn_monotonic(void);

#endif
