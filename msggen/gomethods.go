package msggen

import "strconv"

// field is a field of a message and its name in Go.
type goField struct {
	*Field
	name string
}

// methodWriter writes the methods of one type that do not encode.
type methodWriter struct {
	*goWriter
	*shapes
	typ    string
	fields []goField
}

// methods writes Clone, Equal, Reset, SetDefaults and String.
func (w *methodWriter) methods(constructor string, m *Message) {
	w.comment(constructor + " returns a message with the defaults of its definition.")
	w.line("func ", constructor, "() *", w.typ, " {")
	w.line("m := new(", w.typ, ")\nm.SetDefaults()\nreturn m\n}\n")
	w.setDefaults(m)
	w.comment("Reset sets all fields to their zero values.")
	w.line("func (m *", w.typ, ") Reset() { *m = ", w.typ, "{} }\n")
	w.clone(m)
	w.equal()
	w.comment("String returns the message as YAML, as ros2 topic echo prints it.")
	w.line("func (m *", w.typ, ") String() string { return ", cdrIdent("Text"), "(m) }\n")
}

// hasDefaults tells whether a message or one that it contains gives a default.
func (s *shapes) hasDefaults(m *Message) bool {
	for _, f := range m.Fields {
		if f.Default != nil || s.nestedDefaults(f.Type) {
			return true
		}
	}
	return false
}

// nestedDefaults tells whether the elements of a field that is always there have defaults.
func (s *shapes) nestedDefaults(t Type) bool {
	return t.Base == Nested && (t.Array == Single || t.Array == Fixed) && s.hasDefaults(s.lookup(t.Nested))
}

func (w *methodWriter) setDefaults(m *Message) {
	w.comment("SetDefaults sets all fields to the defaults of the definition, to zero where it gives none.")
	if !w.hasDefaults(m) {
		w.line("func (m *", w.typ, ") SetDefaults() { *m = ", w.typ, "{} }\n")
		return
	}
	w.line("func (m *", w.typ, ") SetDefaults() {")
	w.line("*m = ", w.typ, "{")
	for _, f := range w.fields {
		if f.Default != nil {
			text, _ := w.literal(f.Type, Final(f.Default))
			w.line(f.name, ": ", text, ",")
		}
	}
	w.line("}")
	for _, f := range w.fields {
		switch {
		case !w.nestedDefaults(f.Type):
		case f.Type.Array == Single:
			w.line("m.", f.name, ".SetDefaults()")
		default:
			w.line("for i := range m.", f.name, " {\nm.", f.name, "[i].SetDefaults()\n}")
		}
	}
	w.line("}\n")
}

func (w *methodWriter) clone(m *Message) {
	w.comment("Clone returns a copy that shares no memory with m, strings excepted.")
	w.line("func (m *", w.typ, ") Clone() *", w.typ, " {")
	w.line("c := *m")
	for _, f := range w.fields {
		w.cloneField(f)
	}
	w.line("return &c\n}\n")
}

// cloneField makes the copy of a field deep that assigning left shallow.
func (w *methodWriter) cloneField(f goField) {
	sequence := f.Type.Array == Bounded || f.Type.Array == Unbounded
	deep := f.Type.Base == Nested && w.of(w.lookup(f.Type.Nested)).deep
	switch {
	case sequence && deep:
		w.line("c.", f.name, " = ", cdrIdent("CloneEach"), "(m.", f.name, ")")
	case sequence:
		w.line("c.", f.name, " = ", slicesIdent("Clone"), "(m.", f.name, ")")
	case deep && f.Type.Array == Single:
		w.line("c.", f.name, " = *m.", f.name, ".Clone()")
	case deep:
		w.line("for i := range c.", f.name, " {\nc.", f.name, "[i] = *m.", f.name, "[i].Clone()\n}")
	}
}

func (w *methodWriter) equal() {
	w.comment("Equal tells whether both messages encode to the same bytes.")
	w.line("func (m *", w.typ, ") Equal(o *", w.typ, ") bool {")
	if len(w.fields) == 0 {
		w.line("return true\n}\n")
		return
	}
	for i, f := range w.fields {
		start, end := "return ", " &&"
		if i > 0 {
			start = ""
		}
		if i == len(w.fields)-1 {
			end = ""
		}
		w.equalField(f, start, end)
	}
	w.line("}\n")
}

func (w *methodWriter) equalField(f goField, start, end string) {
	m, o := "m."+f.name, "o."+f.name
	if f.Type.Array == Fixed {
		m, o = m+"[:]", o+"[:]"
	}
	float := f.Type.Base == Float32 || f.Type.Base == Float64
	switch {
	case f.Type.Base == Nested && f.Type.Array == Single:
		w.line(start, m, ".Equal(&", o, ")", end)
	case f.Type.Base == Nested:
		w.line(start, cdrIdent("EqualEach"), "(", m, ", ", o, ")", end)
	case float && f.Type.Array == Single:
		bits := mathIdent("Float" + strconv.Itoa(8*f.Type.Base.width()) + "bits")
		w.line(start, bits, "(", m, ") == ", bits, "(", o, ")", end)
	case float:
		w.line(start, cdrIdent("EqualBits"), "(", m, ", ", o, ")", end)
	case f.Type.Array == Single || f.Type.Array == Fixed:
		w.line(start, "m.", f.name, " == o.", f.name, end)
	default:
		w.line(start, slicesIdent("Equal"), "(", m, ", ", o, ")", end)
	}
}
