#include "bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

bool listens(void) { return config_is("mode", "listener"); }

dds_entity_t participant_new(void) {
  dds_entity_t participant = checked(dds_create_participant(config_number("domain", 0), NULL, NULL), "create participant");
  // A setting of the domains there are, for the writers that are made after it. Newer versions prefer a
  // policy of writers.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  dds_write_set_batch(config_is_true("batching"));
#pragma GCC diagnostic pop
  return participant;
}

static dds_qos_t *qos(void) {
  dds_qos_t *q = dds_create_qos();
  bool best_effort = config_is("reliability", "best_effort");
  int depth = config_number("depth", 10);
  // A publisher that keeps all waits for its subscribers.
  dds_qset_reliability(q, best_effort ? DDS_RELIABILITY_BEST_EFFORT : DDS_RELIABILITY_RELIABLE, depth ? DDS_MSECS(100) : DDS_SECS(10));
  dds_qset_history(q, depth ? DDS_HISTORY_KEEP_LAST : DDS_HISTORY_KEEP_ALL, depth);
  if (config_is("durability", "transient_local"))
    dds_qset_durability(q, DDS_DURABILITY_TRANSIENT_LOCAL);
  return q;
}

static dds_entity_t topic_new(dds_entity_t participant, const char *name) {
  return checked(dds_create_topic(participant, message_type(), name, NULL, NULL), "create topic");
}

dds_entity_t writer_new(dds_entity_t participant, const char *topic) {
  dds_qos_t *q = qos();
  dds_entity_t writer = dds_create_writer(participant, topic_new(participant, topic), q, NULL);
  dds_delete_qos(q);
  return checked(writer, "create writer");
}

dds_entity_t reader_new(dds_entity_t participant, const char *topic, dds_listener_t *listener) {
  dds_qos_t *q = qos();
  dds_entity_t reader = dds_create_reader(participant, topic_new(participant, topic), q, listener);
  dds_delete_qos(q);
  return checked(reader, "create reader");
}

const char *topic_name(int i) {
  static char name[64];
  if (i == 0)
    return "rt/bench/critical";
  snprintf(name, sizeof name, "rt/bench/background_%d", i);
  return name;
}

void wait_matched(const dds_entity_t *writers, int n) {
  int64_t deadline = now() + 60 * INT64_C(1000000000);
  for (int i = 0; i < n; i++)
    for (;;) {
      dds_publication_matched_status_t s = {0};
      checked(dds_get_publication_matched_status(writers[i], &s), "matched status");
      if (s.current_count > 0)
        break;
      if (now() > deadline)
        fail("no subscriber for topic %d of %d within 60 s", i, n);
      sleep_until(now() + 1000000);
    }
  sleep_until(now() + 50000000); // for the other side to know as well
}

void wait_end(void) {
  for (char c; read(0, &c, 1) > 0;)
    ;
}

void take(dds_entity_t reader, void (*f)(void *, const void *), void *arg) {
  void *samples[16] = {NULL};
  dds_sample_info_t info[16];
  for (;;) {
    int n = dds_take(reader, samples, info, 16, 16);
    for (int i = 0; i < n; i++)
      if (info[i].valid_data)
        f(arg, samples[i]);
    if (n > 0)
      dds_return_loan(reader, samples, n);
    if (n < 16)
      return;
  }
}

struct server {
  dds_entity_t waitset;
  int n;
  void (*receive)(void *, int);
  void *arg;
  pthread_t thread;
};

static void *serve(void *arg) {
  struct server *s = arg;
  schedule_self(0);
  schedule_receiver(-1); // above who waits for it, as on a woken lane
  dds_attach_t ready[64];
  for (;;) {
    int n = checked(dds_waitset_wait(s->waitset, ready, 64, DDS_INFINITY), "wait");
    for (int i = 0; i < n && i < 64; i++) {
      if (ready[i] == s->n)
        return NULL; // the waitset itself: serve_stop
      s->receive(s->arg, ready[i]);
    }
  }
}

struct server *serve_start(dds_entity_t participant, const dds_entity_t *readers, int n, void (*receive)(void *, int), void *arg) {
  struct server *s = malloc(sizeof *s);
  *s = (struct server){checked(dds_create_waitset(participant), "create waitset"), n, receive, arg, 0};
  for (int i = 0; i < n; i++) {
    dds_entity_t condition = checked(dds_create_readcondition(readers[i], DDS_ANY_STATE), "create condition");
    checked(dds_waitset_attach(s->waitset, condition, i), "attach");
  }
  checked(dds_waitset_attach(s->waitset, s->waitset, n), "attach");
  if (pthread_create(&s->thread, NULL, serve, s))
    fail("create thread");
  return s;
}

void serve_stop(struct server *s) {
  dds_waitset_set_trigger(s->waitset, true);
  pthread_join(s->thread, NULL);
  free(s);
}
