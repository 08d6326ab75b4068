package cdr

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text returns m as YAML in the form of `ros2 topic echo`, without the line break at the end. A
// message that cannot be encoded gives the error text in angle brackets. It works for generated
// and dynamic messages alike.
func Text(m Message) string {
	text, err := AppendText(nil, m)
	if err != nil {
		return "<" + err.Error() + ">"
	}
	return string(text)
}

// AppendText appends m to dst as YAML in the form of `ros2 topic echo`, without the line break at
// the end. Like there, a value of the type byte is printed as the character with this number, and
// a float32 with the digits of the float64 it converts to. The error is that of Marshal, or of
// Type.Schema; dst is returned as it was then.
func AppendText(dst []byte, m Message, options ...TextOption) ([]byte, error) {
	p := textPrinter{dst: dst, truncate: Unbounded}
	for _, o := range options {
		o(&p)
	}
	err := walk(m, func(d *Decoder, s *Schema) {
		p.d = d
		p.fields(s, 0, false)
	})
	if err != nil {
		return dst, err
	}
	return p.dst, nil
}

// TextOption changes what AppendText prints. The options are those of `ros2 topic echo`.
type TextOption func(*textPrinter)

// FlowStyle prints every array on one line, in brackets.
func FlowStyle() TextOption { return func(p *textPrinter) { p.flow = true } }

// NoArrays prints type and length of arrays instead of their elements.
func NoArrays() TextOption { return func(p *textPrinter) { p.noArrays = true } }

// NoStrings prints the lengths of strings instead of their text.
func NoStrings() TextOption { return func(p *textPrinter) { p.noStrings = true } }

// TruncateLength prints no more than the first n elements of an array and the first n code points
// of a string, followed by three dots.
func TruncateLength(n int) TextOption { return func(p *textPrinter) { p.truncate = max(n, 0) } }

// textPrinter prints what it reads from d. Indentations are counted in blanks.
type textPrinter struct {
	d         *Decoder
	dst       []byte
	flow      bool
	noArrays  bool
	noStrings bool
	truncate  int
}

func (p *textPrinter) print(s string) { p.dst = append(p.dst, s...) }

func (p *textPrinter) newline(indent int) { p.dst = appendBlanks(append(p.dst, '\n'), indent) }

// fields prints the fields of a message: inline all in braces, else one a line, from the current
// place on, which is in column indent.
func (p *textPrinter) fields(s *Schema, indent int, inline bool) {
	if len(s.Fields) == 0 {
		p.print("{}")
		p.d.endOf(s)
		return
	}
	if inline {
		p.print("{")
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		switch {
		case i == 0:
		case inline:
			p.print(", ")
		default:
			p.newline(indent)
		}
		p.dst = append(appendYAMLString(p.dst, f.Name, inline, indent), ':')
		p.value(f, indent, inline)
	}
	if inline {
		p.print("}")
	}
}

// value prints what follows the colon of a field.
func (p *textPrinter) value(f *SchemaField, indent int, inline bool) {
	switch {
	case f.Form != 0:
		p.array(f, indent, inline)
	case f.Element == NestedType && len(f.Nested.Fields) > 0 && !inline:
		p.newline(indent + 2)
		p.fields(f.Nested, indent+2, false)
	default:
		p.print(" ")
		p.element(f, indent+2, inline)
	}
}

func (p *textPrinter) array(f *SchemaField, indent int, inline bool) {
	n := p.d.length(f)
	if p.noArrays {
		p.skip(f, n)
		p.dst = appendYAMLString(append(p.dst, ' '), f.Abbreviate(n), inline, indent+2)
		return
	}
	if n == 0 {
		p.print(" []")
		return
	}
	open, next, end, column := " [", ", ", "]", indent+4
	if inline = inline || p.flow; !inline {
		next, end, column = "\n"+strings.Repeat(" ", indent)+"- ", "", indent+2
		open = next
	}
	for i := range n {
		if p.print(open); i == p.truncate {
			p.print("'...'")
			p.skip(f, n-i)
			break
		}
		p.element(f, column, inline)
		open = next
	}
	p.print(end)
}

// element prints a single value. Further lines of it begin in column indent.
func (p *textPrinter) element(f *SchemaField, indent int, inline bool) {
	switch f.Element {
	case NestedType:
		p.fields(f.Nested, indent, inline)
	case StringType, WStringType:
		s := p.d.textOf(f)
		if p.noStrings {
			s = fmt.Sprintf("<string length: <%d>>", utf8.RuneCountInString(s))
		} else {
			s = p.shorten(s)
		}
		p.dst = appendYAMLString(p.dst, s, inline, indent)
	case ByteType:
		p.dst = appendYAMLString(p.dst, p.shorten(string(rune(p.d.Uint8(f.Name)))), inline, indent)
	case Float32Type:
		p.dst = appendYAMLFloat(p.dst, float64(p.d.Float32(f.Name)))
	case Float64Type:
		p.dst = appendYAMLFloat(p.dst, p.d.Float64(f.Name))
	default:
		p.dst = appendInteger(p.dst, p.d, f)
	}
}

// skip reads n elements without printing them.
func (p *textPrinter) skip(f *SchemaField, n int) {
	if f.isNumber() {
		p.d.elements(f.Name, f.elementSize(), n, f.elementSize())
		return
	}
	for size := len(p.dst); n > 0 && !p.d.Failed(); n-- {
		p.element(f, 0, true)
		p.dst = p.dst[:size]
	}
}

// shorten cuts s after the number of code points that is printed of it.
func (p *textPrinter) shorten(s string) string {
	if len(s) <= p.truncate {
		return s
	}
	points := 0
	for i := range s {
		if points == p.truncate {
			return s[:i] + "..."
		}
		points++
	}
	return s
}

// Abbreviate returns what stands for the n elements of an array or sequence where they are not
// printed: "<sequence type: double, length: 3>". The names of types are those of IDL.
func (f *SchemaField) Abbreviate(n int) string {
	name := idlNames[f.Element]
	if f.Element == NestedType {
		name = f.Nested.Name
	}
	switch f.Form {
	case ArrayStep:
		return fmt.Sprintf("<array type: %s[%d]>", name, n)
	case BoundedSequenceStep:
		return fmt.Sprintf("<sequence type: %s[%d], length: %d>", name, f.Len, n)
	}
	return fmt.Sprintf("<sequence type: %s, length: %d>", name, n)
}

var idlNames = [...]string{
	BoolType: "boolean", ByteType: "octet", Int8Type: "int8", Uint8Type: "uint8", Int16Type: "int16",
	Uint16Type: "uint16", Int32Type: "int32", Uint32Type: "uint32", Int64Type: "int64",
	Uint64Type: "uint64", Float32Type: "float", Float64Type: "double", StringType: "string",
	WStringType: "wstring",
}
