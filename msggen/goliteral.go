package msggen

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var goBases = [...]string{
	Bool: "bool", Byte: "uint8", Char: "uint8", Int8: "int8", Uint8: "uint8", Int16: "int16", Uint16: "uint16",
	Int32: "int32", Uint32: "uint32", Int64: "int64", Uint64: "uint64", Float32: "float32", Float64: "float64",
	String: "string", WString: "string",
}

// literal writes a value as a Go expression of the type t, to which it is assigned. The second
// result tells whether the expression is a constant.
func (w *goWriter) literal(t Type, v Value) (text string, constant bool) {
	if list, ok := v.([]Value); ok {
		return w.listLiteral(t, list), false
	}
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case float64:
		return w.floatLiteral(t, v)
	case string:
		return strconv.Quote(v), true
	}
	panic(fmt.Sprintf("msggen: value of type %T", v))
}

// floatLiteral writes a float. Go has no constants for what is not a number, for infinities and for
// the negative zero.
func (w *goWriter) floatLiteral(t Type, v float64) (text string, constant bool) {
	bits := 8 * t.Base.width()
	if bits == 32 {
		v = float64(float32(v)) // may be infinite now
	}
	switch {
	case math.IsNaN(v):
		text = w.ident(mathIdent("NaN")) + "()"
	case math.IsInf(v, 1):
		text = w.ident(mathIdent("Inf")) + "(1)"
	case math.IsInf(v, -1):
		text = w.ident(mathIdent("Inf")) + "(-1)"
	case v == 0 && math.Signbit(v):
		text = w.ident(mathIdent("Copysign")) + "(0, -1)"
	default:
		return strconv.FormatFloat(v, 'g', -1, bits), true
	}
	if bits == 32 {
		text = "float32(" + text + ")"
	}
	return text, false
}

func (w *goWriter) listLiteral(t Type, list []Value) string {
	size := ""
	if t.Array == Fixed {
		size = strconv.Itoa(t.Len)
	}
	elements := make([]string, len(list))
	for i, v := range list {
		elements[i], _ = w.literal(t.Element(), v)
	}
	return "[" + size + "]" + goBases[t.Base] + "{" + strings.Join(elements, ", ") + "}"
}
