package msggen

import (
	"strings"
	"unicode/utf8"
)

// section parses the lines of one message.
type section struct {
	*parser
	msg     *Message
	line    line
	pending []comment // comments that wait for the element they belong to
	dropped []comment // comments that belong to nothing
	last    *element
	all     []*element
}

// element is a field or constant, the other is nil, with the comments found for it so far.
type element struct {
	field    *Field
	constant *Constant
	comments []comment
	line     int
}

func (s *section) parse(lines []line) {
	lead := s.leadingComments(lines)
	for _, l := range lines[lead:] {
		// A tab is as wide as a blank, so columns stay right.
		s.line = line{strings.ReplaceAll(l.text, "\t", " "), l.number}
		s.parseLine()
	}
	s.dropped = append(s.dropped, s.pending...)
	s.checkDuplicates()
	s.finish(lines[:lead])
}

// leadingComments returns how many lines the comment of the message has.
func (s *section) leadingComments(lines []line) int {
	for i, l := range lines {
		if !strings.HasPrefix(l.text, "#") {
			return i
		}
	}
	return len(lines)
}

func (s *section) parseLine() {
	text := strings.TrimRightFunc(s.line.text, isSpace)
	code, remark, commented := span{text, 0}.cut("#")
	if commented {
		c := s.comment(remark)
		if code.text != "" && code.trimLeft().text == "" {
			if s.last != nil {
				s.last.comments = append(s.last.comments, c)
			} else {
				s.dropped = append(s.dropped, c)
			}
			return
		}
		s.pending = append(s.pending, c)
		code = code.trimRight()
	}
	if code.text == "" {
		return
	}
	e := s.element(code)
	if e == nil {
		s.pending = nil
		return
	}
	e.line = s.line.number
	e.comments, s.pending = s.pending, nil
	s.last = e
	s.all = append(s.all, e)
}

// comment makes a comment line of what stands behind its first #.
func (s *section) comment(remark span) comment {
	return comment{strings.TrimLeft(remark.text, "#"), s.pos(remark.start - 1)}
}

// element parses a field or constant, or returns nil after it has reported why it cannot.
func (s *section) element(code span) *element {
	typ, rest, _ := code.cut(" ")
	rest = rest.trimLeft()
	switch {
	case typ.text == "":
		s.report(StageParse, s.pos(0), "the line starts with a blank; start definitions in column 1")
		return nil
	case rest.text == "":
		s.report(StageParse, s.pos(0), "%q is a single word; write a type, a blank and a name", code.text)
		return nil
	}
	if name, value, found := rest.cut("="); found {
		return s.constant(typ, name.trimRight(), value.trimLeft())
	}
	name, value, _ := rest.cut(" ")
	return s.field(typ, name, value.trimLeft())
}

func (s *section) field(typ, name, value span) *element {
	f := &Field{Name: name.text, Pos: s.pos(name.start)}
	t, bad := parseType(typ, s.msg.Name.Package)
	ok := s.check(bad)
	if !lowerName.MatchString(f.Name) {
		s.report(StageParse, f.Pos, "%q is no field name; %s", f.Name, lowerNameRule)
		ok = false
	}
	f.Type = t
	if bad == nil && value.text != "" {
		f.Default, bad = parseValue(t, value)
		ok = s.check(bad) && ok
	}
	if !ok {
		return nil
	}
	if t.Base == Time || t.Base == Duration {
		s.report(StageIDL, s.pos(0), "ROS 2 has no %s in IDL; use %s", t.Base, builtin[t.Base])
	}
	s.checkValue(value, f.Default)
	return &element{field: f}
}

func (s *section) constant(typ, name, value span) *element {
	c := &Constant{Name: name.text, Pos: s.pos(name.start)}
	base, known := primitives[typ.text]
	ok := known
	if !known {
		s.report(StageParse, s.pos(0), "%q cannot be the type of a constant; use a primitive type without array part or bound", typ.text)
	}
	if !constantName.MatchString(c.Name) {
		s.report(StageParse, c.Pos, "%q is no constant name; %s%s", c.Name, constantNameRule, defaultHint(c.Name))
		ok = false
	}
	if known {
		var bad *fault
		c.Type = Type{Base: base}
		c.Value, bad = parseScalar(c.Type, value)
		ok = s.check(bad) && ok
	}
	if !ok {
		return nil
	}
	s.checkValue(value, c.Value)
	return &element{constant: c}
}

// defaultHint tells those who meant a default how to write one.
func defaultHint(name string) string {
	if lowerName.MatchString(name) {
		return "; for the default of a field leave out the ="
	}
	return ""
}

// check reports f, if there is one, and returns whether there is none.
func (s *section) check(f *fault) bool {
	if f != nil {
		s.report(StageParse, s.pos(f.at.start), "%s", f.msg)
	}
	return f == nil
}

func (s *section) checkValue(at span, v Value) {
	if problem := idlProblem(v); problem != "" {
		s.report(StageIDL, s.pos(at.start), "%s", problem)
	}
}

// pos returns the place of byte i of the current line.
func (s *section) pos(i int) Pos {
	return Pos{s.line.number, utf8.RuneCountInString(s.line.text[:i]) + 1}
}

func (s *section) checkDuplicates() {
	seen := make(map[string]Pos)
	for _, e := range s.all {
		what, name, pos := "constant", "", Pos{}
		if e.field != nil {
			what, name, pos = "field", e.field.Name, e.field.Pos
		} else {
			name, pos = e.constant.Name, e.constant.Pos
		}
		if first, ok := seen[name]; ok {
			s.report(StageParse, pos, "%s %s is defined in line %d already; choose another name", what, name, first.Line)
			continue
		}
		seen[name] = pos
	}
}

// finish gives the message its members and everybody their comments.
func (s *section) finish(lead []line) {
	var block []comment
	for _, l := range lead {
		s.line = line{strings.ReplaceAll(l.text, "\t", " "), l.number}
		block = append(block, s.comment(span{s.line.text, 0}.from(1)))
	}
	s.checkKeys(block)
	s.msg.Comment, s.msg.Unit = s.finishComment(block, false)
	for _, e := range s.all {
		if f := e.field; f != nil {
			f.Comment, f.Unit = s.finishComment(e.comments, true)
			s.msg.Fields = append(s.msg.Fields, f)
			s.msg.Order = append(s.msg.Order, f)
			continue
		}
		c := e.constant
		c.Comment, c.Unit = s.finishComment(e.comments, false)
		s.msg.Const = append(s.msg.Const, c)
		s.msg.Order = append(s.msg.Order, c)
	}
}

// finishComment cleans a comment and checks what of it goes into the IDL.
func (s *section) finishComment(lines []comment, unitInIDL bool) (text []string, unit string) {
	if len(lines) == 0 {
		return nil, ""
	}
	start := lines[0].pos
	lines, unit = cleanComments(lines)
	for _, l := range lines {
		if _, problem := idlString(l.text); problem != "" {
			s.report(StageIDL, l.pos, "comment: %s", problem)
		}
	}
	if unitInIDL {
		if _, problem := idlString(unit); problem != "" {
			s.report(StageIDL, start, "unit: %s", problem)
		}
	}
	return texts(lines), unit
}
