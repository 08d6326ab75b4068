package cdr

import (
	"errors"
	"strconv"
	"strings"
)

// Faults that encoding and decoding report, wrapped in an *Error. Besides these, data that ends
// too early is io.ErrUnexpectedEOF, and a buffer without enough room is io.ErrShortBuffer.
var (
	// ErrBound tells that a string or sequence is longer than its type allows.
	ErrBound = errors.New("bound exceeded")
	// ErrInvalid tells that the data cannot be XCDR1 of the type, or that a value has no encoding.
	ErrInvalid = errors.New("invalid")
)

// Error tells which field of which type could not be encoded or decoded.
type Error struct {
	Type string // ROS name of the message that was encoded or decoded
	// Field is the path from that message: "points[3].name". It is empty for the message as a
	// whole, and "first to last" where data ends within members that are read together.
	Field  string
	Offset int   // bytes from the end of the encapsulation header, -1 where there is none
	Err    error // the fault
}

// Error returns "type: field: fault (at byte offset)".
func (e *Error) Error() string {
	var b strings.Builder
	for _, s := range [...]string{e.Type, e.Field} {
		if s != "" {
			b.WriteString(s)
			b.WriteString(": ")
		}
	}
	b.WriteString(e.Err.Error())
	if e.Offset >= 0 {
		b.WriteString(" (at byte ")
		b.WriteString(strconv.Itoa(e.Offset))
		b.WriteString(" of the body)")
	}
	return b.String()
}

// Unwrap returns the fault.
func (e *Error) Unwrap() error { return e.Err }

// within puts the name of the enclosing field in front of the path.
func (e *Error) within(field string) {
	switch {
	case e.Field == "":
		e.Field = field
	case strings.HasPrefix(e.Field, "["):
		e.Field = field + e.Field
	default:
		e.Field = field + "." + e.Field
	}
}

// element returns the path of element i of a field.
func element(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }
