package cdr

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
	"unsafe"
)

// Decoder reads the members of a message one after the other from XCDR1 of either byte order.
// The methods take the name of the field for the error text. The first fault sticks; after it
// every method returns zero values and leaves what it was to fill as it is. A decoder serves one
// goroutine at a time and does not write to the data.
type Decoder struct {
	buf     []byte // the body; empty after a fault, so that nothing is left to read
	off     int
	err     *Error
	big     bool   // the data is big endian
	view    bool   // sequences of numbers may alias buf
	swapped []byte // little-endian copy of the last fixed run of big-endian data
	arena   []byte // room for the next short strings
	chunk   int    // size of the last arena
}

// Reset makes d read data, which begins with the encapsulation header. Data that is shorter than
// the header or in another representation than plain XCDR1 is a fault. Bytes behind the message
// do not matter: the network pads payloads to multiples of 4.
//
// With view, sequences of numbers and of structs of numbers alias data where its byte order and
// alignment allow, so what is decoded is valid as long as data is. Data whose byte 4 lies at a
// multiple of 8 in memory has the right alignment for all types.
func (d *Decoder) Reset(data []byte, view bool) {
	*d = Decoder{view: view, swapped: d.swapped[:0]}
	if len(data) < HeaderSize {
		d.Fail("", fmt.Errorf("%w: %d bytes where the encapsulation header has %d", io.ErrUnexpectedEOF, len(data), HeaderSize))
		return
	}
	switch id := binary.BigEndian.Uint16(data); id {
	case 0:
		d.big = true
	case 1:
	default:
		d.Fail("", fmt.Errorf("%w: representation %#04x is neither 0x0000 (CDR, big endian) nor 0x0001 (little)", ErrInvalid, id))
		return
	}
	d.buf = data[HeaderSize:]
}

// Offset returns how many bytes behind the encapsulation header have been read.
func (d *Decoder) Offset() int { return d.off }

// Failed tells whether there was a fault.
func (d *Decoder) Failed() bool { return d.err != nil }

// Err returns the first fault, an *Error, or nil.
func (d *Decoder) Err() error {
	if d.err == nil {
		return nil // not a nil *Error in an interface
	}
	return d.err
}

// Fail records a fault in the data of a field. Faults after the first are ignored.
func (d *Decoder) Fail(field string, err error) {
	if d.err == nil {
		d.err = &Error{Field: field, Offset: d.off, Err: err}
	}
	d.buf, d.off = nil, 0
}

// In completes the path of a fault that occurred in a member of the given field. The fault must not
// be older than the attempt to read the field.
func (d *Decoder) In(field string) { d.err.within(field) }

// InElement is In for element i of the given field.
func (d *Decoder) InElement(field string, i int) { d.err.within(element(field, i)) }

// short records that the data ends within a field.
func (d *Decoder) short(field string, need int) []byte {
	left := max(len(d.buf)-d.off, 0)
	d.Fail(field, fmt.Errorf("%w: %d bytes needed, %d left", io.ErrUnexpectedEOF, need, left))
	return nil
}

// Fixed1 returns the next n bytes, those of a run of numbers whose places relative to each other
// are known. The result is little endian, whatever the data is, and empty if less than n bytes are
// left. layout describes the run for the conversion: pairs of a width in bytes and a repetition,
// padding as width 1. The slice is valid until the next call of a method.
func (d *Decoder) Fixed1(field string, n int, layout string) []byte {
	return d.fixed(field, 1, n, layout)
}

// Fixed2 is Fixed1 at the next multiple of 2.
func (d *Decoder) Fixed2(field string, n int, layout string) []byte {
	return d.fixed(field, 2, n, layout)
}

// Fixed4 is Fixed1 at the next multiple of 4.
func (d *Decoder) Fixed4(field string, n int, layout string) []byte {
	return d.fixed(field, 4, n, layout)
}

// Fixed8 is Fixed1 at the next multiple of 8.
func (d *Decoder) Fixed8(field string, n int, layout string) []byte {
	return d.fixed(field, 8, n, layout)
}

func (d *Decoder) fixed(field string, align, n int, layout string) []byte {
	start := Align(d.off, align)
	end := start + n
	if end > len(d.buf) {
		return d.short(field, n)
	}
	d.off = end
	b := d.buf[start:end]
	if d.big {
		return d.swap(b, layout)
	}
	return b
}

// swap returns a copy of b with every number of the layout reversed.
func (d *Decoder) swap(b []byte, layout string) []byte {
	d.swapped = append(d.swapped[:0], b...)
	s := d.swapped
	for ; len(layout) >= 2; layout = layout[2:] {
		width, count := int(layout[0]), int(layout[1])
		reverse(s[:width*count], width)
		s = s[width*count:]
	}
	return d.swapped
}

// reverse reverses the byte order of every number in b. All have the same width.
func reverse(b []byte, width int) {
	switch width {
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			binary.LittleEndian.PutUint16(b, binary.BigEndian.Uint16(b))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			binary.LittleEndian.PutUint32(b, binary.BigEndian.Uint32(b))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			binary.LittleEndian.PutUint64(b, binary.BigEndian.Uint64(b))
		}
	}
}

