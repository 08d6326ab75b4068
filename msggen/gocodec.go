package msggen

import (
	"fmt"
	"strconv"
	"strings"
)

// Identifiers of the packages that generated code uses.
func cdrIdent(name string) goIdent    { return goIdent{cdrPath, "cdr", name} }
func mathIdent(name string) goIdent   { return goIdent{"math", "math", name} }
func slicesIdent(name string) goIdent { return goIdent{"slices", "slices", name} }

// littleEndian is the byte order that is written. Decoders turn fixed runs into it.
var littleEndian = goIdent{"encoding/binary", "binary", "LittleEndian"}

// codecWriter writes the methods of one type that encode, decode and measure its messages.
type codecWriter struct {
	*goWriter
	*shapes
	typ string // the Go type
}

// methods writes SizeCDR, EncodeCDR and DecodeCDR, or with infix Key those for the members given.
func (w *codecWriter) methods(infix, what string, members []member) {
	parts := w.layout(members)
	w.comment("Size" + infix + "CDR implements " + what + ".")
	w.line("func (m *", w.typ, ") Size", infix, "CDR(off int) int {")
	w.size(parts)
	w.line("}\n")
	w.comment("Encode" + infix + "CDR implements " + what + ".")
	w.line("func (m *", w.typ, ") Encode", infix, "CDR(e *", cdrIdent("Encoder"), ") {")
	for i, p := range parts {
		switch p := p.(type) {
		case *run:
			w.encodeRun(p)
		case member:
			w.checkBefore(i, "e", w.namesEncode(p))
			w.encode(p)
		}
	}
	w.line("}\n")
	w.comment("Decode" + infix + "CDR implements " + what + ".")
	w.line("func (m *", w.typ, ") Decode", infix, "CDR(d *", cdrIdent("Decoder"), ") {")
	for i, p := range parts {
		switch p := p.(type) {
		case *run:
			w.decodeRun(p)
		case member:
			w.checkBefore(i, "d", w.namesDecode(p))
			w.decode(p)
		}
	}
	w.line("}\n")
}

// checkBefore keeps a member that completes the paths of faults from touching the path of one that
// occurred before it.
func (w *codecWriter) checkBefore(index int, coder string, names bool) {
	if names && index > 0 {
		w.line("if ", coder, ".Failed() {\nreturn\n}")
	}
}

// namesEncode tells whether the code that encodes a member completes the path of a fault in it.
func (w *codecWriter) namesEncode(m member) bool {
	return m.typ.Base == Nested && !w.of(m.msg).safe
}

// namesDecode tells the same of the code that decodes it.
func (w *codecWriter) namesDecode(m member) bool {
	return m.typ.Base == Nested && !(w.of(m.msg).aligned > 0 && m.typ.Array != Single)
}

// size writes the body of SizeCDR.
func (w *codecWriter) size(parts []any) {
	if r, ok := parts[0].(*run); ok && len(parts) == 1 {
		if r.align == 1 {
			w.line("return ", r.size)
			return
		}
		w.line("return ", cdrIdent("Align"), "(off, ", r.align, ") + ", r.size, " - off")
		return
	}
	w.line("n := off")
	for _, p := range parts {
		switch p := p.(type) {
		case *run:
			if p.align == 1 {
				w.line("n += ", p.size)
			} else {
				w.line("n = ", cdrIdent("Align"), "(n, ", p.align, ") + ", p.size)
			}
		case member:
			w.sizeMember(p)
		}
	}
	w.line("return n - off")
}

