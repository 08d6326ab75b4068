package cyclone

// #include "turn.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// A turn lets the inline readers of a domain instance deliver one at a time. They keep what it stands for
// in C as long as they need it.
type turn struct{ c *C.pn_turn }

func newTurn() (*turn, error) {
	c := C.pn_turn_new()
	if c == nil {
		return nil, ErrOutOfResources
	}
	t := &turn{c}
	runtime.AddCleanup(t, func(c *C.pn_turn) { C.pn_turn_unref(c) }, c)
	return t, nil
}

// Delivering tells whether the calling thread is in a Deliver function.
func Delivering() bool { return C.pn_turn_taken() != nil }

// Delivering tells whether that is for a reader of the participant's domain instance.
func (p *Participant) Delivering() bool { return C.pn_turn_taken() == p.turn.c }

// kept is pn_turn_kept, for a Deliver function of the turn.
func (t *turn) kept() unsafe.Pointer { return unsafe.Pointer(C.pn_turn_kept(t.c)) }
