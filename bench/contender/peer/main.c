// The C contender: one JSON configuration in a line on standard input, one JSON result on standard
// output. A subscriber and a pong end when standard input does.
#include "bench.h"

#include <string.h>

int main(void) {
  static const struct { const char *name; void (*run)(void); } roles[] = {
    {"publisher", publisher}, {"subscriber", subscriber}, {"ping", ping}, {"pong", pong},
  };
  config_read(stdin);
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    if (config_is("role", roles[i].name)) {
      roles[i].run();
      return 0;
    }
  fail("unknown role %s", config_text("role", "(none)"));
}
