#include "bench.h"

#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void sleep_until(int64_t at) {
  struct timespec t = {at / 1000000000, at % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0)
    ;
}

void burn(int64_t ns) {
  for (int64_t end = now() + ns; now() < end;)
    ;
}

void schedule_self(int below) {
  cpu_set_t set;
  CPU_ZERO(&set);
  char list[256], *rest = list;
  snprintf(list, sizeof list, "%s", config_text("cpus", ""));
  for (const char *cpu; (cpu = strsep(&rest, ",")) != NULL;)
    if (*cpu)
      CPU_SET(atoi(cpu), &set);
  if (CPU_COUNT(&set) > 0)
    sched_setaffinity(0, sizeof set, &set);
  struct sched_param param = {.sched_priority = (int)config_number("priority", 0) - below};
  if (config_is("policy", "fifo"))
    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
}

void fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  exit(1);
}

int32_t checked(int32_t result, const char *what) {
  if (result < 0)
    fail("%s: %s", what, dds_strretcode(-result));
  return result;
}
