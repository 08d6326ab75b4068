package msggen

import "fmt"

// width returns the size of a number or bool on the wire, which is its alignment too, and 0 for the
// other base types.
func (b Base) width() int {
	switch b {
	case Bool, Byte, Char, Int8, Uint8:
		return 1
	case Int16, Uint16:
		return 2
	case Int32, Uint32, Float32:
		return 4
	case Int64, Uint64, Float64:
		return 8
	}
	return 0
}

// lookup returns the message with the given name. The loader has checked that it exists.
type lookup func(TypeName) *Message

// member is a part of a message that the generated code handles in one step: a field, or a field of
// a nested message that is laid out in the code of the message around it.
type member struct {
	expr string // in Go: m.Header.FrameId
	path string // in the definition, from the message: header.frame_id
	typ  Type
	msg  *Message // where typ is Nested
	pad  bool     // the byte that stands for a message without fields; it has no Go value
}

// fixed tells whether the member is numbers or bools, a known number of them.
func (m member) fixed() bool {
	return m.typ.Base.width() > 0 && (m.typ.Array == Single || m.typ.Array == Fixed)
}

// count returns the number of elements of a fixed member.
func (m member) count() int {
	if m.typ.Array == Fixed {
		return m.typ.Len
	}
	return 1
}

// Nested messages of so many members are laid out in the code of the message around them: it joins
// their numbers to those of their neighbours and saves the call. The limit for those that hold
// something of variable size is low, for there a call is little beside the work.
const (
	maxInlineFixed    = 48
	maxInlineVariable = 4
)

// maxSize is how many bytes a message may take at least. It is the limit that package cdr sets for
// the types it describes, and far below what Go allows for a variable.
const maxSize = 1 << 28

// shape is what the layout of a message says about it.
type shape struct {
	fixed   bool // all values take the same number of bytes if they start at the same alignment
	members int  // as flattened
	minSize int  // bytes at least, padding not counted, but no more than maxSize+1
	safe    bool // encoding cannot fail but for want of room
	deep    bool // contains a slice, so that copying the struct is no copy of the message
	aligned int  // the alignment if the message is plain, otherwise 0
	size    int  // of a plain message
}

// shapes computes and remembers the shapes of messages.
type shapes struct {
	lookup lookup
	known  map[TypeName]*shape
}

func newShapes(l lookup) *shapes { return &shapes{l, map[TypeName]*shape{}} }

func (s *shapes) of(m *Message) *shape {
	if known := s.known[m.Name]; known != nil {
		return known
	}
	sh := &shape{fixed: true, safe: true}
	for _, f := range m.Fields {
		s.addField(sh, f.Type)
	}
	if len(m.Fields) == 0 {
		sh.members, sh.minSize = 1, 1
	}
	sh.aligned, sh.size = s.plain(m)
	s.known[m.Name] = sh
	return sh
}

func (s *shapes) addField(sh *shape, t Type) {
	members, size := 1, t.Base.width()
	switch t.Base {
	case String:
		size = 4
		sh.fixed = false
		sh.safe = sh.safe && t.Bound == 0
	case WString:
		size = 4
		sh.fixed = false
		sh.safe = false // not every string has an encoding
	case Nested:
		n := s.of(s.lookup(t.Nested))
		members, size = n.members, n.minSize
		sh.fixed = sh.fixed && n.fixed
		sh.safe = sh.safe && n.safe
		sh.deep = sh.deep || n.deep
	}
	switch t.Array {
	case Single:
		sh.members += members
		sh.grow(1, size)
		return
	case Fixed:
		sh.grow(t.Len, size)
	default:
		sh.grow(1, 4)
		sh.fixed = false
		sh.deep = true
		sh.safe = sh.safe && t.Array == Unbounded
	}
	sh.members++
}

// grow adds n elements to the size.
func (sh *shape) grow(n, size int) {
	if n > maxSize/size {
		n, size = 1, maxSize+1
	}
	sh.minSize = min(sh.minSize+n*size, maxSize+1)
}

// checkSizes reports the fields that make messages of the definitions larger than code can be
// generated for.
func (s *shapes) checkSizes(defs []*Definition) Diagnostics {
	var diags Diagnostics
	for _, def := range defs {
		for _, m := range def.Sections {
			var sh shape
			for _, f := range m.Fields {
				if s.addField(&sh, f.Type); sh.minSize > maxSize {
					diags = append(diags, &Diagnostic{File: def.File, Pos: f.Pos, Message: fmt.Sprintf(
						"with field %s the message takes more than %d bytes, too many for Go code; use a sequence", f.Name, maxSize)})
					break
				}
			}
		}
	}
	return diags
}