func (w *codecWriter) sizeMember(m member) {
	sequence := m.typ.Array == Bounded || m.typ.Array == Unbounded
	sh := shape{}
	if m.msg != nil {
		sh = *w.of(m.msg)
	}
	switch {
	case m.typ.Base == Nested && m.typ.Array == Single:
		w.line("n += ", m.expr, ".SizeCDR(n)")
	case m.typ.Array == Single && m.typ.Base == String:
		w.line("n = ", cdrIdent("Align"), "(n, 4) + 5 + len(", m.expr, ")")
	case m.typ.Array == Single && m.typ.Base == WString:
		w.line("n = ", cdrIdent("Align"), "(n, 4) + ", cdrIdent("SizeWString"), "(", m.expr, ")")
	case m.typ.Base.width() > 0:
		w.line("n = ", cdrIdent("SizeSequence"), "(n, len(", m.expr, "), ", m.typ.Base.width(), ", ", m.typ.Base.width(), ")")
	case sh.aligned > 0 && sequence:
		w.line("n = ", cdrIdent("SizeSequence"), "(n, len(", m.expr, "), ", sh.size, ", ", sh.aligned, ")")
	case sh.aligned > 0:
		w.line("n = ", cdrIdent("Align"), "(n, ", sh.aligned, ") + ", sh.size*m.typ.Len)
	default:
		if sequence {
			w.line("n = ", cdrIdent("Align"), "(n, 4) + 4")
		}
		w.sizeElements(m)
	}
}

func (w *codecWriter) sizeElements(m member) {
	switch m.typ.Base {
	case String:
		w.line("n = ", cdrIdent("SizeStrings"), "(n, ", slice(m), ")")
	case WString:
		w.line("n = ", cdrIdent("SizeWStrings"), "(n, ", slice(m), ")")
	default:
		w.line("for i := range ", m.expr, " {")
		w.line("n += ", m.expr, "[i].SizeCDR(n)")
		w.line("}")
	}
}

// slice returns the elements of an array or sequence as a slice.
func slice(m member) string {
	if m.typ.Array == Fixed {
		return m.expr + "[:]"
	}
	return m.expr
}

// encodeRun writes a run of fixed members at once.
func (w *codecWriter) encodeRun(r *run) {
	w.line("if b := e.Fixed", r.align, "(", r.size, "); len(b) >= ", r.size, " {")
	gaps := r.gaps
	for _, m := range r.members {
		if len(gaps) > 0 && gaps[0].offset < m.offset {
			w.clear(gaps[0])
			gaps = gaps[1:]
		}
		w.put(m)
	}
	w.line("}")
}

// clear writes padding.
func (w *codecWriter) clear(g gap) {
	var left, right []string
	for i := range g.size {
		left = append(left, fmt.Sprintf("b[%d]", g.offset+i))
		right = append(right, "0")
	}
	w.line(strings.Join(left, ", "), " = ", strings.Join(right, ", "), " // padding")
}

// part returns the Go text of the bytes of m in its run.
func (m placed) part() string {
	return fmt.Sprintf("b[%d:%d]", m.offset, m.offset+m.typ.Base.width()*m.count())
}

func (w *codecWriter) put(m placed) {
	at := fmt.Sprintf("b[%d]", m.offset)
	bits := 8 * m.typ.Base.width()
	switch {
	case m.pad:
		w.line(at, " = 0 // a struct without members takes a byte")
	case m.typ.Array == Fixed && m.typ.Base == Bool:
		w.line(cdrIdent("PutBools"), "(", m.part(), ", ", m.expr, "[:])")
	case m.typ.Array == Fixed:
		w.line(cdrIdent("Put"), "(", m.part(), ", ", m.expr, "[:])")
	case m.typ.Base == Bool:
		w.line(at, " = ", cdrIdent("BoolByte"), "(", m.expr, ")")
	case m.typ.Base == Int8:
		w.line(at, " = byte(", m.expr, ")")
	case bits == 8:
		w.line(at, " = ", m.expr)
	case m.typ.Base == Float32 || m.typ.Base == Float64:
		w.line(littleEndian, ".PutUint", bits, "(", m.part(), ", ", mathIdent("Float"+strconv.Itoa(bits)+"bits"), "(", m.expr, "))")
	case m.typ.Base == Uint16 || m.typ.Base == Uint32 || m.typ.Base == Uint64:
		w.line(littleEndian, ".PutUint", bits, "(", m.part(), ", ", m.expr, ")")
	default:
		w.line(littleEndian, ".PutUint", bits, "(", m.part(), ", uint", bits, "(", m.expr, "))")
	}
}

