package msggen

import (
	"fmt"
	"strings"
)

// ros writes the sections of a definition as the adapter of ROS 2 does.
func (w *idlWriter) ros(def *Definition) {
	w.includes(def.Sections)
	w.begin("module %s", def.Name.Package)
	w.begin("module %s", def.Name.Kind)
	for i, m := range def.Sections {
		if i > 0 {
			w.line("")
		}
		w.rosTypedefs(m)
		w.rosConstants(m)
		w.rosComment(m.Comment)
		w.begin("struct %s", m.Name.Name)
		for j, f := range m.WireFields() {
			if j > 0 {
				w.line("")
			}
			w.rosField(f)
		}
		w.end()
	}
	w.end()
	w.end()
}

// rosTypedefs names the fixed arrays of a message, for which the parser of ROS 2 wants a name, and
// the messages in them, for which it does too.
func (w *idlWriter) rosTypedefs(m *Message) {
	written := make(map[string]bool)
	define := func(typ, name, dimension string) {
		if !written[name] {
			written[name] = true
			w.line("typedef %s %s%s;", typ, name, dimension)
		}
	}
	for _, f := range m.Fields {
		if f.Type.Array != Fixed {
			continue
		}
		element := w.element(f.Type, rosScoped)
		if f.Type.Base == Nested {
			name := rosIdentifier(element)
			define(element, name, "")
			element = name
		}
		define(element, w.rosType(f.Type), fmt.Sprintf("[%d]", f.Type.Len))
	}
}

func (w *idlWriter) rosConstants(m *Message) {
	if len(m.Const) == 0 {
		return
	}
	w.begin("module %s_Constants", m.Name.Name)
	for _, c := range m.Const {
		w.rosComment(c.Comment)
		w.line("const %s %s = %s;", w.rosType(c.Type), c.Name, w.rosLiteral(c.Value))
	}
	w.end()
}

func (w *idlWriter) rosField(f *Field) {
	w.rosComment(f.Comment)
	if f.Default != nil {
		w.line("@default (value=%s)", w.rosLiteral(f.Default))
	}
	if f.Unit != "" {
		w.line("@unit (value=%s)", w.rosString(f.Unit))
	}
	w.line("%s %s;", w.rosType(f.Type), f.Name)
}

func (w *idlWriter) rosComment(lines []string) {
	if len(lines) == 0 {
		return
	}
	w.line(`@verbatim (language="comment", text=`)
	for i, text := range lines {
		end := ` "\n"`
		if i == len(lines)-1 {
			end = ")"
		}
		w.line("  %s%s", w.rosString(text), end)
	}
}

func (w *idlWriter) rosType(t Type) string {
	element := w.element(t, rosScoped)
	switch t.Array {
	case Fixed:
		return fmt.Sprintf("%s__%d", rosIdentifier(element), t.Len)
	case Bounded:
		return fmt.Sprintf("sequence<%s, %d>", element, t.Len)
	case Unbounded:
		return fmt.Sprintf("sequence<%s>", element)
	}
	return element
}

func rosScoped(n TypeName) string { return n.Package + "::" + n.Kind.String() + "::" + n.Name }

// rosIdentifier makes the name of a type one that a typedef can define.
func rosIdentifier(typ string) string {
	return strings.NewReplacer("::", "__", "<", "__", ">", "").Replace(typ)
}

// rosLiteral writes a constant or default. An array is a string that holds a Python tuple.
func (w *idlWriter) rosLiteral(v Value) string {
	if problem := idlProblem(v); problem != "" {
		w.fail("%v: %s", v, problem)
	}
	switch v := v.(type) {
	case bool:
		return strings.ToUpper(fmt.Sprint(v))
	case string:
		return w.rosString(v)
	case []Value:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(pythonRepr(v)) + `"`
	}
	return pythonRepr(v)
}

// rosString writes a text whose escapes the adapter of ROS 2 resolves.
func (w *idlWriter) rosString(s string) string {
	if _, problem := idlString(s); problem != "" {
		w.fail("%q: %s", s, problem)
		return `""`
	}
	decoded, _ := decodePython(s)
	return `"` + strings.ReplaceAll(decoded, `"`, `\"`) + `"`
}
