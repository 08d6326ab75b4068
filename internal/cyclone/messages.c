#define _GNU_SOURCE /* fopencookie, memmem */
#include "messages.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "dds/ddsi/ddsi_domaingv.h"
#include "dds/ddsrt/log.h"
#include "dds/version.h"
#include "sample.h"

static char text[4096];

/* Whoever sends garbage would otherwise have a line printed for each packet. */
enum { LINES = 20 }; /* a second */

static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;
static int64_t second;
static unsigned lines;

static bool has(const char *message, size_t size, const char *words)
{
  return memmem(message, size, words, strlen(words)) != NULL;
}

/*
 * Cyclone DDS calls a remote participant not allowed if no local one matches it: one that does not has had
 * a message of its own just before, which says why. Alone the words mean that there is no local one, not
 * yet or no more, as when processes start together.
 */
static bool needless(const char *message, size_t size)
{
  return has(message, size, "Remote secure participant ") && has(message, size, " not allowed\n");
}

/* Messages come whole, one a call. */
static void print(const char *message, size_t size)
{
  if (needless(message, size))
    return;
  const int64_t now = pn_monotonic() / 1000000000;
  pthread_mutex_lock(&printing);
  if (now != second) {
    if (lines > LINES)
      fprintf(stderr, "%u more messages of Cyclone DDS within a second were left out\n", lines - LINES);
    second = now;
    lines = 0;
  }
  if (++lines <= LINES)
    fwrite(message, 1, size, stderr);
  pthread_mutex_unlock(&printing);
}

#if DDS_VERSION_MAJOR < 11

static size_t used;
static pthread_t listener;

static void sink(void *arg, const dds_log_data_t *data)
{
  (void)arg;
  print(data->message - data->hdrsize, data->hdrsize + data->size + 1); /* with the line feed */
}

static void collect(void *arg, const dds_log_data_t *data)
{
  if (!pthread_equal(pthread_self(), listener)) {
    sink(arg, data);
    return;
  }
  if (used + 2 >= sizeof text)
    return;
  size_t left = sizeof text - used - 2;
  size_t n = data->size < left ? data->size : left;
  memcpy(text + used, data->message, n);
  used += n;
  text[used++] = '\n';
  text[used] = 0;
}

const char *pn_listen(int on)
{
  if (on) {
    used = 0;
    text[0] = 0;
    listener = pthread_self();
  }
  dds_set_log_sink(on ? collect : sink, NULL);
  return text;
}

void pn_limit_messages(struct ddsi_domaingv *gv) { (void)gv; }

#else

const char *pn_listen(int on)
{
  (void)on;
  return text;
}

static ssize_t write_limited(void *cookie, const char *data, size_t size)
{
  (void)cookie;
  print(data, size);
  return (ssize_t)size;
}

static FILE *limited;

static void open_limited(void)
{
  limited = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_limited});
  if (limited != NULL)
    setvbuf(limited, NULL, _IONBF, 0); /* each message is one call */
}

/* A domain's log begins with the file that it goes to, which was standard error when the domain was made. */
void pn_limit_messages(struct ddsi_domaingv *gv)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_limited);
  if (limited != NULL && gv->logconfig.u.ptr == stderr)
    __atomic_store_n(&gv->logconfig.u.ptr, limited, __ATOMIC_RELAXED);
}

#endif
