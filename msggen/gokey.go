package msggen

import (
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/cdr"
)

// keyFields returns the fields of a message that make up its key.
func keyFields(m *Message) []*Field {
	var keys []*Field
	for _, f := range m.Fields {
		if f.Key {
			keys = append(keys, f)
		}
	}
	return keys
}

func always(*Message) bool { return true }

// keyMembers lays out key fields, nested messages completely.
func (s *shapes) keyMembers(keys []*Field) []member {
	return s.flatten(nil, keys, "m", "", always)
}

// keySteps returns how to find the key in an encoded message: what comes up to the last of its
// fields.
func (s *shapes) keySteps(m *Message) cdr.KeyLayout {
	var steps cdr.KeyLayout
	end := 0
	for _, f := range m.Fields {
		steps = s.addSteps(steps, f, f.Key)
		if f.Key {
			end = len(steps)
		}
	}
	return steps[:end]
}

func (s *shapes) addSteps(steps cdr.KeyLayout, f *Field, key bool) cdr.KeyLayout {
	for _, m := range s.flattenField(nil, f, "", "", always) {
		step := cdr.KeyStep{Key: key, Width: m.typ.Base.width(), Count: m.count()}
		if m.typ.Array == Bounded || m.typ.Array == Unbounded {
			step.Count = 0
		}
		switch m.typ.Base {
		case String:
			step.Kind = cdr.KeyStrings
		case WString:
			step.Kind = cdr.KeyWStrings
		case Nested:
			step.Kind, step.Key = cdr.KeyStructs, false
			step.Steps = s.elementSteps(m.msg, key)
		}
		last := len(steps) - 1
		if step.Kind == cdr.KeyNumbers && step.Count > 0 && last >= 0 && joins(steps[last], step) {
			steps[last].Count += step.Count
			continue
		}
		steps = append(steps, step)
	}
	return steps
}

// joins tells whether the numbers of b continue those of a.
func joins(a, b cdr.KeyStep) bool {
	return a.Kind == cdr.KeyNumbers && a.Count > 0 && a.Width == b.Width && a.Key == b.Key
}

// elementSteps returns the parts of a message that is an element of an array or sequence.
func (s *shapes) elementSteps(m *Message, key bool) cdr.KeyLayout {
	var steps cdr.KeyLayout
	for _, f := range m.WireFields() {
		steps = s.addSteps(steps, f, key)
	}
	return steps
}

var keyKinds = [...]string{
	cdr.KeyNumbers: "KeyNumbers", cdr.KeyStrings: "KeyStrings",
	cdr.KeyWStrings: "KeyWStrings", cdr.KeyStructs: "KeyStructs",
}

// keyLayout writes a layout as a Go expression.
func (w *goWriter) keyLayout(l cdr.KeyLayout) string {
	var b strings.Builder
	b.WriteString(w.ident(cdrIdent("KeyLayout")) + "{")
	for i, s := range l {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "{Kind: %s, Count: %d", w.ident(cdrIdent(keyKinds[s.Kind])), s.Count)
		if s.Kind == cdr.KeyNumbers {
			fmt.Fprintf(&b, ", Width: %d", s.Width)
		}
		if s.Key {
			b.WriteString(", Key: true")
		}
		if len(s.Steps) > 0 {
			b.WriteString(", Steps: " + w.keyLayout(s.Steps))
		}
		b.WriteString("}")
	}
	return b.String() + "}"
}
