#include "key.h"

#include <string.h>

typedef struct walker {
  const unsigned char *body; /* NULL to count only */
  size_t size, off;
  bool swap;           /* body is not big-endian */
  bool alone;          /* body has members of the key only */
  unsigned char *key;  /* NULL to count only */
  size_t key_off;
} walker;

static size_t align(size_t off, size_t width) { return (off + width - 1) & ~(width - 1); }

/* Passes over bytes in units of width. Where there are none, nothing is aligned. */
static bool take(walker *w, size_t width, uint64_t bytes)
{
  if (bytes == 0)
    return true;
  size_t off = align(w->off, width);
  if (off > w->size || bytes > w->size - off)
    return false;
  w->off = off + (size_t)bytes;
  return true;
}

static bool number(walker *w, uint32_t *n)
{
  if (!take(w, 4, 4))
    return false;
  const unsigned char *p = w->body + w->off - 4;
  *n = w->swap ? (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0]
               : (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
  return true;
}

/* Appends the numbers that the walker has just passed. */
static void append(walker *w, size_t width, size_t bytes)
{
  w->key_off = align(w->key_off, width);
  if (w->key != NULL) {
    const unsigned char *from = w->body + w->off - bytes;
    unsigned char *to = w->key + w->key_off;
    for (size_t i = 0; i < bytes; i++)
      to[i] = w->swap ? from[i - i % width + width - 1 - i % width] : from[i];
  }
  w->key_off += bytes;
}

static bool numbers(walker *w, const pn_key_step *s, uint32_t count)
{
  const uint64_t bytes = (uint64_t)count * s->width;
  if (w->body != NULL && !take(w, s->width, bytes))
    return false;
  if (s->key)
    append(w, s->width, (size_t)bytes);
  return true;
}

static bool texts(walker *w, uint32_t count, uint32_t width)
{
  for (uint32_t n; count > 0; count--)
    if (!number(w, &n) || !take(w, 1, (uint64_t)n * width))
      return false;
  return true;
}

static bool walk(walker *w, const pn_key_step *steps, uint32_t n);

static bool structs(walker *w, const pn_key_step *s, uint32_t count)
{
  for (; count > 0; count--) {
    const size_t before = w->off;
    if (!walk(w, s + 1, s->body))
      return false;
    if (w->off == before && !w->alone && w->body != NULL)
      return false; /* every struct has a byte; a count of nothing must not keep us */
  }
  return true;
}

static bool walk(walker *w, const pn_key_step *steps, uint32_t n)
{
  for (const pn_key_step *s = steps; s < steps + n; s += 1 + s->body) {
    uint32_t count = s->count;
    if (!s->key && (w->alone || w->body == NULL))
      continue;
    if (count == 0 && !number(w, &count))
      return false;
    bool ok = false;
    switch (s->kind) {
    case PN_KEY_NUMBERS: ok = numbers(w, s, count); break;
    case PN_KEY_STRINGS: ok = texts(w, count, 1); break;
    case PN_KEY_WSTRINGS: ok = texts(w, count, 4); break;
    case PN_KEY_STRUCTS: ok = structs(w, s, count); break;
    }
    if (!ok)
      return false;
  }
  return true;
}

size_t pn_key_size(const pn_key_step *steps, uint32_t n)
{
  walker w = {0};
  walk(&w, steps, n);
  return w.key_off;
}

bool pn_key_read(const pn_key_step *steps, uint32_t n, const unsigned char *payload, size_t size, bool alone, unsigned char *key)
{
  if (size < 4)
    return false;
  walker w = {.body = payload + 4, .size = size - 4, .swap = payload[1] & 1, .alone = alone, .key = key};
  memset(key, 0, pn_key_size(steps, n));
  return walk(&w, steps, n);
}
