// Package pytext writes values of messages as the Python tools of ROS 2 do: as the repr of a message,
// as str, and as comma-separated values.
package pytext

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
)

// Repr returns what Python's repr gives for a message: std_msgs.msg.String(data='hello'). Arrays of
// numbers are written without the padding that NumPy lines their columns up with.
func Repr(m *dynamic.Message) string { return string(appendMessage(nil, m)) }

// Str returns what Python's print gives for the value v of a field, of an array element where
// element is true.
func Str(v any, f *cdr.SchemaField, element bool) string {
	if s, ok := v.(string); ok {
		return s
	}
	code, isNumber := typeCodes[f.Element]
	text := string(appendValue(nil, v, f))
	switch {
	case element || f.Form == 0 || !isNumber:
	case f.Form == cdr.ArrayStep:
		return strings.ReplaceAll(string(appendList(nil, v, f)), ", ", " ")
	case text == "[]":
		return fmt.Sprintf("array('%c')", code)
	default:
		return fmt.Sprintf("array('%c', %s)", code, text)
	}
	return text
}

// typeCodes are those of Python's array module, for the types whose sequences it holds.
var typeCodes = map[cdr.TypeID]byte{
	cdr.Float32Type: 'f', cdr.Float64Type: 'd', cdr.Int8Type: 'b', cdr.Uint8Type: 'B', cdr.Int16Type: 'h',
	cdr.Uint16Type: 'H', cdr.Int32Type: 'i', cdr.Uint32Type: 'I', cdr.Int64Type: 'q', cdr.Uint64Type: 'Q',
}

// dtypes are NumPy's names of element types, for those that its repr shows.
var dtypes = map[cdr.TypeID]string{
	cdr.Float32Type: "float32", cdr.Int8Type: "int8", cdr.Uint8Type: "uint8", cdr.Int16Type: "int16", cdr.Uint16Type: "uint16",
	cdr.Int32Type: "int32", cdr.Uint32Type: "uint32", cdr.Uint64Type: "uint64",
}

func appendMessage(dst []byte, m *dynamic.Message) []byte {
	s := m.Type().Schema()
	dst = append(dst, strings.ReplaceAll(s.Name, "/", ".")...)
	dst = append(dst, '(')
	for i := range s.Fields {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		f := &s.Fields[i]
		dst = append(append(dst, f.Name...), '=')
		dst = appendValue(dst, value(m, f), f)
	}
	return append(dst, ')')
}

// value returns the value of a field, which the schema of m has.
func value(m *dynamic.Message, f *cdr.SchemaField) any {
	v, err := m.Get(f.Name)
	if err != nil {
		panic("pytext: " + err.Error())
	}
	return v
}

func appendValue(dst []byte, v any, f *cdr.SchemaField) []byte {
	_, isNumber := typeCodes[f.Element]
	if f.Form != cdr.ArrayStep || !isNumber || isScalar(v) {
		return appendList(dst, v, f)
	}
	dst = appendList(append(dst, "array("...), v, f)
	if name := dtypes[f.Element]; name != "" {
		dst = append(dst, ", dtype="+name...)
	}
	return append(dst, ')')
}

// appendList appends a scalar, a message, or a list of them in brackets.
func appendList(dst []byte, v any, f *cdr.SchemaField) []byte {
	if isScalar(v) {
		return appendScalar(dst, v, f)
	}
	dst = append(dst, '[')
	first := true
	each(v, func(e any) bool {
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		dst = appendScalar(dst, e, f)
		return true
	})
	return append(dst, ']')
}

func appendScalar(dst []byte, v any, f *cdr.SchemaField) []byte {
	switch v := v.(type) {
	case *dynamic.Message:
		return appendMessage(dst, v)
	case string:
		return appendString(dst, v)
	}
	return appendPlain(dst, v, f.Element == cdr.ByteType)
}

// appendPlain appends what looks the same in all forms.
func appendPlain(dst []byte, v any, isByte bool) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return append(dst, "True"...)
		}
		return append(dst, "False"...)
	case float32:
		return appendFloat(dst, float64(v))
	case float64:
		return appendFloat(dst, v)
	case uint8:
		if isByte {
			return AppendBytes(dst, []byte{v})
		}
	}
	return fmt.Append(dst, v)
}

// appendFloat appends the shortest digits, with an exponent where Python has one.
func appendFloat(dst []byte, f float64) []byte {
	exponent := 0
	if text := strconv.FormatFloat(f, 'e', -1, 64); !math.IsInf(f, 0) && !math.IsNaN(f) {
		exponent, _ = strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	}
	return appendDigits(dst, f, 64, exponent < -4 || exponent >= 16)
}

// appendNumPyFloat32 appends f as NumPy prints the elements of its arrays: with the digits that tell
// it from other values of its width, where Python's own floats are all of 64 bits.
func appendNumPyFloat32(dst []byte, f float32) []byte {
	abs := math.Abs(float64(f))
	return appendDigits(dst, float64(f), 32, abs >= 1e16 || abs < 1e-4 && abs > 0)
}

func appendDigits(dst []byte, f float64, bits int, scientific bool) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	case scientific:
		return strconv.AppendFloat(dst, f, 'e', -1, bits)
	}
	text := strconv.FormatFloat(f, 'f', -1, bits)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return append(dst, text...)
}

// appendString appends s in quotes, double ones where that saves escaping.
func appendString(dst []byte, s string) []byte {
	quote := quoteFor(s)
	dst = append(dst, quote)
	for _, r := range strings.ToValidUTF8(s, string(utf8.RuneError)) {
		switch {
		case r == '\\' || r == rune(quote):
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r < 0x100:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case r < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		}
	}
	return append(dst, quote)
}

func quoteFor(s string) byte {
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return '"'
	}
	return '\''
}

// AppendBytes appends the repr of a bytes object: b'\x00a'.
func AppendBytes(dst, b []byte) []byte {
	quote := quoteFor(string(b))
	dst = append(dst, 'b', quote)
	for _, c := range b {
		switch {
		case c == '\\' || c == quote:
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c >= ' ' && c < 0x7f:
			dst = append(dst, c)
		default:
			dst = fmt.Appendf(dst, `\x%02x`, c)
		}
	}
	return append(dst, quote)
}
