package msggen

import "strings"

// keyMark, at the start of a comment, makes the field it belongs to a part of its topic's key.
const keyMark = "@key"

// isKeyMark reports whether the comment begins with the word @key.
func (c comment) isKeyMark() bool {
	rest, found := strings.CutPrefix(strings.TrimSpace(c.text), keyMark)
	return found && (rest == "" || rest[0] == ' ')
}

// checkKeys sets Key on the marked fields and reports marks that mark nothing. ROS 2 gives a
// comment block on top of the file to the message; a mark in a block that stands directly above
// the first field is for that field all the same.
func (s *section) checkKeys(block []comment) {
	elements := s.all
	if n := len(block); n > 0 && len(elements) > 0 && elements[0].line == block[n-1].pos.Line+1 {
		s.markKey(elements[0], append(block[:n:n], elements[0].comments...))
		elements = elements[1:]
	} else {
		s.reportMarks(block)
	}
	for _, e := range elements {
		s.markKey(e, e.comments)
	}
	s.reportMarks(s.dropped)
}

func (s *section) markKey(e *element, comments []comment) {
	for _, c := range comments {
		if !c.isKeyMark() {
			continue
		}
		switch {
		case e.field == nil:
			s.report(StageParse, c.pos, "%s marks a constant; only fields can be keys", keyMark)
		case s.def.Name.Kind != Msg:
			s.report(StageParse, c.pos, "%s marks a field of a %s; only messages have keys", keyMark, s.def.Name.Kind)
		case !e.field.Type.mayBeKey():
			s.report(StageParse, c.pos, "%s marks a field of type %s; keys must be of fixed size: use a primitive type, an array of fixed length of them or a message", keyMark, e.field.Type)
		default:
			e.field.Key = true
		}
		return
	}
}

func (s *section) reportMarks(comments []comment) {
	for _, c := range comments {
		if c.isKeyMark() {
			s.report(StageParse, c.pos, "%s belongs to no field; put it on the line of the field or above it", keyMark)
		}
	}
}

// mayBeKey reports whether a field of the type can be a key as far as the type itself tells.
func (t Type) mayBeKey() bool {
	return t.Base != String && t.Base != WString && (t.Array == Single || t.Array == Fixed)
}
