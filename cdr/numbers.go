package cdr

import (
	"encoding/binary"
	"unsafe"
)

// Number is a type that goes over the wire as its bytes, in arrays and sequences at once.
type Number interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// bytesOf returns the memory of s.
func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

// From 1 MiB on, copy of the Go runtime writes past the caches of the processor. What is encoded is
// sent at once and what is decoded is read, so it is copied in parts that stay below.
const maxCopy = 1 << 19

// copyBytes copies src to dst, which is at least as long.
func copyBytes(dst, src []byte) {
	for len(src) > maxCopy {
		copy(dst, src[:maxCopy])
		dst, src = dst[maxCopy:], src[maxCopy:]
	}
	copy(dst, src)
}

// Put stores the numbers of an array in a run of the encoder.
func Put[T Number](b []byte, s []T) {
	if wireOrder || unsafe.Sizeof(*new(T)) == 1 {
		copy(b, bytesOf(s))
		return
	}
	putEach(b, s)
}

// Get loads the numbers of an array from a run of the decoder.
func Get[T Number](s []T, b []byte) {
	if wireOrder || unsafe.Sizeof(*new(T)) == 1 {
		copy(bytesOf(s), b)
		return
	}
	getEach(s, b)
}

// putEach is Put for machines of either byte order.
func putEach[T Number](b []byte, s []T) {
	size := int(unsafe.Sizeof(*new(T)))
	for i := range s {
		p, b := unsafe.Pointer(&s[i]), b[i*size:]
		switch size {
		case 1:
			b[0] = *(*uint8)(p)
		case 2:
			binary.LittleEndian.PutUint16(b, *(*uint16)(p))
		case 4:
			binary.LittleEndian.PutUint32(b, *(*uint32)(p))
		case 8:
			binary.LittleEndian.PutUint64(b, *(*uint64)(p))
		}
	}
}

// getEach is Get for machines of either byte order.
func getEach[T Number](s []T, b []byte) {
	size := int(unsafe.Sizeof(*new(T)))
	for i := range s {
		p, b := unsafe.Pointer(&s[i]), b[i*size:]
		switch size {
		case 1:
			*(*uint8)(p) = b[0]
		case 2:
			*(*uint16)(p) = binary.LittleEndian.Uint16(b)
		case 4:
			*(*uint32)(p) = binary.LittleEndian.Uint32(b)
		case 8:
			*(*uint64)(p) = binary.LittleEndian.Uint64(b)
		}
	}
}

// PutBools stores the bools of an array in a run of the encoder.
func PutBools(b []byte, s []bool) { copy(b, bytesOf(s)) }

// GetBools loads the bools of an array from a run of the decoder.
func GetBools(s []bool, b []byte) {
	for i := range s {
		s[i] = b[i] != 0
	}
}

// EncodeNumbers appends a sequence of numbers: their count and the numbers, by one copy where the
// machine is little endian.
func EncodeNumbers[T Number](e *Encoder, s []T) {
	e.Count(len(s))
	if len(s) == 0 {
		return
	}
	size := int(unsafe.Sizeof(*new(T)))
	b := e.fixed(size, len(s)*size)
	switch {
	case len(b) == 0:
	case wireOrder:
		copyBytes(b, bytesOf(s))
	default:
		putEach(b, s)
	}
}

// EncodeBools appends a sequence of bools.
func EncodeBools(e *Encoder, s []bool) {
	e.Count(len(s))
	if b := e.Fixed1(len(s)); len(b) > 0 {
		PutBools(b, s)
	}
}

// DecodeNumbers reads a sequence of at most bound numbers into p. A view decoder lets *p alias the
// data if it can; in all other cases the numbers are copied, into the memory of *p if that was
// allocated by an earlier decoding and is large enough.
func DecodeNumbers[T Number](d *Decoder, field string, p *[]T, bound int) {
	size := int(unsafe.Sizeof(*new(T)))
	n := d.Count(field, bound, size)
	b := d.elements(field, size, n, size)
	switch {
	case d.Failed():
	case n > 0 && d.view && alias(d, p, b, size):
	default:
		*p = Resize(*p, n)
		if wireOrder {
			copyBytes(bytesOf(*p), b)
		} else {
			getEach(*p, b)
		}
		if d.big {
			reverse(bytesOf(*p), size)
		}
	}
}

// DecodeBools reads a sequence of at most bound bools into p. It always copies, for only 0 and 1
// are bools in memory.
func DecodeBools(d *Decoder, field string, p *[]bool, bound int) {
	n := d.Count(field, bound, 1)
	if b := d.elements(field, 1, n, 1); !d.Failed() {
		*p = Resize(*p, n)
		GetBools(*p, b)
	}
}