// decodeRun writes the reading of a run.
func (w *codecWriter) decodeRun(r *run) {
	w.line("if b := d.Fixed", r.align, "(", strconv.Quote(r.span()), ", ", r.size, ", ", hexString(r.conversion()), "); len(b) >= ", r.size, " {")
	for _, m := range r.members {
		w.get(m)
	}
	w.line("}")
}

// hexString returns s as a Go string literal in hexadecimal.
func hexString(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, `\x%02x`, s[i])
	}
	return `"` + b.String() + `"`
}

func (w *codecWriter) get(m placed) {
	at := fmt.Sprintf("b[%d]", m.offset)
	bits := 8 * m.typ.Base.width()
	switch {
	case m.pad:
	case m.typ.Array == Fixed && m.typ.Base == Bool:
		w.line(cdrIdent("GetBools"), "(", m.expr, "[:], ", m.part(), ")")
	case m.typ.Array == Fixed:
		w.line(cdrIdent("Get"), "(", m.expr, "[:], ", m.part(), ")")
	case m.typ.Base == Bool:
		w.line(m.expr, " = ", at, " != 0")
	case m.typ.Base == Int8:
		w.line(m.expr, " = int8(", at, ")")
	case bits == 8:
		w.line(m.expr, " = ", at)
	case m.typ.Base == Float32 || m.typ.Base == Float64:
		w.line(m.expr, " = ", mathIdent("Float"+strconv.Itoa(bits)+"frombits"), "(", littleEndian, ".Uint", bits, "(", m.part(), "))")
	case m.typ.Base == Uint16 || m.typ.Base == Uint32 || m.typ.Base == Uint64:
		w.line(m.expr, " = ", littleEndian, ".Uint", bits, "(", m.part(), ")")
	default:
		w.line(m.expr, " = int", bits, "(", littleEndian, ".Uint", bits, "(", m.part(), "))")
	}
}

// encode writes a member that is not part of a run.
func (w *codecWriter) encode(m member) {
	name := strconv.Quote(m.path)
	if m.typ.Array == Bounded {
		w.line("if !e.CheckLen(", name, ", len(", m.expr, "), ", m.typ.Len, ") {\nreturn\n}")
	}
	if m.typ.Array != Single {
		w.encodeMany(m, name)
		return
	}
	switch m.typ.Base {
	case String:
		if m.typ.Bound > 0 {
			w.line("if !e.CheckString(", name, ", ", m.expr, ", ", m.typ.Bound, ") {\nreturn\n}")
		}
		w.line("e.String(", m.expr, ")")
	case WString:
		if m.typ.Bound > 0 {
			w.line("if !e.CheckWString(", name, ", ", m.expr, ", ", m.typ.Bound, ") {\nreturn\n}")
		}
		w.line("e.WString(", name, ", ", m.expr, ")")
	case Nested:
		w.nestedCall(m, "e", "Encode")
	}
}

// bound returns the Go text of the bound of a string.
func bound(w *codecWriter, m member) string {
	if m.typ.Bound > 0 {
		return strconv.Itoa(m.typ.Bound)
	}
	return w.ident(cdrIdent("Unbounded"))
}

// length returns the Go text of the bound of a sequence.
func length(w *codecWriter, m member) string {
	if m.typ.Array == Bounded {
		return strconv.Itoa(m.typ.Len)
	}
	return w.ident(cdrIdent("Unbounded"))
}

// nestedCall writes the encoding or decoding of a nested message, and what names the field if it
// fails.
func (w *codecWriter) nestedCall(m member, coder, verb string) {
	call := m.expr + "." + verb + "CDR(" + coder + ")"
	if verb == "Encode" && !w.namesEncode(m) {
		w.line(call)
		return
	}
	w.line("if ", call, "; ", coder, ".Failed() {")
	w.line(coder, ".In(", strconv.Quote(m.path), ")\nreturn\n}")
}

