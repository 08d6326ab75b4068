#include "bench.h"

#include <stdlib.h>

// Values below 2048 have buckets of their own, each further power of two has 2048.
enum { SUB_BITS = 11, TOP_BITS = 36, BUCKETS = (TOP_BITS - SUB_BITS + 1) << SUB_BITS };

struct histogram { uint64_t count[BUCKETS]; };

struct histogram *histogram_new(void) { return calloc(1, sizeof(struct histogram)); }

static int shift_of(uint64_t v) { return v >> (SUB_BITS + 1) ? 63 - __builtin_clzll(v) - SUB_BITS : 0; }

void histogram_record(struct histogram *h, int64_t ns) {
  const int64_t longest = INT64_C(60000000000);
  uint64_t v = ns < 0 ? 0 : ns > longest ? longest : ns;
  int shift = shift_of(v);
  h->count[(shift << SUB_BITS) + (v >> shift)]++;
}

void histogram_print(const char *key, const struct histogram *h) {
  printf(",\"%s\":[", key);
  const char *comma = "";
  for (int i = 0; i < BUCKETS; i++) {
    if (!h->count[i])
      continue;
    int shift = i >> SUB_BITS ? (i >> SUB_BITS) - 1 : 0;
    uint64_t low = (uint64_t)(i - (shift << SUB_BITS)) << shift;
    printf("%s[%llu,%llu]", comma, (unsigned long long)(low + (UINT64_C(1) << shift) / 2), (unsigned long long)h->count[i]);
    comma = ",";
  }
  putchar(']');
}
