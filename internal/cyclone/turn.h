#ifndef PINION_TURN_H
#define PINION_TURN_H

#include <stdbool.h>

/* What the inline readers of a domain instance share, so that they deliver one at a time. */
typedef struct pn_turn pn_turn;

pn_turn *pn_turn_new(void); /* with one reference */
pn_turn *pn_turn_ref(pn_turn *t);
void pn_turn_unref(pn_turn *t);

/* Before it is taken for the first time; false if there is no thread to be had. */
bool pn_turn_prepare(pn_turn *t);
void pn_turn_take(pn_turn *t);
void pn_turn_give(pn_turn *t);

/* The one that the calling thread has taken, or NULL. */
pn_turn *pn_turn_taken(void);

/* The internals of the domain instance whose memory is kept for the thread that has the turn. */
const void *pn_turn_kept(const pn_turn *t);

#endif