// nestedLoop writes the encoding or decoding of nested messages one by one.
func (w *codecWriter) nestedLoop(m member, coder, verb string) {
	call := m.expr + "[i]." + verb + "CDR(" + coder + ")"
	w.line("for i := range ", m.expr, " {")
	if verb == "Encode" && !w.namesEncode(m) {
		w.line(call)
	} else {
		w.line("if ", call, "; ", coder, ".Failed() {")
		w.line(coder, ".InElement(", strconv.Quote(m.path), ", i)\nreturn\n}")
	}
	w.line("}")
}

// encodeMany writes an array or sequence.
func (w *codecWriter) encodeMany(m member, name string) {
	sequence := m.typ.Array != Fixed
	switch {
	case m.typ.Base == Bool:
		w.line(cdrIdent("EncodeBools"), "(e, ", m.expr, ")")
		return
	case m.typ.Base.width() > 0:
		w.line(cdrIdent("EncodeNumbers"), "(e, ", m.expr, ")")
		return
	case sequence:
		w.line("e.Count(len(", m.expr, "))")
	}
	switch {
	case m.typ.Base == String && m.typ.Bound == 0:
		w.line("e.Strings(", slice(m), ")")
	case m.typ.Base == String:
		w.line("e.BoundedStrings(", name, ", ", slice(m), ", ", m.typ.Bound, ")")
	case m.typ.Base == WString:
		w.line("e.WStrings(", name, ", ", slice(m), ", ", bound(w, m), ")")
	case w.of(m.msg).aligned > 0:
		w.line(cdrIdent("EncodePlain"), "(e, ", slice(m), ", ", w.of(m.msg).aligned, ")")
	default:
		w.nestedLoop(m, "e", "Encode")
	}
}

// decode writes the reading of a member that is not part of a run.
func (w *codecWriter) decode(m member) {
	name := strconv.Quote(m.path)
	switch {
	case m.typ.Array != Single:
		w.decodeMany(m, name)
	case m.typ.Base == Nested:
		w.nestedCall(m, "d", "Decode")
	default:
		w.line("d.", stringMethod(m), "(", name, ", &", m.expr, ", ", bound(w, m), ")")
	}
}

func stringMethod(m member) string {
	if m.typ.Base == WString {
		return "WString"
	}
	return "String"
}

// decodeMany writes the reading of an array or sequence.
func (w *codecWriter) decodeMany(m member, name string) {
	sequence := m.typ.Array != Fixed
	min := 4
	plain := 0
	if m.msg != nil {
		min, plain = w.of(m.msg).minSize, w.of(m.msg).aligned
	}
	switch {
	case m.typ.Base == Bool:
		w.line(cdrIdent("DecodeBools"), "(d, ", name, ", &", m.expr, ", ", length(w, m), ")")
		return
	case m.typ.Base.width() > 0:
		w.line(cdrIdent("DecodeNumbers"), "(d, ", name, ", &", m.expr, ", ", length(w, m), ")")
		return
	case plain > 0 && sequence:
		w.line(cdrIdent("DecodePlain"), "(d, ", name, ", &", m.expr, ", ", length(w, m), ", ", plain, ")")
		return
	case plain > 0:
		w.line(cdrIdent("DecodePlainArray"), "(d, ", name, ", ", slice(m), ", ", plain, ")")
		return
	case sequence:
		w.line(m.expr, " = ", cdrIdent("Resize"), "(", m.expr, ", d.Count(", name, ", ", length(w, m), ", ", min, "))")
	}
	if m.typ.Base == Nested {
		w.nestedLoop(m, "d", "Decode")
		return
	}
	w.line("d.", stringMethod(m), "s(", name, ", ", slice(m), ", ", bound(w, m), ")")
}
