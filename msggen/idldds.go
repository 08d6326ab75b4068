package msggen

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// dds writes all messages of a definition for DDS compilers.
func (w *idlWriter) dds(def *Definition) {
	name := def.Name
	if idlWords[name.Package] {
		w.fail("package name %q is a word of IDL, C or C++; rename the package", name.Package)
	}
	messages := Derive(def)
	for _, m := range messages {
		w.own[m.Name] = true
	}
	w.scope = ddsScope(def.Name, messages)
	guard := strings.Replace(IDLPath(name, FlavourDDS), ".", "_", 1)
	w.line("#ifndef %s", guard)
	w.line("#define %s", guard)
	w.line("")
	w.includes(messages)
	w.begin("module %s", name.Package)
	w.begin("module %s", name.Kind)
	w.begin("module dds_")
	for i, m := range messages {
		if i > 0 {
			w.line("")
		}
		w.ddsConstants(m)
		w.ddsComment(m.Comment, "")
		w.line("@final")
		w.begin("struct %s_", m.Name.Name)
		w.ddsFields(m)
		w.end()
	}
	w.end()
	w.end()
	w.end()
	w.line("")
	w.line("#endif")
}

// ddsConstants writes a module of the constants that have a literal. For infinity and NaN IDL has
// none, and fastddsgen loses empty strings.
func (w *idlWriter) ddsConstants(m *Message) {
	var constants []*Constant
	for _, c := range m.Const {
		if ddsHasLiteral(c) {
			constants = append(constants, c)
		} else {
			w.line("// There is no constant %s_: its value %s has no form that all compilers take.", c.Name, pythonRepr(c.Value))
		}
	}
	if len(constants) == 0 {
		return
	}
	w.begin("module %s_Constants_", m.Name.Name)
	for _, c := range constants {
		w.ddsComment(c.Comment, c.Unit)
		w.line("const %s %s_ = %s;", w.element(c.Type, ddsScoped), c.Name, ddsLiteral(c))
	}
	w.end()
	w.line("")
}

func (w *idlWriter) ddsFields(m *Message) {
	fields := m.WireFields()
	members := w.ddsMembers(fields)
	for _, f := range fields {
		w.ddsComment(f.Comment, f.Unit)
		key := ""
		if f.Key {
			key = "@key "
		}
		typ, dimension := w.ddsType(f.Type)
		w.line("%s%s %s%s;", key, typ, members[f.Name], dimension)
	}
}

// ddsScope returns the names, in lower case, of the types in the module of a definition that its
// file uses.
func ddsScope(name TypeName, messages []*Message) map[string]bool {
	scope := make(map[string]bool)
	for _, m := range messages {
		scope[strings.ToLower(m.Name.Name)+"_"] = true
		for _, f := range m.Fields {
			if n := f.Type.Nested; n.Package == name.Package && n.Kind == name.Kind {
				scope[strings.ToLower(n.Name)+"_"] = true
			}
		}
	}
	return scope
}

// ddsMembers returns the names that fields have in IDL. Underscores go behind reserved words and
// behind names that fastddsgen gives to other things: it keeps the field x in a variable m_x, and
// it sees a clash between the member map_ and a type Map_ of the same module.
func (w *idlWriter) ddsMembers(fields []*Field) map[string]string {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b *Field) int { return len(a.Name) - len(b.Name) })
	members := make(map[string]string)
	variables := make(map[string]bool)
	for _, f := range fields {
		name := f.Name
		for idlWords[name] || headerWords[name] || variables[name] || w.scope[name] {
			name += "_"
		}
		members[f.Name] = name
		variables["m_"+name] = true
	}
	return members
}

// ddsComment writes comments for people. A backslash at the end would join the next line to them.
func (w *idlWriter) ddsComment(lines []string, unit string) {
	for _, text := range lines {
		w.line("%s", strings.TrimRight("// "+text, `\ `))
	}
	if unit != "" {
		w.line("%s", strings.TrimRight("// unit: "+strings.ReplaceAll(unit, "\n", " "), `\ `))
	}
}

func (w *idlWriter) ddsType(t Type) (typ, dimension string) {
	element := w.element(t, ddsScoped)
	switch t.Array {
	case Fixed:
		return element, fmt.Sprintf("[%d]", t.Len)
	case Bounded:
		return fmt.Sprintf("sequence<%s, %d>", element, t.Len), ""
	case Unbounded:
		if strings.HasSuffix(element, ">") {
			element += " " // the compilers read >> as a shift
		}
		return fmt.Sprintf("sequence<%s>", element), ""
	}
	return element, ""
}

func ddsScoped(n TypeName) string {
	return n.Package + "::" + n.Kind.String() + "::dds_::" + n.Name + "_"
}

func ddsHasLiteral(c *Constant) bool {
	switch v := c.Value.(type) {
	case string:
		return v != ""
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0) && (c.Type.Base == Float64 || math.Abs(v) <= math.MaxFloat32)
	}
	return true
}

func ddsLiteral(c *Constant) string {
	switch v := Final(c.Value).(type) {
	case bool:
		return strings.ToUpper(fmt.Sprint(v))
	case string:
		if c.Type.Base == WString {
			return "L" + ddsString(v)
		}
		return ddsString(v)
	default:
		return pythonRepr(v)
	}
}

// ddsString writes a string with octal escapes: those mean the same to IDL and, since fastddsgen
// copies them, to C++, while it cannot read an escaped quote.
func ddsString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
