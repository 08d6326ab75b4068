#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>

// One message is in flight. The end that pings takes all times; those that the other end adds are for
// the audit.
static struct {
  dds_entity_t reader, writer;
  struct message *message;
  void (*received)(void *, const void *);
  int64_t delay; // of pong, ns
  // Of ping alone. The lock is there for the message that is sent again after a loss.
  pthread_mutex_t lock;
  uint64_t warmup, total, number, lost, duplicates;
  int64_t sent;
  struct histogram *latency, *forth, *back;
  atomic_bool done;
} end = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void send_ping(void) {
  struct stamp stamp = {.number = end.number, .intended = now()};
  stamp.sent = end.sent = stamp.intended;
  message_set(end.message, &stamp);
  dds_write(end.writer, message_sample(end.message));
}

static void next(void) {
  if (++end.number < end.total)
    send_ping();
  else
    end.done = true;
}

static void got_pong(void *arg, const void *sample) {
  (void)arg;
  int64_t time = now();
  struct stamp stamp;
  message_get(sample, &stamp);
  pthread_mutex_lock(&end.lock);
  if (end.done || stamp.number != end.number) {
    end.duplicates++;
  } else {
    if (end.number >= end.warmup) {
      histogram_record(end.latency, time - end.sent);
      if (stamp.replied) {
        histogram_record(end.forth, stamp.arrived - end.sent);
        histogram_record(end.back, time - stamp.replied);
      }
    }
    next();
  }
  pthread_mutex_unlock(&end.lock);
}

static void got_ping(void *arg, const void *sample) {
  (void)arg;
  struct stamp stamp;
  int64_t arrived = now();
  message_get(sample, &stamp);
  stamp.arrived = arrived;
  if (end.delay > 0)
    sleep_until(arrived + end.delay);
  stamp.replied = now();
  message_set(end.message, &stamp);
  dds_write(end.writer, message_sample(end.message));
}

static void receive(void *arg, int i) {
  (void)i;
  take(end.reader, end.received, arg);
}

static void on_data(dds_entity_t reader, void *arg) {
  static _Thread_local bool scheduled;
  if (!scheduled) {
    scheduled = true;
    schedule_self(0);
  }
  take(reader, end.received, arg);
}

// open creates reader and writer and returns what serves the reader, nothing for a listener.
static struct server *open_end(dds_entity_t participant, const char *in, const char *out, void (*received)(void *, const void *)) {
  bool listen = listens();
  end.message = message_new(config_number("size", 64));
  end.delay = (int64_t)(config_number("delay_us", 0) * 1000);
  end.received = received;
  end.writer = writer_new(participant, out);
  dds_listener_t *listener = listen ? dds_create_listener(NULL) : NULL;
  if (listen)
    dds_lset_data_available(listener, on_data);
  end.reader = reader_new(participant, in, listener);
  dds_delete_listener(listener);
  return listen ? NULL : serve_start(participant, &end.reader, 1, receive, NULL);
}

static void wait_writer(void) {
  for (int64_t deadline = now() + 30 * INT64_C(1000000000); now() < deadline; sleep_until(now() + 1000000)) {
    dds_subscription_matched_status_t s = {0};
    checked(dds_get_subscription_matched_status(end.reader, &s), "matched status");
    if (s.current_count > 0)
      return;
  }
  fail("no pong within 30 s");
}

void ping(void) {
  end.warmup = config_number("warmup", 0);
  end.total = end.warmup + config_number("count", 1000);
  end.latency = histogram_new();
  end.forth = histogram_new();
  end.back = histogram_new();
  dds_entity_t participant = participant_new();
  struct server *server = open_end(participant, "rt/bench/pong", "rt/bench/ping", got_pong);
  wait_matched(&end.writer, 1);
  wait_writer();
  pthread_mutex_lock(&end.lock);
  send_ping();
  pthread_mutex_unlock(&end.lock);
  while (!end.done) {
    sleep_until(now() + 20000000);
    pthread_mutex_lock(&end.lock);
    if (!end.done && now() - end.sent > 1000000000) {
      end.lost += end.number >= end.warmup;
      next();
    }
    pthread_mutex_unlock(&end.lock);
  }
  if (server)
    serve_stop(server);
  dds_delete(participant);
  unsigned long long sent = end.total - end.warmup;
  printf("{\"sent\":%llu,\"received\":%llu,\"duplicates\":%llu", sent, sent - (unsigned long long)end.lost, (unsigned long long)end.duplicates);
  histogram_print("latency", end.latency);
  histogram_print("forth", end.forth);
  histogram_print("back", end.back);
  puts("}");
}

void pong(void) {
  dds_entity_t participant = participant_new();
  struct server *server = open_end(participant, "rt/bench/ping", "rt/bench/pong", got_ping);
  wait_end();
  if (server)
    serve_stop(server);
  dds_delete(participant);
  puts("{}");
}
