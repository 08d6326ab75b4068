package cdr

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
)

// AppendJSON appends m to dst as a JSON object: every field, in the order of the definition,
// without blanks. Integers of 64 bits are strings of decimal digits, because many readers keep
// numbers as float64. Floats have the fewest digits that give the same value of their own width;
// "NaN", "Infinity", "-Infinity" and "-0" are strings. The text is ASCII: other characters are
// escaped, and bytes of a string that are not UTF-8 come out as U+FFFD.
//
// It works for generated and dynamic messages alike. The error is that of Marshal, or of
// Type.Schema; dst is returned as it was then.
func AppendJSON(dst []byte, m Message) ([]byte, error) {
	out := dst
	if err := walk(m, func(d *Decoder, s *Schema) { out = appendJSON(out, d, s) }); err != nil {
		return dst, err
	}
	return out, nil
}

func appendJSON(dst []byte, d *Decoder, s *Schema) []byte {
	dst = append(dst, '{')
	for i := range s.Fields {
		f := &s.Fields[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONString(dst, f.Name), ':')
		dst = appendJSONField(dst, d, f)
	}
	d.endOf(s)
	return append(dst, '}')
}

func appendJSONField(dst []byte, d *Decoder, f *SchemaField) []byte {
	if f.Form == 0 {
		return appendJSONElement(dst, d, f)
	}
	dst = append(dst, '[')
	for i := range d.length(f) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSONElement(dst, d, f)
	}
	return append(dst, ']')
}

func appendJSONElement(dst []byte, d *Decoder, f *SchemaField) []byte {
	switch f.Element {
	case NestedType:
		return appendJSON(dst, d, f.Nested)
	case StringType, WStringType:
		return appendJSONString(dst, d.textOf(f))
	case Float32Type:
		return appendJSONFloat(dst, float64(d.Float32(f.Name)), 32)
	case Float64Type:
		return appendJSONFloat(dst, d.Float64(f.Name), 64)
	case Int64Type, Uint64Type:
		return append(appendInteger(append(dst, '"'), d, f), '"')
	}
	return appendInteger(dst, d, f)
}

// appendJSONFloat appends v as ECMAScript prints numbers, and as a string what JSON has no number
// for.
func appendJSONFloat(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(dst, `"-Infinity"`...)
	case v == 0 && math.Signbit(v):
		return append(dst, `"-0"`...)
	}
	if abs := math.Abs(v); v == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, v, 'f', -1, bits)
	}
	dst = strconv.AppendFloat(dst, v, 'e', -1, bits)
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // e-07: ECMAScript writes e-7
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}

func appendJSONString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	escape := func(unit rune) {
		dst = append(dst, '\\', 'u', hex[unit>>12&15], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
	}
	dst = append(dst, '"')
	for len(s) > 0 {
		r, size := nextPoint(s)
		s = s[max(size, 1):]
		switch i := strings.IndexRune("\"\\\b\f\n\r\t", r); {
		case i >= 0:
			dst = append(dst, '\\', `"\bfnrt`[i])
		case r >= ' ' && r <= '~':
			dst = append(dst, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			escape(high)
			escape(low)
		default:
			escape(r)
		}
	}
	return append(dst, '"')
}
