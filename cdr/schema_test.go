package cdr_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
)

func structOf(name string, fields ...cdr.FieldDescription) cdr.StructDescription {
	return cdr.StructDescription{Name: name, Fields: fields}
}

func fieldOf(name string, id cdr.TypeID, capacity, stringCapacity uint64, nested string) cdr.FieldDescription {
	return cdr.FieldDescription{Name: name, Type: cdr.FieldType{ID: id, Capacity: capacity, StringCapacity: stringCapacity, Nested: nested}}
}

func TestSchema(t *testing.T) {
	point := structOf("p/msg/Point", fieldOf("x", cdr.Float64Type, 0, 0, ""), fieldOf("tag", cdr.BoundedWStringType, 0, 7, ""))
	empty := structOf("p/msg/Empty", fieldOf("structure_needs_at_least_one_member", cdr.Uint8Type, 0, 0, ""))
	main := structOf("p/msg/Main",
		fieldOf("points", cdr.NestedType+cdr.ArrayStep, 3, 0, "p/msg/Point"),
		fieldOf("names", cdr.BoundedStringType+cdr.BoundedSequenceStep, 4, 5, ""),
		fieldOf("nothing", cdr.NestedType, 0, 0, "p/msg/Empty"),
		fieldOf("bytes", cdr.ByteType+cdr.UnboundedSequenceStep, 0, 0, ""),
	)
	s, err := (&cdr.TypeDescription{Type: main, Referenced: []cdr.StructDescription{empty, point}}).Schema()
	if err != nil {
		t.Fatal(err)
	}
	if s.MinSize != 3*(8+4)+4+1+4 || len(s.Fields) != 4 {
		t.Errorf("got %+v", s)
	}
	if f := s.Fields[0]; f.Element != cdr.NestedType || f.Form != cdr.ArrayStep || f.Len != 3 || f.Nested.Fields[1].Bound != 7 {
		t.Errorf("points: got %+v", f)
	}
	if f := s.Fields[1]; f.Element != cdr.StringType || f.Form != cdr.BoundedSequenceStep || f.Len != 4 || f.Bound != 5 {
		t.Errorf("names: got %+v", f)
	}
	if f := s.Fields[2]; len(f.Nested.Fields) != 0 || f.Nested.MinSize != 1 {
		t.Errorf("nothing: got %+v", f.Nested)
	}
	if f := s.Fields[3]; f.Len != cdr.Unbounded || f.Bound != cdr.Unbounded {
		t.Errorf("bytes: got %+v", f)
	}
}

// chain describes types that contain each other n deep, the outermost first or last in the order
// in which they are resolved.
func chain(n int) []cdr.StructDescription {
	var all []cdr.StructDescription
	for i := range n {
		all = append(all, structOf(fmt.Sprintf("p/msg/T%d", i), fieldOf("next", cdr.NestedType, 0, 0, fmt.Sprintf("p/msg/T%d", i+1))))
	}
	return append(all, structOf(fmt.Sprintf("p/msg/T%d", n), fieldOf("x", cdr.Int8Type, 0, 0, "")))
}

func TestSchemaFaults(t *testing.T) {
	leaf := structOf("p/msg/Leaf", fieldOf("x", cdr.Float64Type, 0, 0, ""))
	main := func(fields ...cdr.FieldDescription) *cdr.TypeDescription {
		return &cdr.TypeDescription{Type: structOf("p/msg/Main", fields...), Referenced: []cdr.StructDescription{leaf}}
	}
	twoWays := chain(100)
	doubling := structOf("p/msg/Main",
		fieldOf("inner", cdr.NestedType, 0, 0, "p/msg/T60"), // resolved before the way that is too deep
		fieldOf("outer", cdr.NestedType, 0, 0, "p/msg/T0"))
	var wide []cdr.StructDescription // each twice as large as the next
	for i := range 40 {
		next := fmt.Sprintf("p/msg/W%d", i+1)
		wide = append(wide, structOf(fmt.Sprintf("p/msg/W%d", i), fieldOf("a", cdr.NestedType, 0, 0, next), fieldOf("b", cdr.NestedType, 0, 0, next)))
	}
	wide = append(wide, structOf("p/msg/W40", fieldOf("x", cdr.Float64Type, 0, 0, "")))

	tests := []struct {
		name string
		d    *cdr.TypeDescription
		want string
	}{
		{"missing", main(fieldOf("a", 1, 0, 0, "p/msg/None")), "p/msg/Main.a: p/msg/None is not described"},
		{"itself", main(fieldOf("a", 145, 0, 0, "p/msg/Main")), "p/msg/Main contains itself"},
		{"twice", main(fieldOf("a", 2, 0, 0, ""), fieldOf("a", 3, 0, 0, "")), `two fields "a"`},
		{"number 0", main(fieldOf("a", 0, 0, 0, "")), "type 0"},
		{"long double", main(fieldOf("a", 12, 0, 0, "")), "type 12"},
		{"number 255", main(fieldOf("a", 255, 0, 0, "")), "type 255"},
		{"empty array", main(fieldOf("a", 2+48, 0, 0, "")), "capacity 0"},
		{"bound 0", main(fieldOf("a", 2+96, 0, 0, "")), "capacity 0"},
		{"string bound 0", main(fieldOf("a", 21, 0, 0, "")), "string capacity 0"},
		{"huge array", main(fieldOf("a", 2+48, 1<<62, 0, "")), "do not fit"},
		{"large array", main(fieldOf("a", 11+48, 1<<26, 0, "")), "takes more than"},
		{"large array of structs", main(fieldOf("a", 1+48, 1<<26, 0, "p/msg/Leaf")), "takes more than"},
		{"deep", &cdr.TypeDescription{Type: twoWays[0], Referenced: twoWays[1:]}, "nested more than 64 deep"},
		{"deep behind shallow", &cdr.TypeDescription{Type: doubling, Referenced: twoWays}, "nested more than 64 deep"},
		{"wide", &cdr.TypeDescription{Type: wide[0], Referenced: wide[1:]}, "takes more than"},
	}
	for _, test := range tests {
		_, err := test.d.Schema()
		if !errors.Is(err, cdr.ErrInvalid) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.want)
		}
	}
	if _, err := (&cdr.TypeDescription{Type: twoWays[40], Referenced: twoWays}).Schema(); err != nil {
		t.Errorf("60 deep: %v", err)
	}
}

func TestTypeWithoutDescription(t *testing.T) {
	if _, err := (&cdr.Type{Name: "p/msg/T"}).Schema(); !errors.Is(err, cdr.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}
