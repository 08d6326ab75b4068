#include "messages.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "dds/ddsrt/log.h"
#include "dds/version.h"
#include "sample.h"

static char text[4096];

#if DDS_VERSION_MAJOR < 11

static size_t used;
static pthread_t listener;

/* Whoever sends garbage would otherwise have a line printed for each packet. */
enum { LINES = 20 }; /* a second */

static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;
static int64_t second;
static unsigned lines;

/* Messages come whole, one a call; the line feed behind is not counted. */
static void print(void *arg, const dds_log_data_t *data)
{
  (void)arg;
  const int64_t now = pn_monotonic() / 1000000000;
  pthread_mutex_lock(&printing);
  if (now != second) {
    if (lines > LINES)
      fprintf(stderr, "%u more messages of Cyclone DDS within a second were left out\n", lines - LINES);
    second = now;
    lines = 0;
  }
  if (++lines <= LINES)
    fwrite(data->message - data->hdrsize, 1, data->hdrsize + data->size + 1, stderr);
  pthread_mutex_unlock(&printing);
}

static void collect(void *arg, const dds_log_data_t *data)
{
  if (!pthread_equal(pthread_self(), listener)) {
    print(arg, data);
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
  dds_set_log_sink(on ? collect : print, NULL);
  return text;
}

#else

const char *pn_listen(int on)
{
  (void)on;
  return text;
}

#endif
