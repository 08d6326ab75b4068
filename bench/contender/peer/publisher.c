#include "bench.h"

#include <pthread.h>
#include <stdlib.h>

// A stream is what one thread sends: messages in turn on its topics.
struct stream {
  dds_entity_t *writers;
  int topics;
  size_t size;
  double rate;    // of each topic, 0 for as fast as possible
  bool aligned;   // all topics at once, else spread evenly over the period
  uint64_t warmup, count; // messages of each topic
  int below;      // how much lower its priority is
  int64_t start, limit; // when it begins, and when it ends at the latest, 0 for not
  int64_t first, last;  // when the first measured message was sent and the last one was out
  uint64_t sent, failed, late;
  struct histogram *lag;
};

static int64_t intended_at(const struct stream *s, uint64_t message, int topic) {
  if (s->rate == 0)
    return now();
  double period = 1e9 / s->rate;
  return s->start + (int64_t)(message * period + (s->aligned ? 0 : topic * period / s->topics));
}

static void *run(void *arg) {
  struct stream *s = arg;
  schedule_self(s->below);
  struct message *m = message_new(s->size);
  int64_t tolerance = s->rate ? 1e8 / s->rate : INT64_MAX;
  for (uint64_t i = 0; i < s->warmup + s->count && (!s->limit || now() < s->limit); i++)
    for (int t = 0; t < s->topics; t++) {
      struct stamp stamp = {.number = i, .intended = intended_at(s, i, t)};
      if (now() < stamp.intended)
        sleep_until(stamp.intended);
      stamp.sent = now();
      message_set(m, &stamp);
      int result = dds_write(s->writers[t], message_sample(m));
      if (i < s->warmup)
        continue;
      if (!s->first)
        s->first = stamp.sent;
      s->last = now();
      s->sent += result == 0;
      s->failed += result != 0;
      s->late += stamp.sent - stamp.intended > tolerance;
      histogram_record(s->lag, stamp.sent - stamp.intended);
    }
  return NULL;
}

void publisher(void) {
  int topics = config_number("topics", 1);
  dds_entity_t participant = participant_new(), *writers = calloc(topics, sizeof *writers);
  for (int i = 0; i < topics; i++)
    writers[i] = writer_new(participant, topic_name(i));
  if (!config_is_true("unmatched"))
    wait_matched(writers, topics);
  int64_t start = now() + 20000000;
  double limit = config_number("limit_s", 0);
  struct stream critical = {
    .writers = writers, .topics = 1, .size = config_number("size", 64), .rate = config_number("rate_hz", 1000), .aligned = true,
    .warmup = config_number("warmup", 0), .count = config_number("count", 1000), .start = start,
    .limit = limit > 0 ? start + (int64_t)(limit * 1e9) : 0, .lag = histogram_new(),
  };
  double rate = config_number("background_rate_hz", 300), share = critical.rate ? rate / critical.rate : 0;
  struct stream background = {
    .writers = writers + 1, .topics = topics - 1, .size = config_number("background_size", 64), .rate = rate,
    .aligned = config_is("phase", "aligned"), .warmup = critical.warmup * share, .count = critical.count * share,
    .start = start, .below = 1, .lag = histogram_new(),
  };
  pthread_t threads[2];
  if (pthread_create(&threads[0], NULL, run, &critical) || pthread_create(&threads[1], NULL, run, &background))
    fail("create thread");
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  for (int i = 0; i < topics; i++)
    dds_write_flush(writers[i]);
  for (int i = 0; i < topics; i++)
    dds_wait_for_acks(writers[i], DDS_SECS(1));
  printf("{\"sent\":%llu,\"failed\":%llu,\"late\":%llu,\"background_sent\":%llu,\"seconds\":%.6f", (unsigned long long)critical.sent,
         (unsigned long long)critical.failed, (unsigned long long)critical.late, (unsigned long long)background.sent,
         (critical.last - critical.first) / 1e9);
  histogram_print("send_lag", critical.lag);
  puts("}");
}
