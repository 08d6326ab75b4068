#include "domain.h"

#include <string.h>

#include "dds/ddsrt/log.h"
#include "dds/version.h"

#if DDS_VERSION_MAJOR < 11

typedef struct text {
  char *end;
  size_t left;
} text;

/* Messages come whole, one a call and never two at a time; the line feed behind is not counted. */
static void collect(void *arg, const dds_log_data_t *data)
{
  text *t = arg;
  if (t->left <= 2)
    return;
  size_t n = data->size < t->left - 2 ? data->size : t->left - 2;
  memcpy(t->end, data->message, n);
  t->end[n] = '\n';
  t->end[n + 1] = 0;
  t->end += n + 1;
  t->left -= n + 1;
}

dds_entity_t pn_domain_new(dds_domainid_t id, const char *config, char *messages, size_t size)
{
  text t = {messages, size};
  *messages = 0;
  dds_set_log_sink(collect, &t);
  dds_entity_t domain = dds_create_domain(id, config);
  dds_set_log_sink(NULL, NULL);
  return domain;
}

#else

/* Cyclone DDS 11 declares dds_set_log_sink but does not export it. */
dds_entity_t pn_domain_new(dds_domainid_t id, const char *config, char *messages, size_t size)
{
  *messages = 0;
  dds_entity_t domain = dds_create_domain(id, config);
  if (domain < 0)
    strncat(messages, "what Cyclone DDS says is on standard error", size - 1);
  return domain;
}

#endif
