package cyclone

// #include "key.h"
import "C"

import "unsafe"

// KeyStep is a part of an encoded message: Count elements of one kind, or as many as a number in front
// of them says where Count is 0. The Body steps that follow one of structs are the parts of each. The
// steps of a type go up to the last member of its key.
type KeyStep struct {
	Kind  KeyKind
	Key   uint32 // 1 for numbers that are members of the key, and for structs that have some
	Width uint32 // of numbers, in bytes, and their alignment
	Count uint32
	Body  uint32
}

// KeyKind tells what the elements of a step are.
type KeyKind uint32

// The kinds of elements.
const (
	KeyNumbers  KeyKind = C.PN_KEY_NUMBERS
	KeyStrings  KeyKind = C.PN_KEY_STRINGS
	KeyWStrings KeyKind = C.PN_KEY_WSTRINGS
	KeyStructs  KeyKind = C.PN_KEY_STRUCTS
)

var _ [unsafe.Sizeof(KeyStep{}) - C.sizeof_pn_key_step]struct{}
var _ [C.sizeof_pn_key_step - unsafe.Sizeof(KeyStep{})]struct{}
