package interop

import (
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/pinion-ros/pinion/cdr"
)

// passes is how many messages it takes until every field has had each of its edge values.
const passes = 9

// values returns messages of a generated type: its defaults and then every edge value of each
// field, in an order in which neighbours differ.
func values(t *cdr.Type) []cdr.Message {
	all := []cdr.Message{t.New()}
	for pass := range passes {
		all = append(all, value(t, pass))
	}
	return all
}

// value returns a message that depends on n.
func value(t *cdr.Type, n int) cdr.Message {
	s, err := t.Schema()
	if err != nil {
		panic(err)
	}
	m := t.New()
	f := filler{n}
	f.message(reflect.ValueOf(m).Elem(), s)
	return m
}

// A filler counts the values that it gives.
type filler struct{ n int }

func pick[T any](f *filler, edges ...T) T {
	f.n++
	return edges[f.n%len(edges)]
}

func (f *filler) message(v reflect.Value, s *cdr.Schema) {
	for i := range s.Fields {
		field, v := &s.Fields[i], v.Field(i)
		if field.Form == 0 {
			f.element(v, field)
			continue
		}
		if field.Form != cdr.ArrayStep {
			n := min(pick(f, 0, 1, 3, 2, 5), field.Len)
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for k := range v.Len() {
			f.element(v.Index(k), field)
		}
	}
}

func (f *filler) element(v reflect.Value, field *cdr.SchemaField) {
	switch v.Kind() {
	case reflect.Struct:
		f.message(v, field.Nested)
	case reflect.Bool:
		v.SetBool(pick(f, false, true))
	case reflect.String:
		v.SetString(shorten(pick(f, "", "a", "Größe 5 µm, 日本語 🌍", strings.Repeat("x", 300), "a b\t\"\\\n"), field.Bound))
	case reflect.Float32:
		v.Set(reflect.ValueOf(pick(f, 0, float32(math.Copysign(0, -1)), 1.5, math.MaxFloat32, -math.MaxFloat32,
			math.SmallestNonzeroFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()))))
	case reflect.Float64:
		v.SetFloat(pick(f, 0, math.Copysign(0, -1), -1.5, math.MaxFloat64, -math.MaxFloat64,
			math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN()))
	default:
		bits := v.Type().Bits()
		if v.CanInt() {
			v.SetInt(pick[int64](f, 0, -1, math.MinInt64>>(64-bits), math.MaxInt64>>(64-bits), 0x123456789abcdef0>>(64-bits)))
		} else {
			v.SetUint(pick[uint64](f, 0, 1, math.MaxUint64>>(64-bits), 0xfedcba9876543210>>(64-bits)))
		}
	}
}

// shorten cuts s to bound bytes, between characters.
func shorten(s string, bound int) string {
	if len(s) <= bound {
		return s
	}
	for !utf8.RuneStart(s[bound]) {
		bound--
	}
	return s[:bound]
}
