#include "bench.h"

#include <dirent.h>
#include <errno.h>
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

static void schedule(pid_t thread, int below) {
  cpu_set_t set;
  CPU_ZERO(&set);
  char list[256], *rest = list;
  snprintf(list, sizeof list, "%s", config_text("cpus", ""));
  for (const char *cpu; (cpu = strsep(&rest, ",")) != NULL;)
    if (*cpu)
      CPU_SET(atoi(cpu), &set);
  if (CPU_COUNT(&set) > 0)
    sched_setaffinity(thread, sizeof set, &set);
  struct sched_param param = {.sched_priority = (int)config_number("priority", 0) - below};
  if (config_is("policy", "fifo"))
    sched_setscheduler(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
}

void schedule_self(int below) { schedule(0, below); }

// Cyclone names the thread that receives data recvUC, or recv where there is one for everything.
static bool receives(const char *thread) {
  char path[64], name[32] = "";
  snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", thread);
  FILE *f = fopen(path, "r");
  if (f == NULL)
    return false;
  bool known = fgets(name, sizeof name, f) != NULL && (strcmp(name, "recvUC\n") == 0 || strcmp(name, "recv\n") == 0);
  fclose(f);
  return known;
}

void schedule_receiver(int below) {
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL)
    fail("/proc/self/task: %s", strerror(errno));
  for (struct dirent *e; (e = readdir(threads)) != NULL;)
    if (receives(e->d_name))
      schedule(atoi(e->d_name), below);
  closedir(threads);
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
