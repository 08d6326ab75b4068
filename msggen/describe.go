package msggen

import (
	"fmt"

	"github.com/pinion-ros/pinion/cdr"
)

// emptyMember is the field that ROS 2 gives to a struct without fields. It is a byte on the wire.
var emptyMember = &Field{Name: "structure_needs_at_least_one_member", Type: Type{Base: Uint8}}

// WireFields returns the fields that go over the wire: those of the message or, where it has none,
// the one byte that ROS 2 puts in their place.
func (m *Message) WireFields() []*Field {
	if len(m.Fields) == 0 {
		return []*Field{emptyMember}
	}
	return m.Fields
}

// Describe returns the type description of a message, service or action. It fails where the type
// or one that it contains is not found, is faulty or contains itself.
func (l *Loader) Describe(name TypeName) (*cdr.TypeDescription, error) {
	if d, ok := l.described[name]; ok {
		if d == nil {
			return nil, fmt.Errorf("%s contains itself", name)
		}
		return d, nil
	}
	m, err := l.lookup(name)
	if err != nil {
		return nil, err
	}
	l.described[name] = nil // in progress
	d, err := l.describe(m)
	if err != nil {
		delete(l.described, name)
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	l.described[name] = d
	return d, nil
}

func (l *Loader) describe(m *Message) (*cdr.TypeDescription, error) {
	main := cdr.StructDescription{Name: m.Name.String()}
	var nested []*cdr.TypeDescription
	for _, f := range m.WireFields() {
		main.Fields = append(main.Fields, cdr.FieldDescription{Name: f.Name, Type: describeType(f.Type), Default: defaultText(f.Default)})
		if f.Type.Base != Nested {
			continue
		}
		d, err := l.Describe(f.Type.Nested)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		nested = append(nested, d)
	}
	return cdr.NewTypeDescription(main, nested...), nil
}

var typeIDs = [...]cdr.TypeID{
	Bool: cdr.BoolType, Byte: cdr.ByteType, Char: cdr.Uint8Type,
	Int8: cdr.Int8Type, Uint8: cdr.Uint8Type, Int16: cdr.Int16Type, Uint16: cdr.Uint16Type,
	Int32: cdr.Int32Type, Uint32: cdr.Uint32Type, Int64: cdr.Int64Type, Uint64: cdr.Uint64Type,
	Float32: cdr.Float32Type, Float64: cdr.Float64Type,
	String: cdr.StringType, WString: cdr.WStringType, Nested: cdr.NestedType,
}

var arraySteps = [...]cdr.TypeID{
	Single: 0, Fixed: cdr.ArrayStep, Bounded: cdr.BoundedSequenceStep, Unbounded: cdr.UnboundedSequenceStep,
}

func describeType(t Type) cdr.FieldType {
	id := typeIDs[t.Base]
	if t.Bound > 0 {
		id += cdr.BoundedStringType - cdr.StringType
	}
	d := cdr.FieldType{ID: id + arraySteps[t.Array], Capacity: uint64(t.Len), StringCapacity: uint64(t.Bound)}
	if t.Base == Nested {
		d.Nested = t.Nested.String()
	}
	return d
}
