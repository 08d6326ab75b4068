#ifndef PINION_MESSAGES_H
#define PINION_MESSAGES_H

struct ddsi_domaingv;

/*
 * Begins or ends to collect what Cyclone DDS logs on the calling thread, and returns what there is, in
 * lines; what does not fit is cut off. Only one thread at a time may be between beginning and end, and
 * the text is its until the next beginning. Other threads log on standard error, as all do before and
 * afterwards, at most 20 lines a second, without those that mean nothing. Cyclone DDS 11 declares
 * dds_set_log_sink but does not export it: nothing is collected there.
 */
const char *pn_listen(int on);

/* Has a domain log so where pn_listen does not, with Cyclone DDS 11. */
void pn_limit_messages(struct ddsi_domaingv *gv);

#endif
