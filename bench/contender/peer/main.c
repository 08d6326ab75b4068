// The C contender: one JSON configuration in a line on standard input, one JSON result on standard
// output. A subscriber, a pong and the probe for stalls end when standard input does.
#include "bench.h"

#include <string.h>

int main(void) {
  static const struct { const char *name; void (*run)(void); } roles[] = {
    {"publisher", publisher}, {"subscriber", subscriber}, {"ping", ping}, {"pong", pong},
    {"timer", timer}, {"stalls", stalls},
  };
  config_read(stdin);
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    if (config_is("role", roles[i].name)) {
      roles[i].run();
      return 0;
    }
  fail("unknown role %s", config_text("role", "(none)"));
}
