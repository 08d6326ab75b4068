package cdr

import (
	"encoding/binary"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// A wstring is UTF-16 in ROS 2, and each of its code units takes 4 bytes on the wire. In Go it is
// a string in UTF-8. UTF-16 may hold surrogates without their partner, which UTF-8 has no place
// for; they are kept as the three bytes that UTF-8 would use for their number (WTF-8), so that
// what was decoded encodes to the same units.

const (
	surrogates    = 0xd800
	lowSurrogates = 0xdc00
	surrogatesEnd = 0xe000
)

// nextPoint returns the first code point of s, which may be a surrogate, and its length in bytes.
// The length is 0 if s is neither UTF-8 nor a surrogate there.
func nextPoint(s string) (r rune, size int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	r, size = utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || size > 1 {
		return r, size
	}
	if len(s) >= 3 && s[0] == 0xed && s[1]&0xe0 == 0xa0 && s[2]&0xc0 == 0x80 {
		return surrogates | rune(s[1]&0x1f)<<6 | rune(s[2]&0x3f), 3
	}
	return utf8.RuneError, 0
}

// SizeWString returns how many bytes a wstring takes from a multiple of 4 on.
func SizeWString(s string) int {
	units := 0
	for len(s) > 0 {
		r, size := nextPoint(s)
		if r > 0xffff {
			units++
		}
		units++
		s = s[max(size, 1):]
	}
	return 4 + 4*units
}

// WString appends a wstring: the number of its UTF-16 code units and each of them in 4 bytes. It
// fails if s is not UTF-8, surrogates excepted.
func (e *Encoder) WString(field, s string) {
	size := SizeWString(s)
	b := e.Fixed4(size)
	if len(b) < 4 {
		return
	}
	binary.LittleEndian.PutUint32(b, uint32(size/4-1))
	b = b[4:]
	for rest := s; len(rest) > 0; {
		r, n := nextPoint(rest)
		if n == 0 {
			e.Fail(field, fmt.Errorf("%w: byte %d of the wstring %q is not UTF-8", ErrInvalid, len(s)-len(rest), s))
			return
		}
		rest = rest[n:]
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			binary.LittleEndian.PutUint32(b, uint32(high))
			b, r = b[4:], low
		}
		binary.LittleEndian.PutUint32(b, uint32(r))
		b = b[4:]
	}
}

// WStringLen returns how many code points a wstring has. A surrogate without a partner counts as one,
// and so does each byte that is not UTF-8.
func WStringLen(s string) int {
	points := 0
	for ; len(s) > 0; points++ {
		_, n := nextPoint(s)
		s = s[max(n, 1):]
	}
	return points
}

// CheckWString is CheckString for a wstring, whose length is WStringLen.
func (e *Encoder) CheckWString(field, s string, bound int) bool {
	if len(s) <= bound {
		return true
	}
	points := WStringLen(s)
	if points <= bound {
		return true
	}
	e.Fail(field, fmt.Errorf("%w: wstring of %d code points, at most %d", ErrBound, points, bound))
	return false
}

// WStrings appends the elements of a sequence or array of wstrings of at most bound code points,
// without a count.
func (e *Encoder) WStrings(field string, s []string, bound int) {
	for i := 0; i < len(s) && !e.Failed(); i++ {
		if e.CheckWString("", s[i], bound) {
			e.WString("", s[i])
		}
		if e.Failed() {
			e.InElement(field, i)
		}
	}
}

// WString reads a wstring of at most bound code points into p.
func (d *Decoder) WString(field string, p *string, bound int) {
	n := d.Count(field, Unbounded, 4)
	b := d.elements(field, 4, n, 4)
	if d.Failed() {
		return
	}
	text := make([]byte, 0, n+n/2)
	points := 0
	for ; len(b) > 0; points++ {
		r, size := d.point(b)
		if r < 0 {
			d.Fail(field, fmt.Errorf("%w: a code unit of the wstring exceeds 16 bits", ErrInvalid))
			return
		}
		text = appendPoint(text, r)
		b = b[size:]
	}
	if points > bound {
		d.Fail(field, fmt.Errorf("%w: wstring of %d code points, at most %d", ErrBound, points, bound))
		return
	}
	if string(text) != *p {
		*p = string(text)
	}
}

// point returns the first code point of the units in b and how many bytes it takes there, and -1
// if the unit has more than 16 bits. A surrogate without a partner stands for itself.
func (d *Decoder) point(b []byte) (rune, int) {
	r := d.unit(b)
	if r < surrogates || r >= lowSurrogates || len(b) < 8 {
		return r, 4
	}
	low := d.unit(b[4:])
	if low < lowSurrogates || low >= surrogatesEnd {
		return r, 4
	}
	return utf16.DecodeRune(r, low), 8
}

// unit returns the first code unit in b, -1 if it has more than 16 bits.
func (d *Decoder) unit(b []byte) rune {
	u := binary.LittleEndian.Uint32(b)
	if d.big {
		u = binary.BigEndian.Uint32(b)
	}
	if u > 0xffff {
		return -1
	}
	return rune(u)
}

// appendPoint appends a code point, also a surrogate, as UTF-8 encodes numbers.
func appendPoint(b []byte, r rune) []byte {
	if r < surrogates || r >= surrogatesEnd {
		return utf8.AppendRune(b, r)
	}
	return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0xbf, 0x80|byte(r)&0xbf)
}

// WStrings reads len(s) wstrings into s.
func (d *Decoder) WStrings(field string, s []string, bound int) {
	for i := 0; i < len(s) && !d.Failed(); i++ {
		if d.WString("", &s[i], bound); d.Failed() {
			d.InElement(field, i)
		}
	}
}
