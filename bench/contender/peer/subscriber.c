#include "bench.h"

#include <stdlib.h>

struct subscription {
  dds_entity_t reader;
  bool critical;
  uint64_t warmup;
  int64_t work, first; // first is when the first message came
  struct tracker tracker;
  struct histogram *latency, *intended;
};

static struct subscription *subscriptions;

static void received(void *arg, const void *sample) {
  struct subscription *s = arg;
  int64_t time = now();
  struct stamp stamp;
  message_get(sample, &stamp);
  if (!s->first)
    s->first = time;
  if (stamp.number >= s->warmup && tracker_arrived(&s->tracker, stamp.number - s->warmup)) {
    histogram_record(s->latency, time - stamp.sent);
    histogram_record(s->intended, time - stamp.intended);
  }
  if (s->work)
    burn(s->work);
}

static void receive(void *arg, int i) {
  (void)arg;
  take(subscriptions[i].reader, received, &subscriptions[i]);
}

static void on_data(dds_entity_t reader, void *arg) {
  static _Thread_local bool scheduled;
  if (!scheduled) {
    scheduled = true;
    schedule_self(0);
  }
  take(reader, received, arg);
}

static struct subscription subscription_new(int i) {
  // Background topics have a rate, and then the critical one has.
  double share = i ? config_number("background_rate_hz", 300) / config_number("rate_hz", 1000) : 1;
  struct subscription s = {
    .critical = i == 0, .warmup = config_number("warmup", 0) * share,
    .work = i ? (int64_t)(config_number("work_us", 0) * 1000) : 0,
    .tracker = tracker_new(config_number("count", 1000) * share),
  };
  // The background topics share histograms.
  s.latency = i > 1 ? subscriptions[1].latency : histogram_new();
  s.intended = i > 1 ? subscriptions[1].intended : histogram_new();
  return s;
}

void subscriber(void) {
  int topics = config_number("topics", 1);
  bool listen = listens();
  dds_entity_t participant = participant_new(), *readers = calloc(topics, sizeof *readers);
  subscriptions = calloc(topics, sizeof *subscriptions);
  for (int i = 0; i < topics; i++) {
    subscriptions[i] = subscription_new(i);
    dds_listener_t *listener = listen ? dds_create_listener(&subscriptions[i]) : NULL;
    if (listen)
      dds_lset_data_available(listener, on_data);
    readers[i] = subscriptions[i].reader = reader_new(participant, topic_name(i), listener);
    dds_delete_listener(listener);
  }
  struct server *server = listen ? NULL : serve_start(participant, readers, topics, receive, NULL);
  wait_end();
  if (server)
    serve_stop(server);
  dds_delete(participant);

  struct subscription *critical = &subscriptions[0];
  unsigned long long background = 0;
  for (int i = 1; i < topics; i++)
    background += subscriptions[i].tracker.received;
  printf("{\"received\":%llu,\"duplicates\":%llu,\"out_of_order\":%llu,\"background_received\":%llu,\"first_number\":%llu,\"first_time\":%lld",
         (unsigned long long)critical->tracker.received, (unsigned long long)critical->tracker.duplicates,
         (unsigned long long)critical->tracker.out_of_order, background, (unsigned long long)critical->tracker.first, (long long)critical->first);
  histogram_print("latency", critical->latency);
  histogram_print("intended", critical->intended);
  if (topics > 1)
    histogram_print("background", subscriptions[1].intended);
  puts("}");
}
