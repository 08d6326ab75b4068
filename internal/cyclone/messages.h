#ifndef PINION_MESSAGES_H
#define PINION_MESSAGES_H

/*
 * Begins or ends to collect what Cyclone DDS logs on the calling thread, and returns what there is, in
 * lines; what does not fit is cut off. Only one thread at a time may be between beginning and end, and
 * the text is its until the next beginning. Other threads log as ever, on standard error. Cyclone DDS 11
 * declares dds_set_log_sink but does not export it: nothing is collected there.
 */
const char *pn_listen(int on);

#endif
