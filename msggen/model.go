package msggen

import "strconv"

// Kind tells which sort of interface file a definition comes from.
type Kind uint8

// The kinds of interface files.
const (
	Msg Kind = iota
	Srv
	Action
)

// String returns the kind as it stands in a type name: "msg", "srv" or "action".
func (k Kind) String() string { return [...]string{"msg", "srv", "action"}[k] }

// TypeName names a type as ROS 2 does: package, kind and name.
type TypeName struct {
	Package string
	Kind    Kind
	Name    string
}

// String returns "package/kind/Name".
func (n TypeName) String() string { return n.Package + "/" + n.Kind.String() + "/" + n.Name }

// Base is the type of a single element: a primitive, a string or another message.
type Base uint8

// The base types of the .msg format. Time and Duration pass the first stage of ROS 2 only: a
// definition that was parsed without a diagnostic never holds them.
const (
	Bool Base = iota
	Byte
	Char
	Int8
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Uint64
	Float32
	Float64
	String
	WString
	Nested
	Time
	Duration
)

var baseNames = [...]string{"bool", "byte", "char", "int8", "uint8", "int16", "uint16", "int32",
	"uint32", "int64", "uint64", "float32", "float64", "string", "wstring", "", "time", "duration"}

// String returns the name in .msg syntax, and "" for Nested.
func (b Base) String() string { return baseNames[b] }

// Array tells how often an element occurs in a field.
type Array uint8

// The array forms of the .msg format.
const (
	Single    Array = iota
	Fixed           // T[N]
	Bounded         // T[<=N]
	Unbounded       // T[]
)

// Type is the type of a field or constant.
type Type struct {
	Base   Base
	Bound  int      // most code points of a bounded string, 0 where there is no bound
	Nested TypeName // the element's type where Base is Nested
	Array  Array
	Len    int // N of a Fixed or Bounded array
}

// Element returns the type without its array part.
func (t Type) Element() Type {
	t.Array, t.Len = Single, 0
	return t
}

// String returns the type in .msg syntax with full names: "string<=5[<=3]", "std_msgs/Header[]".
func (t Type) String() string {
	s := t.Base.String()
	switch {
	case t.Base == Nested:
		s = t.Nested.Package + "/" + t.Nested.Name
	case t.Bound > 0:
		s += "<=" + strconv.Itoa(t.Bound)
	}
	switch t.Array {
	case Fixed:
		s += "[" + strconv.Itoa(t.Len) + "]"
	case Bounded:
		s += "[<=" + strconv.Itoa(t.Len) + "]"
	case Unbounded:
		s += "[]"
	}
	return s
}

// Value is a constant's value or a field's default. Its dynamic type is bool, int64, uint64
// (only above the range of int64), float64, string or []Value.
type Value any

// Pos is a place in a source file, as ROS 2 splits it into lines. Line and column count from 1, the column in code points.
type Pos struct {
	Line, Column int
}

// Field is a member that goes over the wire.
type Field struct {
	Name    string
	Type    Type
	Default Value // as written, nil where the definition gives none; see Final
	Comment []string
	Unit    string
	Key     bool // marked with a comment that begins with @key
	Pos     Pos  // of the name; the type starts in column 1 of the same line
}

// Constant is a named value of a message.
type Constant struct {
	Name    string
	Type    Type
	Value   Value // as written; see Final
	Comment []string
	Unit    string
	Pos     Pos // of the name; the type starts in column 1 of the same line
}

// Message is one struct: a .msg file, a section of a .srv or .action file, or a derived type.
type Message struct {
	Name    TypeName // the name of a section carries its suffix: SetBool_Request
	Fields  []*Field
	Const   []*Constant
	Order   []any // the same fields and constants in source order
	Comment []string
	Unit    string

	compound bool // a service or action in the form of a message
}

// Definition is one interface file.
type Definition struct {
	File     string // as given by the caller, for messages
	Name     TypeName
	Sections []*Message // one of a .msg, two of a .srv, three of an .action
}
