#ifndef PINION_HOT_H
#define PINION_HOT_H

/*
 * For what runs with every message. In between the processor forgets which pages there are, and each that
 * the code is on costs time again; the linker puts the functions marked so side by side.
 */
#define PN_HOT __attribute__((hot))

#endif