// plain returns alignment and size of a message that is nothing but numbers, begins with its largest
// alignment and needs no padding, not even between elements of an array. The Go struct then has the
// layout of the encoding. For other messages it returns zeros.
func (s *shapes) plain(m *Message) (align, size int) {
	if len(m.Fields) == 0 {
		return 0, 0
	}
	for _, f := range m.Fields {
		if f.Type.Array != Single && f.Type.Array != Fixed || f.Type.Base == Bool {
			return 0, 0
		}
		a := f.Type.Base.width()
		n := a
		if f.Type.Base == Nested {
			sh := s.of(s.lookup(f.Type.Nested))
			a, n = sh.aligned, sh.size
		}
		if a == 0 || size%a != 0 {
			return 0, 0
		}
		if f.Type.Array == Fixed {
			n *= f.Type.Len
		}
		size += n
		if align == 0 {
			align = a
		}
		if a > align {
			return 0, 0
		}
	}
	if size%align != 0 {
		return 0, 0
	}
	return align, size
}

// members lays out the fields of a message whose Go value is expr. Nested messages that are not laid
// out here remain members.
func (s *shapes) members(m *Message, expr string) []member {
	return s.flatten(nil, m.Fields, expr, "", s.inline)
}

func (s *shapes) inline(m *Message) bool {
	sh := s.of(m)
	return sh.fixed && sh.members <= maxInlineFixed || sh.members <= maxInlineVariable
}

func (s *shapes) flatten(out []member, fields []*Field, expr, path string, inline func(*Message) bool) []member {
	if len(fields) == 0 {
		return append(out, member{path: path, typ: Type{Base: Uint8}, pad: true})
	}
	for _, f := range fields {
		out = s.flattenField(out, f, expr+"."+goFieldName(f.Name), joinPath(path, f.Name), inline)
	}
	return out
}

func (s *shapes) flattenField(out []member, f *Field, expr, path string, inline func(*Message) bool) []member {
	m := member{expr: expr, path: path, typ: f.Type}
	if f.Type.Base != Nested {
		return append(out, m)
	}
	m.msg = s.lookup(f.Type.Nested)
	if f.Type.Array == Single && inline(m.msg) {
		return s.flatten(out, m.msg.Fields, expr, path, inline)
	}
	return append(out, m)
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// phase is what is known of an offset: it is rest modulo mod, a power of two up to 8.
type phase struct{ mod, rest int }

// unknown is the phase of any offset.
var unknown = phase{mod: 1}

// padding returns the padding in front of an alignment, if the phase tells.
func (p phase) padding(align int) (n int, known bool) {
	if p.mod < align {
		return 0, false
	}
	return -p.rest & (align - 1), true
}

// add returns the phase n bytes on.
func (p phase) add(n int) phase {
	p.rest = (p.rest + n) & (p.mod - 1)
	return p
}

// after returns the phase behind a member that is not fixed.
func (s *shapes) after(m member) phase {
	width := m.typ.Base.width()
	if m.typ.Base == Nested && m.typ.Array != Fixed && m.typ.Array != Single {
		width = s.of(m.msg).aligned
	}
	switch {
	case m.typ.Array == Single || m.typ.Array == Fixed || width == 0:
		return unknown
	case width > 4:
		return phase{mod: 4} // empty sequences end behind their count
	}
	return phase{mod: width}
}

// run is a row of fixed members whose places relative to its start are known.
type run struct {
	align   int // of the start, 1 where no padding is needed or it is part of the run
	size    int
	members []placed
	gaps    []gap
}

// placed is a member and its offset in a run.
type placed struct {
	member
	offset int
}

// gap is padding in a run.
type gap struct{ offset, size int }

// layout groups members into runs. Each element of the result is a run or a member of another kind.
func (s *shapes) layout(members []member) []any {
	var out []any
	var r *run
	p := unknown
	for _, m := range members {
		if !m.fixed() {
			r = nil
			p = s.after(m)
			out = append(out, m)
			continue
		}
		align := m.typ.Base.width()
		pad, known := p.padding(align)
		if r == nil || !known {
			r = &run{align: 1}
			out = append(out, r)
		}
		if !known {
			r.align = align
			p = phase{mod: align}
		}
		if pad > 0 {
			r.gaps = append(r.gaps, gap{r.size, pad})
		}
		r.members = append(r.members, placed{m, r.size + pad})
		r.size += pad + align*m.count()
		p = p.add(pad + align*m.count())
	}
	return out
}

// conversion describes the run to the decoder: pairs of a width and a repetition, see
// [cdr.Decoder.Fixed1].
func (r *run) conversion() string {
	var b []byte
	add := func(width, count int) {
		if n := len(b); n > 0 && b[n-2] == byte(width) {
			more := min(count, 255-int(b[n-1]))
			b[n-1] += byte(more)
			count -= more
		}
		for ; count > 0; count -= 255 {
			b = append(b, byte(width), byte(min(count, 255)))
		}
	}
	end := 0
	for _, m := range r.members {
		add(1, m.offset-end)
		width := m.typ.Base.width()
		add(width, m.count())
		end = m.offset + width*m.count()
	}
	return string(b)
}

// span names the members of the run for the text of an error.
func (r *run) span() string {
	first, last := r.members[0].path, r.members[len(r.members)-1].path
	if first == last {
		return first
	}
	return first + " to " + last
}
