#ifndef PINION_TIMERSLACK_H
#define PINION_TIMERSLACK_H

/*
 * Sets the timer slack of a thread of this process to ns, unless that is 0, and reads it, in *ns. Returns 0 or an errno:
 * ETIMEDOUT where the thread does not answer within a second. For one caller at a time.
 */
int pn_timerslack(int tid, unsigned long *ns);

#endif
