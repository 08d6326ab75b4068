package dynamic_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
)

// generator makes random types and values.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 0))} }

var elements = []cdr.TypeID{
	cdr.Int8Type, cdr.Uint8Type, cdr.Int16Type, cdr.Uint16Type, cdr.Int32Type, cdr.Uint32Type, cdr.Int64Type,
	cdr.Uint64Type, cdr.Float32Type, cdr.Float64Type, cdr.BoolType, cdr.ByteType, cdr.StringType, cdr.WStringType,
	cdr.BoundedStringType, cdr.BoundedWStringType, cdr.NestedType,
}

// description describes random types in up to four layers.
func (g generator) description() *cdr.TypeDescription {
	layers := g.IntN(4)
	var all []cdr.StructDescription
	for i := range layers + 1 {
		all = append(all, cdr.StructDescription{Name: fmt.Sprintf("p/msg/T%d", i), Fields: g.fields(i, layers)})
	}
	return &cdr.TypeDescription{Type: all[0], Referenced: all[1:]}
}

func (g generator) fields(layer, last int) []cdr.FieldDescription {
	var fields []cdr.FieldDescription
	for i := range g.IntN(8) {
		f := cdr.FieldDescription{Name: fmt.Sprintf("f%d", i)}
		f.Type.ID = elements[g.IntN(len(elements))]
		switch f.Type.ID {
		case cdr.NestedType:
			if layer == last {
				f.Type.ID = cdr.BoolType
				break
			}
			f.Type.Nested = fmt.Sprintf("p/msg/T%d", layer+1+g.IntN(last-layer))
		case cdr.BoundedStringType, cdr.BoundedWStringType:
			f.Type.StringCapacity = 1 + g.Uint64N(5)
		}
		form := cdr.TypeID(g.IntN(4)) * cdr.ArrayStep
		if form == cdr.ArrayStep || form == cdr.BoundedSequenceStep {
			f.Type.Capacity = 1 + g.Uint64N(4)
		}
		f.Type.ID += form
		fields = append(fields, f)
	}
	if len(fields) == 0 {
		fields = []cdr.FieldDescription{{Name: "structure_needs_at_least_one_member", Type: cdr.FieldType{ID: cdr.Uint8Type}}}
	}
	return fields
}

// message returns a message with random values.
func (g generator) message(t *dynamic.Type) *dynamic.Message {
	m := t.New()
	for _, f := range t.Schema().Fields {
		if err := m.Set(f.Name, g.value(t, f)); err != nil {
			panic(err)
		}
	}
	return m
}

func (g generator) value(t *dynamic.Type, f cdr.SchemaField) any {
	switch f.Element {
	case cdr.BoolType:
		return some(g, f, func() bool { return g.IntN(2) == 0 })
	case cdr.Int8Type:
		return some(g, f, func() int8 { return int8(g.Uint64()) })
	case cdr.Uint8Type, cdr.ByteType:
		return some(g, f, func() uint8 { return uint8(g.Uint64()) })
	case cdr.Int16Type:
		return some(g, f, func() int16 { return int16(g.Uint64()) })
	case cdr.Uint16Type:
		return some(g, f, func() uint16 { return uint16(g.Uint64()) })
	case cdr.Int32Type:
		return some(g, f, func() int32 { return int32(g.Uint64()) })
	case cdr.Uint32Type:
		return some(g, f, func() uint32 { return uint32(g.Uint64()) })
	case cdr.Int64Type:
		return some(g, f, func() int64 { return int64(g.Uint64()) })
	case cdr.Uint64Type:
		return some(g, f, g.Uint64)
	case cdr.Float32Type:
		return some(g, f, func() float32 { return float32(g.float()) })
	case cdr.Float64Type:
		return some(g, f, g.float)
	case cdr.StringType, cdr.WStringType:
		return some(g, f, func() string { return g.text(f.Bound) })
	}
	return some(g, f, func() *dynamic.Message { return g.message(t.Nested(f.Name)) })
}

// some returns what a field of T holds: a single value or as many as it may have.
func some[T any](g generator, f cdr.SchemaField, value func() T) any {
	n := g.IntN(min(f.Len, 4) + 1)
	switch f.Form {
	case 0:
		return value()
	case cdr.ArrayStep:
		n = f.Len
	}
	s := make([]T, n)
	for i := range s {
		s[i] = value()
	}
	return s
}

// float returns any float64 but a NaN that has more to it than that.
func (g generator) float() float64 {
	rare := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, math.Inf(1), math.Inf(-1), math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.MaxFloat32, math.SmallestNonzeroFloat32, 1 << 53, 1e15, 1e16, 1e-5}
	switch n := g.IntN(4); {
	case n == 0:
		return rare[g.IntN(len(rare))]
	case n == 1:
		return math.Float64frombits(0x7ff8 << 48)
	}
	if f := math.Float64frombits(g.Uint64()); f == f {
		return f
	}
	return g.NormFloat64()
}

func (g generator) text(bound int) string {
	runes := []rune("ab yes0.1:-#'\"\\\n\t\x00\x7f\u0085é\u2028ハ🌍\ufeff\uffff")
	s := make([]rune, g.IntN(min(bound, 6)+1))
	for i := range s {
		s[i] = runes[g.IntN(len(runes))]
	}
	return string(s)
}
