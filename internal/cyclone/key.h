#ifndef PINION_KEY_H
#define PINION_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the elements of a step are. */
enum {
  PN_KEY_NUMBERS,
  PN_KEY_STRINGS,
  PN_KEY_WSTRINGS,
  PN_KEY_STRUCTS,
};

/*
 * A key program tells where in an encoded message the members of its key are: the parts of the message
 * in their order, up to the last member. A part is count elements of one kind, or as many as a number
 * in front of them says where count is 0. The body of structs are the steps that follow.
 */
typedef struct pn_key_step {
  uint32_t kind;
  uint32_t key;   /* numbers: they are members; structs: there are members in them */
  uint32_t width; /* numbers: bytes of each, and its alignment */
  uint32_t count;
  uint32_t body;  /* structs: steps */
} pn_key_step;

/* Bytes of the key, which is the same for all messages. */
size_t pn_key_size(const pn_key_step *steps, uint32_t n);

/*
 * Writes the key: the members in big-endian CDR. payload is encapsulation header and body, of the message
 * or, with alone, of its members only. False where payload ends too early.
 */
bool pn_key_read(const pn_key_step *steps, uint32_t n, const unsigned char *payload, size_t size, bool alone, unsigned char *key);

#endif
