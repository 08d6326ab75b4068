#include "bench.h"

#include <stdlib.h>

struct tracker tracker_new(uint64_t n) { return (struct tracker){.n = n, .seen = calloc(n / 8 + 1, 1)}; }

bool tracker_arrived(struct tracker *t, uint64_t i) {
  if (i >= t->n)
    return false;
  uint8_t bit = 1 << i % 8;
  if (t->seen[i / 8] & bit) {
    t->duplicates++;
    return false;
  }
  t->seen[i / 8] |= bit;
  if (t->received++ == 0)
    t->first = i;
  t->out_of_order += i < t->next;
  if (i >= t->next)
    t->next = i + 1;
  return true;
}
