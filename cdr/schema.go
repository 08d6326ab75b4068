package cdr

import (
	"fmt"
	"math"
)

// Schema is the layout of a message type with all references to other types resolved: what it
// takes to walk through a message of a type that the program does not know. A schema does not
// change, so goroutines may share it.
type Schema struct {
	Name   string // "sensor_msgs/msg/JointState"
	Fields []SchemaField

	// MinSize is the fewest bytes that a message takes on the wire, padding aside. It is at least
	// 1, since a byte stands for the fields where there are none.
	MinSize int
}

// SchemaField is a field of a schema.
type SchemaField struct {
	Name    string
	Element TypeID  // the type of an element, StringType or WStringType also where it has a bound
	Form    TypeID  // 0 for a single value, or the step of the array form
	Len     int     // length of an array, most elements of a sequence or Unbounded
	Bound   int     // most code points of a string or Unbounded
	Nested  *Schema // where Element is NestedType
	Default string  // as in FieldDescription
}

// The limits of what a schema can be made of. They keep a description that comes over the network
// from leading to endless work, and are far from what definitions contain.
const (
	maxNesting = 64      // types within types
	maxMinSize = 1 << 28 // bytes
)

// emptyMember is the field that descriptions give to a struct without fields.
const emptyMember = "structure_needs_at_least_one_member"

// Schema resolves the references of the description. Referenced types that nothing refers to are
// ignored. The error wraps ErrInvalid and names type and field: a type is missing or contains
// itself, two fields have one name, a type number is unknown, a length does not fit the form, types
// are nested more than 64 deep, or a message takes more than 256 MiB at least.
func (d *TypeDescription) Schema() (*Schema, error) {
	r := resolver{structs: map[string]*StructDescription{}, schemas: map[string]*resolved{}}
	for i := range d.Referenced {
		r.structs[d.Referenced[i].Name] = &d.Referenced[i]
	}
	r.structs[d.Type.Name] = &d.Type
	s, err := r.resolve(d.Type.Name, 0)
	if err != nil {
		return nil, fmt.Errorf("%w type description: %w", ErrInvalid, err)
	}
	return &s.Schema, nil
}

// Schema returns the layout of the type. The error is that of TypeDescription.Schema, or wraps
// ErrInvalid where the type has no description.
func (t *Type) Schema() (*Schema, error) {
	if t.Describe == nil {
		return nil, fmt.Errorf("%w: there is no description of %s", ErrInvalid, t.Name)
	}
	if s := t.schema.Load(); s != nil {
		return s, nil
	}
	s, err := t.Describe().Schema()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	t.schema.Store(s)
	return s, nil
}

// resolver makes the schemas of one description.
type resolver struct {
	structs map[string]*StructDescription
	schemas map[string]*resolved // nil while one is being made
}

type resolved struct {
	Schema
	height int // how deep types are nested in it
}

// resolve returns the schema of the named type, which is nested depth types deep.
func (r *resolver) resolve(name string, depth int) (*resolved, error) {
	d := r.structs[name]
	s, begun := r.schemas[name]
	switch {
	case d == nil:
		return nil, fmt.Errorf("%s is not described", name)
	case begun && s == nil:
		return nil, fmt.Errorf("%s contains itself", name)
	case s == nil && depth <= maxNesting:
		r.schemas[name] = nil
		var err error
		if s, err = r.structure(d, depth); err != nil {
			return nil, err
		}
		r.schemas[name] = s
	}
	if s == nil || depth+s.height > maxNesting {
		return nil, fmt.Errorf("types are nested more than %d deep at %s", maxNesting, name)
	}
	return s, nil
}

func (r *resolver) structure(d *StructDescription, depth int) (*resolved, error) {
	s := &resolved{Schema: Schema{Name: d.Name}}
	seen := map[string]bool{}
	for _, fd := range d.Fields {
		f, err := r.field(&fd, s, depth)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s.%s: %w", d.Name, fd.Name, err)
		case seen[fd.Name]:
			return nil, fmt.Errorf("%s has two fields %q", d.Name, fd.Name)
		}
		seen[fd.Name] = true
		s.Fields = append(s.Fields, f)
		if s.MinSize += f.MinSize(); s.MinSize > maxMinSize {
			return nil, fmt.Errorf("%s takes more than %d bytes", d.Name, maxMinSize)
		}
	}
	if len(s.Fields) == 1 && s.Fields[0].Name == emptyMember {
		s.Fields = nil
	}
	s.MinSize = max(s.MinSize, 1)
	return s, nil
}

func (r *resolver) field(d *FieldDescription, parent *resolved, depth int) (SchemaField, error) {
	f := SchemaField{Name: d.Name, Element: d.Type.ID.Element(), Form: d.Type.ID.Form(),
		Len: Unbounded, Bound: Unbounded, Default: d.Default}
	switch f.Element {
	case NestedType:
		n, err := r.resolve(d.Type.Nested, depth+1)
		if err != nil {
			return f, err
		}
		f.Nested = &n.Schema
		parent.height = max(parent.height, n.height+1)
	case BoundedStringType, BoundedWStringType:
		f.Element -= BoundedStringType - StringType
		f.Bound = int(min(d.Type.StringCapacity, math.MaxInt32))
	}
	if f.elementSize() == 0 || f.Form > UnboundedSequenceStep {
		return f, fmt.Errorf("no .msg file has a field of type %d", d.Type.ID)
	}
	if f.Form == ArrayStep || f.Form == BoundedSequenceStep {
		f.Len = int(min(d.Type.Capacity, math.MaxInt32))
	}
	if f.Len == 0 || f.Bound == 0 || f.Form == ArrayStep && f.Len > maxMinSize {
		return f, fmt.Errorf("capacity %d and string capacity %d do not fit type %d", d.Type.Capacity, d.Type.StringCapacity, d.Type.ID)
	}
	return f, nil
}

// MinSize returns the fewest bytes that the field takes on the wire, padding aside.
func (f *SchemaField) MinSize() int {
	switch f.Form {
	case 0:
		return f.elementSize()
	case ArrayStep:
		return int(min(int64(f.Len)*int64(f.elementSize()), maxMinSize+1))
	}
	return 4
}

// isNumber tells whether an element is a number or boolean, all of which have one size.
func (f *SchemaField) isNumber() bool { return f.Element != NestedType && f.Element < StringType }

// elementSize returns the fewest bytes that an element takes on the wire, and 0 if there is no such
// type.
func (f *SchemaField) elementSize() int {
	switch f.Element {
	case NestedType:
		return f.Nested.MinSize
	case BoolType, ByteType, Int8Type, Uint8Type:
		return 1
	case Int16Type, Uint16Type:
		return 2
	case Int32Type, Uint32Type, Float32Type, StringType, WStringType:
		return 4
	case Int64Type, Uint64Type, Float64Type:
		return 8
	}
	return 0
}
