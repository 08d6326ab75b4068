#ifndef PINION_ENTITY_H
#define PINION_ENTITY_H

#include "sample.h"

#if !(DDS_VERSION_MAJOR == 0 && DDS_VERSION_MINOR == 10) && DDS_VERSION_MAJOR != 11
#error "pinion needs Cyclone DDS 0.10.x or 11.x: install cyclonedds-dev, or let PKG_CONFIG_PATH name the directory of another CycloneDDS.pc"
#endif

/* QoS policies that differ from Cyclone DDS's defaults are the ones that flags names. */
enum {
  PN_QOS_DEADLINE = 1 << 0,
  PN_QOS_LIFESPAN = 1 << 1,
  PN_QOS_LIVELINESS = 1 << 2,
};

typedef struct pn_qos {
  uint32_t flags;
  int32_t reliability, durability, history, depth, liveliness;
  int64_t max_blocking, deadline, lifespan, lease; /* ns */
  int64_t limit; /* reader with KEEP_ALL: bytes that may wait, 0 for any number */
  const void *user_data;
  size_t user_data_size;
} pn_qos;

/* What can happen to a reader or writer besides data. */
typedef enum pn_event_kind {
  PN_MATCHED,
  PN_INCOMPATIBLE_QOS,
  PN_DEADLINE_MISSED,
  PN_LIVELINESS_LOST,
  PN_LIVELINESS_CHANGED,
  PN_SAMPLE_LOST,
  PN_SAMPLE_REJECTED,
} pn_event_kind;

typedef struct pn_event {
  pn_event_kind kind;
  uint32_t total;   /* matched, incompatible, missed, lost: since creation; liveliness: alive */
  uint32_t current; /* matched: now; liveliness: not alive */
  int32_t change;
  int32_t current_change;
  uint32_t policy; /* incompatible QoS: dds_qos_policy_id_t of the last case */
  uint64_t handle; /* instance handle of the peer the event is about, 0 where there is none */
} pn_event;

/* One sample as a reader gives it out; ref keeps it alive until pn_release. */
typedef struct pn_received {
  const unsigned char *payload; /* NULL where only the instance's state changed */
  uint64_t size;
  int64_t source; /* source timestamp, wall clock in ns */
  int64_t arrival;
  uint64_t seq;
  uint64_t publication; /* handle of the writer */
  uint64_t lost;        /* did not come, between the writer's last sample that was taken and this one */
  uint64_t overwritten; /* came, but were not taken before their place was */
  int32_t instance_state;
  int32_t valid; /* otherwise payload is the key of an instance whose state changed, of types with a key */
  unsigned char writer[16]; /* GUID, zero where it is unknown */
  void *ref;
} pn_received;

/* Samples that a reader gives out at once when it calls inline. */
#define PN_BATCH 16

typedef enum pn_delivery {
  PN_POLLED, /* the reader's owner asks with pn_take */
  PN_INLINE, /* pinionDeliver runs on the thread that received the sample */
  PN_QUEUED, /* the reader is put into a queue */
} pn_delivery;

/* How far batching reaches that is in force for a writer. */
typedef enum pn_batching {
  PN_BATCHING_OFF,
  PN_BATCHING_WRITER,
  PN_BATCHING_PROCESS, /* writers of others as well */
} pn_batching;

struct pn_queue;
struct pn_turn;
typedef struct pn_endpoint pn_endpoint;

/* type is the topic's sertype, alive as long as the topic. */
dds_entity_t pn_topic_new(dds_entity_t participant, const char *name, const char *type_name, const pn_key_step *steps, uint32_t n,
                          const struct ddsi_sertype **type);

/* The key hash of a message (RTPS 2.2, 9.6.3.8); false where payload ends before its key does. */
bool pn_topic_keyhash(const struct ddsi_sertype *type, const void *payload, size_t size, unsigned char hash[16]);

/* Readers and writers have their listeners from the start. token comes back in every callback; turn is for inline readers. */
pn_endpoint *pn_reader_new(dds_entity_t participant, dds_entity_t topic, const struct ddsi_sertype *type, const pn_qos *qos,
                           uint64_t token, pn_delivery delivery, struct pn_queue *queue, struct pn_turn *turn, int paused, dds_return_t *rc);
/* Delivers what a paused inline reader holds on the calling thread, and from then on as it arrives. */
void pn_resume(pn_endpoint *reader);
void pn_pause(pn_endpoint *reader);
/* batching: samples wait for others until batch_size bytes, 0 for a packet, are there or pn_flush sends them. */
pn_endpoint *pn_writer_new(dds_entity_t participant, dds_entity_t topic, const struct ddsi_sertype *type, const pn_qos *qos,
                           int batching, size_t batch_size, uint64_t token, dds_return_t *rc);
/* A reader of a topic that others made, with no listener but the one that fills the queue. */
pn_endpoint *pn_queued_reader_new(dds_entity_t participant, dds_entity_t topic, uint64_t token, struct pn_queue *queue, dds_return_t *rc);
/* Ends blocked writes, returns after the last listener call has. The memory stays until pn_endpoint_free. */
dds_return_t pn_endpoint_delete(pn_endpoint *e);
void pn_endpoint_free(pn_endpoint *e);
const unsigned char *pn_endpoint_guid(const pn_endpoint *e);
/* The GUID of a reader's or writer's matched peer; false if there is no such peer. */
bool pn_reader_peer(const pn_endpoint *reader, uint64_t handle, unsigned char *guid);
bool pn_writer_peer(const pn_endpoint *writer, uint64_t handle, unsigned char *guid);
dds_entity_t pn_endpoint_entity(const pn_endpoint *e);

/*
 * Space for a message of size bytes, header included; NULL when there is no memory. Gives other up, which
 * is space that the caller had, or NULL. Bytes are what cgo does not look for pointers in.
 */
unsigned char *pn_reserve(pn_endpoint *writer, size_t size, unsigned char *other);
void pn_discard(unsigned char *payload);
/* Where the writer keeps space of the size of its last message, or NULL, for others to take; atomic. */
void *pn_writer_spare(pn_endpoint *writer);
/*
 * Writes the message with that source timestamp (0: now) and gives it up in every case. try: fails with
 * DDS_RETCODE_TIMEOUT at once where it would wait for space.
 */
dds_return_t pn_write(pn_endpoint *writer, unsigned char *payload, int64_t source, int try);

/* Disposes of the instance of the message, or unregisters the writer from it; the rest as in pn_write. */
dds_return_t pn_write_end(pn_endpoint *writer, unsigned char *payload, int dispose, int64_t source, int try);

/* Sends what the writer holds in a batch; try as in pn_write, whose caller it may have to wait for. */
dds_return_t pn_flush(pn_endpoint *writer, int try);
pn_batching pn_batching_of(const pn_endpoint *writer);

dds_return_t pn_assert_liveliness(pn_endpoint *writer);

/* How often a queued reader was told of data: of a type without a key at least once for each sample. */
uint32_t *pn_reader_arrivals(pn_endpoint *reader);
/* Takes up to max (at most PN_BATCH) samples; returns how many or an error. */
dds_return_t pn_take(pn_endpoint *reader, pn_received *out, uint32_t max);
void pn_release(void *ref);

#endif