// Bool reads a bool: any byte but zero is true.
func (d *Decoder) Bool(field string) bool { return d.Uint8(field) != 0 }

// Uint8 reads a uint8, byte or char.
func (d *Decoder) Uint8(field string) uint8 {
	if b := d.Fixed1(field, 1, ""); len(b) >= 1 {
		return b[0]
	}
	return 0
}

// Int8 reads an int8.
func (d *Decoder) Int8(field string) int8 { return int8(d.Uint8(field)) }

// Uint16 reads a uint16.
func (d *Decoder) Uint16(field string) uint16 {
	if b := d.Fixed2(field, 2, "\x02\x01"); len(b) >= 2 {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// Int16 reads an int16.
func (d *Decoder) Int16(field string) int16 { return int16(d.Uint16(field)) }

// Uint32 reads a uint32.
func (d *Decoder) Uint32(field string) uint32 {
	if b := d.Fixed4(field, 4, "\x04\x01"); len(b) >= 4 {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Int32 reads an int32.
func (d *Decoder) Int32(field string) int32 { return int32(d.Uint32(field)) }

// Uint64 reads a uint64.
func (d *Decoder) Uint64(field string) uint64 {
	if b := d.Fixed8(field, 8, "\x08\x01"); len(b) >= 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Int64 reads an int64.
func (d *Decoder) Int64(field string) int64 { return int64(d.Uint64(field)) }

// Float32 reads a float32.
func (d *Decoder) Float32(field string) float32 { return math.Float32frombits(d.Uint32(field)) }

// Float64 reads a float64.
func (d *Decoder) Float64(field string) float64 { return math.Float64frombits(d.Uint64(field)) }

// Unbounded stands for the bound of a string or sequence that has none.
const Unbounded = math.MaxInt

// Count reads the number of elements of a sequence. It fails if there are more than bound, or more
// than the rest of the data can hold when each takes at least size bytes.
func (d *Decoder) Count(field string, bound, size int) int {
	n := uint64(d.Uint32(field))
	if n > uint64(bound) {
		d.Fail(field, fmt.Errorf("%w: %d elements, at most %d", ErrBound, n, bound))
		return 0
	}
	if left := len(d.buf) - d.off; n > uint64(left/size) {
		d.Fail(field, fmt.Errorf("%w: %d elements of at least %d bytes, %d bytes left", io.ErrUnexpectedEOF, n, size, left))
		return 0
	}
	return int(n)
}

// String reads a string of at most bound code points into p. The result never aliases the data.
// A string that *p already holds is kept, which makes decoding into the same message again and
// again free of allocations. Short strings of one message share memory.
func (d *Decoder) String(field string, p *string, bound int) {
	b := d.Fixed4(field, 4, "\x04\x01")
	if len(b) < 4 {
		return
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if n <= 1 && (n == 0 || d.off < len(d.buf) && d.buf[d.off] == 0) {
		d.off += int(n)
		*p = ""
		return
	}
	text := d.text(field, n)
	if len(text) > bound {
		if n := utf8.RuneCount(text); n > bound {
			d.Fail(field, fmt.Errorf("%w: string of %d code points, at most %d", ErrBound, n, bound))
			return
		}
	}
	if len(text) > 0 && string(text) != *p {
		*p = d.keep(text)
	}
}

// text returns the n bytes of a string without the terminating NUL, and nil if there is none.
func (d *Decoder) text(field string, n uint64) []byte {
	left := d.buf[d.off:]
	if n > uint64(len(left)) {
		d.Fail(field, fmt.Errorf("%w: string of %d bytes, %d left", io.ErrUnexpectedEOF, n, len(left)))
		return nil
	}
	if left[n-1] != 0 {
		d.Fail(field, fmt.Errorf("%w: string of %d bytes does not end in NUL", ErrInvalid, n))
		return nil
	}
	d.off += int(n)
	return left[:n-1]
}

// The most that short strings of a message share: it bounds what one that is kept for long can
// hold back.
const maxChunk = 512

// keep returns a copy of b. The first string of a message gets memory of its own, those that
// follow share chunks of growing size, which saves most of the allocations of messages that are
// full of strings.
func (d *Decoder) keep(b []byte) string {
	if d.chunk == 0 || len(b) > maxChunk/4 {
		d.chunk = max(d.chunk, maxChunk/8)
		return string(b)
	}
	if len(b) > len(d.arena) {
		left := len(b) + len(d.buf) - d.off
		d.chunk = min(2*d.chunk, maxChunk)
		d.arena = make([]byte, min(d.chunk, left))
	}
	n := copy(d.arena, b)
	s := unsafe.String(&d.arena[0], n)
	d.arena = d.arena[n:]
	return s
}

// Strings reads len(s) strings into s.
func (d *Decoder) Strings(field string, s []string, bound int) {
	for i := 0; i < len(s) && !d.Failed(); i++ {
		if d.String("", &s[i], bound); d.Failed() {
			d.InElement(field, i)
		}
	}
}
