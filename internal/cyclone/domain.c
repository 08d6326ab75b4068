#include "domain.h"

#include "dds/ddsi/ddsi_domaingv.h"

#include "messages.h"
#include "names.h"

dds_entity_t pn_domain_new(dds_domainid_t id, const char *config, struct ddsi_domaingv **gv)
{
  *gv = NULL;
  dds_entity_t domain = dds_create_domain(id, config);
  if (domain < 0)
    return domain;
  /* Cyclone DDS notes for each thread the domain that it used last. */
  struct ddsi_domaingv *last = ddsrt_atomic_ldvoidp(&ddsi_lookup_thread_state()->gv);
  if (last != NULL && last->config.domainId == id) {
    /* What finds the domain by its id has a copy. From here on only checks of permissions use this one, and there are none yet. */
    last->config.domainId = last->config.extDomainId.value;
    *gv = last;
    pn_limit_messages(last);
  }
  return domain;
}
