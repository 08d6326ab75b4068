// Package dynamic holds messages of types that the program learns only when it runs: from a
// definition file, or from a node that describes its types. They are encoded, decoded, printed
// and read from JSON as generated messages are.
package dynamic

import (
	"fmt"
	"unicode/utf8"

	"github.com/pinion-ros/pinion/cdr"
)

// Type is a message type. It does not change, so goroutines may share it.
type Type struct {
	cdr    *cdr.Type
	schema *cdr.Schema
	fields []field
	index  map[string]int // into fields
	weight int            // of an empty message, at most maxWeight+1
}

// field is one field of a type.
type field struct {
	name   string
	codec  codec
	nested *Type // of the messages in it, nil where it holds none
	init   any   // slot with the default, nil where that is the zero value
}

// maxWeight bounds the memory of an empty message, so that a description that comes over the
// network cannot ask for all there is.
const maxWeight = 1 << 28

// NewType returns the type that d describes. The error is that of TypeDescription.Schema, or says
// that an empty message would take more than 256 MiB of memory.
//
// Defaults of the description are those of new messages. A default that does not fit its field
// counts as none, for it has no bearing on what goes over the wire.
func NewType(d *cdr.TypeDescription) (*Type, error) {
	schema, err := d.Schema()
	if err != nil {
		return nil, err
	}
	b := builder{structs: map[string]cdr.StructDescription{d.Type.Name: d.Type}, types: map[string]*Type{}}
	for _, r := range d.Referenced {
		b.structs[r.Name] = r
	}
	t := b.build(schema)
	if t.weight > maxWeight {
		return nil, fmt.Errorf("%w: an empty message of %s takes more than %d bytes of memory", cdr.ErrInvalid, t, maxWeight)
	}
	return t, nil
}

// TypeOf returns the dynamic form of a type, often a generated one.
func TypeOf(t *cdr.Type) (*Type, error) {
	if t.Describe == nil {
		return nil, fmt.Errorf("%w: there is no description of %s", cdr.ErrInvalid, t.Name)
	}
	return NewType(t.Describe())
}

// String returns the ROS name.
func (t *Type) String() string { return t.cdr.Name }

// CDR returns the type in the form that all messages have.
func (t *Type) CDR() *cdr.Type { return t.cdr }

// Schema returns the layout of the type.
func (t *Type) Schema() *cdr.Schema { return t.schema }

// Nested returns the type of the messages in the given field, and nil if there is no such field or
// it holds none.
func (t *Type) Nested(field string) *Type {
	i, ok := t.index[field]
	if !ok {
		return nil
	}
	return t.fields[i].nested
}

// New returns a message with default values.
func (t *Type) New() *Message {
	m := &Message{typ: t, slots: make([]any, len(t.fields))}
	for i, f := range t.fields {
		m.slots[i] = f.codec.make()
		if f.init != nil {
			f.codec.copy(m.slots[i], f.init)
		}
	}
	return m
}

// builder makes the types of one description.
type builder struct {
	structs map[string]cdr.StructDescription
	types   map[string]*Type
}

// build returns the type with the given schema. Every type has a description of its own, for its
// messages are messages like those that contain them.
func (b *builder) build(s *cdr.Schema) *Type {
	if t := b.types[s.Name]; t != nil {
		return t
	}
	t := &Type{schema: s, index: map[string]int{}, weight: messageWeight}
	var contained []*cdr.TypeDescription
	for i := range s.Fields {
		f := b.field(&s.Fields[i])
		t.index[f.name] = i
		t.fields = append(t.fields, f)
		t.weight = min(t.weight+slotWeight+f.codec.weight(), maxWeight+1)
		if f.nested != nil {
			contained = append(contained, f.nested.cdr.Describe())
		}
	}
	description := cdr.NewTypeDescription(b.structs[s.Name], contained...)
	t.cdr = &cdr.Type{
		Name:     s.Name,
		Hash:     description.Hash(),
		New:      func() cdr.Message { return t.New() },
		Describe: func() *cdr.TypeDescription { return description },
	}
	b.types[s.Name] = t
	return t
}

// About what a message and each of its fields take in memory besides the values, in bytes.
const (
	messageWeight = 48
	slotWeight    = 32
)

// times is the weight of n values.
func times(weight, n int) int { return int(min(int64(weight)*int64(n), maxWeight+1)) }

func (b *builder) field(s *cdr.SchemaField) field {
	f := field{name: s.Name}
	if s.Element == cdr.NestedType {
		f.nested = b.build(s.Nested)
	}
	f.codec = newCodec(s, f.nested)
	if n, ok := defaultNode(s); ok && f.codec.weight() <= maxWeight {
		slot := f.codec.make()
		if f.codec.parse(&parser{}, n, slot) == nil {
			f.init = slot
		}
	}
	return f
}

func newCodec(f *cdr.SchemaField, t *Type) codec {
	switch f.Element {
	case cdr.BoolType:
		return codecFor(f, boolean)
	case cdr.ByteType:
		return codecFor(f, octet)
	case cdr.Int8Type:
		return codecFor(f, int8s)
	case cdr.Uint8Type:
		return codecFor(f, uint8s)
	case cdr.Int16Type:
		return codecFor(f, int16s)
	case cdr.Uint16Type:
		return codecFor(f, uint16s)
	case cdr.Int32Type:
		return codecFor(f, int32s)
	case cdr.Uint32Type:
		return codecFor(f, uint32s)
	case cdr.Int64Type:
		return codecFor(f, int64s)
	case cdr.Uint64Type:
		return codecFor(f, uint64s)
	case cdr.Float32Type:
		return codecFor(f, float32s)
	case cdr.Float64Type:
		return codecFor(f, float64s)
	case cdr.StringType:
		return codecFor(f, text{f.Bound, utf8.RuneCountInString})
	case cdr.WStringType:
		return codecFor(f, wideText{text{f.Bound, cdr.WStringLen}})
	}
	return codecFor(f, nested{t})
}

func codecFor[T any](f *cdr.SchemaField, e element[T]) codec {
	if f.Form == 0 {
		return single[T]{e}
	}
	return list[T]{element: e, fixed: f.Form == cdr.ArrayStep, len: f.Len}
}
