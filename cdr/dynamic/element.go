package dynamic

import (
	"fmt"

	"github.com/pinion-ros/pinion/cdr"
)

// element handles single values. T is how messages store one.
type element[T any] interface {
	zero() T
	weight() int  // bytes that a value takes in memory when it is empty, about
	minSize() int // fewest bytes that a value takes on the wire
	size(off int, v T) int
	encode(e *cdr.Encoder, field string, v T)
	decode(d *cdr.Decoder, field string, p *T)

	// check tells whether the type allows v, convert makes a T of what is none.
	check(v T) error
	convert(v any) (T, error)
	parse(p *parser, n *Node) (T, error)
	equal(a, b T) bool
	clone(v T) T
}

// bulk is implemented by elements that handle all of a sequence at once.
type bulk[T any] interface {
	sizeAll(off int, s []T) int // without the count
	encodeAll(e *cdr.Encoder, s []T)
	decodeAll(d *cdr.Decoder, field string, p *[]T, bound int)
}

// primitive is the element for types of fixed width.
type primitive[T comparable] struct {
	width    int
	write    func(*cdr.Encoder, T)
	read     func(*cdr.Decoder, string) T
	writeAll func(*cdr.Encoder, []T)
	readAll  func(*cdr.Decoder, string, *[]T, int)
	text     func(*Node) (T, error)
	same     func(a, b T) bool
}

func (primitive[T]) zero() (v T)                             { return v }
func (p primitive[T]) minSize() int                          { return p.width }
func (p primitive[T]) weight() int                           { return p.width }
func (p primitive[T]) size(off int, _ T) int                 { return cdr.Align(off, p.width) + p.width - off }
func (p primitive[T]) encode(e *cdr.Encoder, _ string, v T)  { p.write(e, v) }
func (p primitive[T]) decode(d *cdr.Decoder, f string, v *T) { *v = p.read(d, f) }
func (p primitive[T]) encodeAll(e *cdr.Encoder, s []T)       { p.writeAll(e, s) }
func (p primitive[T]) parse(_ *parser, n *Node) (T, error)   { return p.text(n) }
func (primitive[T]) clone(v T) T                             { return v }
func (primitive[T]) check(T) error                           { return nil }

func (p primitive[T]) decodeAll(d *cdr.Decoder, f string, s *[]T, bound int) {
	p.readAll(d, f, s, bound)
}

func (p primitive[T]) sizeAll(off int, s []T) int {
	if len(s) == 0 {
		return 0
	}
	return cdr.Align(off, p.width) + p.width*len(s) - off
}

func (p primitive[T]) equal(a, b T) bool { return p.same(a, b) }

// convert takes any number that a T can hold.
func (p primitive[T]) convert(v any) (T, error) { return p.text(nodeOf(v)) }

// nodeOf returns a Go value as if it had been read from a text.
func nodeOf(v any) *Node {
	switch v.(type) {
	case bool:
		return &Node{Kind: Bool, Text: fmt.Sprint(v)}
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64:
		return &Node{Kind: Number, Text: fmt.Sprint(v)}
	case nil:
		return &Node{Kind: Null}
	}
	return &Node{Kind: foreign, Text: fmt.Sprintf("a %T", v)}
}

// sameBits tells 0 from -0 and NaN from NaN with another payload.
func sameBits[T cdr.Number](a, b T) bool { return cdr.EqualBits([]T{a}, []T{b}) }

// number completes the element for numbers.
func number[T cdr.Number](width int, write func(*cdr.Encoder, T), read func(*cdr.Decoder, string) T,
	text func(*Node) (T, error)) primitive[T] {
	return primitive[T]{width, write, read, cdr.EncodeNumbers[T], cdr.DecodeNumbers[T], text, sameBits[T]}
}

var (
	boolean = primitive[bool]{1, (*cdr.Encoder).Bool, (*cdr.Decoder).Bool, cdr.EncodeBools, cdr.DecodeBools, parseBool,
		func(a, b bool) bool { return a == b }}
	octet    = number(1, (*cdr.Encoder).Uint8, (*cdr.Decoder).Uint8, parseByte)
	int8s    = number(1, (*cdr.Encoder).Int8, (*cdr.Decoder).Int8, integer[int8](8))
	uint8s   = number(1, (*cdr.Encoder).Uint8, (*cdr.Decoder).Uint8, unsigned[uint8](8))
	int16s   = number(2, (*cdr.Encoder).Int16, (*cdr.Decoder).Int16, integer[int16](16))
	uint16s  = number(2, (*cdr.Encoder).Uint16, (*cdr.Decoder).Uint16, unsigned[uint16](16))
	int32s   = number(4, (*cdr.Encoder).Int32, (*cdr.Decoder).Int32, integer[int32](32))
	uint32s  = number(4, (*cdr.Encoder).Uint32, (*cdr.Decoder).Uint32, unsigned[uint32](32))
	int64s   = number(8, (*cdr.Encoder).Int64, (*cdr.Decoder).Int64, integer[int64](64))
	uint64s  = number(8, (*cdr.Encoder).Uint64, (*cdr.Decoder).Uint64, unsigned[uint64](64))
	float32s = number(4, (*cdr.Encoder).Float32, (*cdr.Decoder).Float32, float[float32](32))
	float64s = number(8, (*cdr.Encoder).Float64, (*cdr.Decoder).Float64, float[float64](64))
)

func integer[T int8 | int16 | int32 | int64](bits int) func(*Node) (T, error) {
	return func(n *Node) (T, error) {
		v, err := parseInt(n, bits)
		return T(v), err
	}
}

func unsigned[T uint8 | uint16 | uint32 | uint64](bits int) func(*Node) (T, error) {
	return func(n *Node) (T, error) {
		v, err := parseUint(n, bits)
		return T(v), err
	}
}

func float[T float32 | float64](bits int) func(*Node) (T, error) {
	return func(n *Node) (T, error) {
		v, err := parseFloat(n, bits)
		return T(v), err
	}
}

// text is the element for strings of at most bound code points, as length counts them.
type text struct {
	bound  int
	length func(string) int
}

func (text) zero() string                                     { return "" }
func (text) minSize() int                                     { return 4 }
func (text) weight() int                                      { return 16 }
func (text) size(off int, v string) int                       { return cdr.Align(off, 4) + 4 + len(v) + 1 - off }
func (t text) decode(d *cdr.Decoder, field string, p *string) { d.String(field, p, t.bound) }
func (text) equal(a, b string) bool                           { return a == b }
func (text) clone(v string) string                            { return v }

func (t text) encode(e *cdr.Encoder, field, v string) {
	if e.CheckString(field, v, t.bound) {
		e.String(v)
	}
}

func (text) convert(v any) (string, error) { return "", mismatch(nodeOf(v), "a string") }

func (t text) parse(_ *parser, n *Node) (string, error) {
	s, err := parseString(n)
	if err != nil {
		return "", err
	}
	return s, t.check(s)
}

func (t text) check(s string) error {
	if len(s) <= t.bound {
		return nil
	}
	if n := t.length(s); n > t.bound {
		return fmt.Errorf("%w: string of %d code points, at most %d", cdr.ErrBound, n, t.bound)
	}
	return nil
}

// wideText is the element for wstrings.
type wideText struct{ text }

func (wideText) size(off int, v string) int { return cdr.Align(off, 4) + cdr.SizeWString(v) - off }

func (t wideText) decode(d *cdr.Decoder, field string, p *string) { d.WString(field, p, t.bound) }

func (t wideText) encode(e *cdr.Encoder, field, v string) {
	if e.CheckWString(field, v, t.bound) {
		e.WString(field, v)
	}
}
