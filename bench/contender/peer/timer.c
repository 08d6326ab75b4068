#include "bench.h"

#include <pthread.h>
#include <stdlib.h>

// Wake-ups that are later than this are told one by one, up to as many.
enum { STALL_NS = 1000000, MAX_STALLS = 10000 };

struct stall { int64_t at, ns; };

struct schedule {
  int64_t period;
  uint64_t warmup, count; // wake-ups; of a probe count is 0
  uint64_t late;          // by a tenth of the period
  struct histogram *lag;
  struct stall stalls[MAX_STALLS];
  int n;
};

static volatile bool ended;

// Sleeps until absolute times, as a control loop does, at least once. Periods that have passed meanwhile are
// left out.
static void *run(void *arg) {
  struct schedule *s = arg;
  schedule_self(0);
  int64_t due = now() + s->period;
  for (uint64_t i = 0; (i == 0 || !ended) && (s->count == 0 || i < s->warmup + s->count); i++, due += s->period) {
    sleep_until(due);
    int64_t lag = now() - due;
    if (i >= s->warmup) {
      histogram_record(s->lag, lag);
      s->late += lag > s->period / 10;
      if (lag > STALL_NS && s->n < MAX_STALLS)
        s->stalls[s->n++] = (struct stall){due, lag};
    }
    due += lag / s->period * s->period;
  }
  return NULL;
}

static void wake(bool probe) {
  static struct schedule s;
  s.period = 1e9 / config_number("rate_hz", 1000);
  s.warmup = probe ? 0 : config_number("warmup", 0);
  s.count = probe ? 0 : config_number("count", 1000);
  s.lag = histogram_new();
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, &s))
    fail("create thread");
  if (probe) {
    wait_end();
    ended = true;
  }
  pthread_join(thread, NULL);
  printf("{\"sent\":%llu,\"late\":%llu,\"stalls\":[", (unsigned long long)s.count, (unsigned long long)s.late);
  for (int i = 0; i < s.n; i++)
    printf("%s{\"at\":%lld,\"ns\":%lld}", i ? "," : "", (long long)s.stalls[i].at, (long long)s.stalls[i].ns);
  printf("]");
  histogram_print("latency", s.lag);
  puts("}");
}

void timer(void) { wake(false); }
void stalls(void) { wake(true); }
