package cdr

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// HeaderSize is the length of the encapsulation header in front of every payload.
const HeaderSize = 4

// Align rounds the offset up to a multiple of align, a power of two.
func Align(off, align int) int { return (off + align - 1) &^ (align - 1) }

// Encoder writes the members of a message one after the other in little-endian XCDR1: every
// number at a multiple of its size, counted from the end of the encapsulation header, padding
// zero. It writes into a buffer of known length and never grows it. The first fault sticks, and
// everything after it is ignored. An encoder serves one goroutine at a time.
type Encoder struct {
	buf []byte // the body; empty after a fault, so that nothing fits any more
	off int
	err *Error
}

// Reset makes e write into buf, which gets the encapsulation header at once. The capacity of
// buf beyond its length is not used.
func (e *Encoder) Reset(buf []byte) {
	*e = Encoder{}
	if len(buf) < HeaderSize {
		e.full()
		return
	}
	copy(buf, header[:])
	e.buf = buf[HeaderSize:]
}

// header announces little-endian XCDR1 without options.
var header = [HeaderSize]byte{0, 1, 0, 0}

// Offset returns how many bytes have been written behind the encapsulation header.
func (e *Encoder) Offset() int { return e.off }

// Failed tells whether there was a fault.
func (e *Encoder) Failed() bool { return e.err != nil }

// Err returns the first fault, an *Error, or nil.
func (e *Encoder) Err() error {
	if e.err == nil {
		return nil // not a nil *Error in an interface
	}
	return e.err
}

// Fail records that the value of a field has no encoding. Faults after the first are ignored.
func (e *Encoder) Fail(field string, err error) {
	if e.err == nil {
		e.err = &Error{Field: field, Offset: -1, Err: err}
	}
	e.buf, e.off = nil, 0
}

// In completes the path of a fault that occurred in a member of the given field. The fault must not
// be older than the attempt to encode the field.
func (e *Encoder) In(field string) { e.err.within(field) }

// InElement is In for element i of the given field.
func (e *Encoder) InElement(field string, i int) { e.err.within(element(field, i)) }

// full records that the buffer is too small.
//
//go:noinline
func (e *Encoder) full() []byte {
	e.Fail("", io.ErrShortBuffer)
	return nil
}

// CheckLen fails if a sequence of n elements exceeds its bound, and tells whether it does not.
func (e *Encoder) CheckLen(field string, n, bound int) bool {
	if n <= bound {
		return true
	}
	e.Fail(field, fmt.Errorf("%w: %d elements, at most %d", ErrBound, n, bound))
	return false
}

// CheckString fails if s is longer than bound, and tells whether it is not. The unit is the code
// point, as in the .msg format, where each byte that is not UTF-8 counts as one. Plain DDS
// programs count bytes instead.
func (e *Encoder) CheckString(field, s string, bound int) bool {
	if len(s) <= bound {
		return true
	}
	n := utf8.RuneCountInString(s)
	if n <= bound {
		return true
	}
	e.Fail(field, fmt.Errorf("%w: string of %d code points, at most %d", ErrBound, n, bound))
	return false
}

// Fixed1 returns the next n bytes of the body for the caller to fill, all of them, with padding
// as zero. The result is empty if they do not fit. The slice is valid until Reset.
func (e *Encoder) Fixed1(n int) []byte {
	end := e.off + n
	if end > len(e.buf) {
		return e.full()
	}
	b := e.buf[e.off:end]
	e.off = end
	return b
}

// Fixed2 is Fixed1 at the next multiple of 2. n is at least 2.
func (e *Encoder) Fixed2(n int) []byte { return e.fixed(2, n) }

// Fixed4 is Fixed1 at the next multiple of 4. n is at least 4.
func (e *Encoder) Fixed4(n int) []byte { return e.fixed(4, n) }

// Fixed8 is Fixed1 at the next multiple of 8. n is at least 8.
func (e *Encoder) Fixed8(n int) []byte { return e.fixed(8, n) }

// fixed returns n bytes at the next multiple of align and clears the padding in front.
func (e *Encoder) fixed(align, n int) []byte {
	start := Align(e.off, align)
	end := start + n
	if end > len(e.buf) {
		return e.full()
	}
	for i := e.off; i < start; i++ {
		e.buf[i] = 0
	}
	e.off = end
	return e.buf[start:end]
}

// Bool appends a bool as one byte, 0 or 1.
func (e *Encoder) Bool(v bool) { e.Uint8(BoolByte(v)) }

// BoolByte returns v as it goes over the wire.
func BoolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// Uint8 appends a uint8, byte or char.
func (e *Encoder) Uint8(v uint8) {
	if b := e.Fixed1(1); len(b) >= 1 {
		b[0] = v
	}
}

// Int8 appends an int8.
func (e *Encoder) Int8(v int8) { e.Uint8(uint8(v)) }

// Uint16 appends a uint16.
func (e *Encoder) Uint16(v uint16) {
	if b := e.Fixed2(2); len(b) >= 2 {
		binary.LittleEndian.PutUint16(b, v)
	}
}

// Int16 appends an int16.
func (e *Encoder) Int16(v int16) { e.Uint16(uint16(v)) }

// Uint32 appends a uint32.
func (e *Encoder) Uint32(v uint32) {
	if b := e.Fixed4(4); len(b) >= 4 {
		binary.LittleEndian.PutUint32(b, v)
	}
}

// Int32 appends an int32.
func (e *Encoder) Int32(v int32) { e.Uint32(uint32(v)) }

// Uint64 appends a uint64.
func (e *Encoder) Uint64(v uint64) {
	if b := e.Fixed8(8); len(b) >= 8 {
		binary.LittleEndian.PutUint64(b, v)
	}
}

// Int64 appends an int64.
func (e *Encoder) Int64(v int64) { e.Uint64(uint64(v)) }

// Float32 appends a float32.
func (e *Encoder) Float32(v float32) { e.Uint32(math.Float32bits(v)) }

// Float64 appends a float64.
func (e *Encoder) Float64(v float64) { e.Uint64(math.Float64bits(v)) }

// Count appends the number of elements of a sequence. The elements follow; where there are none
// nothing follows, no padding either.
func (e *Encoder) Count(n int) {
	if uint64(n) > math.MaxUint32 {
		e.Fail("", fmt.Errorf("%w: %d elements do not fit the count of 32 bits", ErrBound, n))
		return
	}
	e.Uint32(uint32(n))
}

// String appends a string: its length with the terminating NUL, its bytes as they are, the NUL.
func (e *Encoder) String(s string) {
	n := len(s) + 1
	if uint64(n) > math.MaxUint32 {
		e.Fail("", fmt.Errorf("%w: string of %d bytes does not fit the length of 32 bits", ErrBound, len(s)))
		return
	}
	b := e.Fixed4(4 + n)
	if len(b) < 5 {
		return
	}
	binary.LittleEndian.PutUint32(b, uint32(n))
	copy(b[4:], s)
	b[len(b)-1] = 0
}

// Strings appends the elements of a sequence or array of strings, without a count.
func (e *Encoder) Strings(s []string) {
	for _, v := range s {
		e.String(v)
	}
}

// BoundedStrings is Strings for strings of at most bound code points.
func (e *Encoder) BoundedStrings(field string, s []string, bound int) {
	for i := 0; i < len(s) && !e.Failed(); i++ {
		if !e.CheckString("", s[i], bound) {
			e.InElement(field, i)
			return
		}
		e.String(s[i])
	}
}
