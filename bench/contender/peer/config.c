#include "bench.h"

#include <stdlib.h>
#include <string.h>

static char text[1 << 16];

void config_read(FILE *in) {
  if (!fgets(text, sizeof text, in))
    fail("no configuration on standard input");
}

// find returns the value of a key, which is text behind a colon.
static const char *find(const char *key) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *at = strstr(text, quoted);
  return at ? at + strlen(quoted) : NULL;
}

double config_number(const char *key, double otherwise) {
  const char *value = find(key);
  return value ? strtod(value, NULL) : otherwise;
}

const char *config_text(const char *key, const char *otherwise) {
  static _Thread_local char value[256];
  const char *at = find(key);
  if (!at || sscanf(at, "\"%255[^\"]\"", value) != 1)
    return otherwise;
  return value;
}

bool config_is(const char *key, const char *value) { return strcmp(config_text(key, ""), value) == 0; }

bool config_is_true(const char *key) {
  const char *value = find(key);
  return value && strncmp(value, "true", strlen("true")) == 0;
}
