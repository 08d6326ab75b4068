package cdr

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"
)

// TypeDescription describes a type together with all types it contains, in the terms of
// type_description_interfaces/msg/TypeDescription.
type TypeDescription struct {
	Type       StructDescription
	Referenced []StructDescription // each once, in the order of their names
}

// StructDescription describes one struct. It is what ROS 2 calls an individual type description.
type StructDescription struct {
	Name   string // "std_msgs/msg/Header"
	Fields []FieldDescription
}

// FieldDescription describes one field.
type FieldDescription struct {
	Name    string
	Type    FieldType
	Default string // empty where there is none, not part of the hash: 5, 1.5, True, text, (1, 2), ('a',)
}

// FieldType is the type of a field.
type FieldType struct {
	ID             TypeID
	Capacity       uint64 // length of an array, most elements of a bounded sequence, else 0
	StringCapacity uint64 // most characters of a bounded string, else 0
	Nested         string // name of the contained type, empty unless the base is NestedType
}

// TypeID numbers the types of fields as type_description_interfaces/msg/FieldType does: the number
// of the element's type plus the step of the array form.
type TypeID uint8

// The types of elements. Those that only IDL files can name are left out.
const (
	NestedType         TypeID = 1
	Int8Type           TypeID = 2
	Uint8Type          TypeID = 3 // also char
	Int16Type          TypeID = 4
	Uint16Type         TypeID = 5
	Int32Type          TypeID = 6
	Uint32Type         TypeID = 7
	Int64Type          TypeID = 8
	Uint64Type         TypeID = 9
	Float32Type        TypeID = 10
	Float64Type        TypeID = 11
	BoolType           TypeID = 15
	ByteType           TypeID = 16
	StringType         TypeID = 17
	WStringType        TypeID = 18
	BoundedStringType  TypeID = 21
	BoundedWStringType TypeID = 22
)

// The steps of the array forms.
const (
	ArrayStep             TypeID = 48
	BoundedSequenceStep   TypeID = 96
	UnboundedSequenceStep TypeID = 144
)

// Element returns the type of an element.
func (id TypeID) Element() TypeID {
	if id == 0 {
		return 0
	}
	return (id-1)%ArrayStep + 1
}

// Form returns the step of the array form, 0 for a single value.
func (id TypeID) Form() TypeID { return id - id.Element() }

// NewTypeDescription returns the description of main, which contains the types that nested
// describes, each with what it contains itself.
func NewTypeDescription(main StructDescription, nested ...*TypeDescription) *TypeDescription {
	byName := make(map[string]StructDescription)
	for _, d := range nested {
		byName[d.Type.Name] = d.Type
		for _, r := range d.Referenced {
			byName[r.Name] = r
		}
	}
	referenced := slices.SortedFunc(maps.Values(byName), func(a, b StructDescription) int {
		return cmp.Compare(a.Name, b.Name)
	})
	return &TypeDescription{Type: main, Referenced: referenced}
}

// Hash returns the RIHS01 hash of the description (REP-2016): "RIHS01_" and the SHA-256, in
// hexadecimal, of its JSON text in a fixed form.
func (d *TypeDescription) Hash() string {
	sum := sha256.Sum256(d.appendText(nil))
	return "RIHS01_" + hex.EncodeToString(sum[:])
}

func (d *TypeDescription) appendText(b []byte) []byte {
	b = append(b, `{"type_description": `...)
	b = d.Type.appendText(b)
	b = append(b, `, "referenced_type_descriptions": [`...)
	for i := range d.Referenced {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = d.Referenced[i].appendText(b)
	}
	return append(b, "]}"...)
}

func (s *StructDescription) appendText(b []byte) []byte {
	b = append(b, `{"type_name": `...)
	b = appendASCII(b, s.Name)
	b = append(b, `, "fields": [`...)
	for i := range s.Fields {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = s.Fields[i].appendText(b)
	}
	return append(b, "]}"...)
}

func (f *FieldDescription) appendText(b []byte) []byte {
	b = append(b, `{"name": `...)
	b = appendASCII(b, f.Name)
	b = append(b, `, "type": {"type_id": `...)
	b = strconv.AppendUint(b, uint64(f.Type.ID), 10)
	b = append(b, `, "capacity": `...)
	b = strconv.AppendUint(b, f.Type.Capacity, 10)
	b = append(b, `, "string_capacity": `...)
	b = strconv.AppendUint(b, f.Type.StringCapacity, 10)
	b = append(b, `, "nested_type_name": `...)
	b = appendASCII(b, f.Type.Nested)
	return append(b, "}}"...)
}

// appendASCII appends s as a JSON string that holds nothing but printable ASCII.
func appendASCII(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case ' ' <= r && r < 0x7f:
			b = append(b, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = appendEscape(appendEscape(b, high), low)
		default:
			b = appendEscape(b, r)
		}
	}
	return append(b, '"')
}

func appendEscape(b []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
