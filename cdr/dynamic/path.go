package dynamic

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// FieldError tells which field of a message, or of the text of one, is at fault.
type FieldError struct {
	Path string // "poses[3].position.x"; empty for the message itself
	Line int    // in the text that was read, from 1; 0 where there is none
	Err  error
}

// Error returns line, path and reason.
func (e *FieldError) Error() string {
	s := e.Err.Error()
	if e.Path != "" {
		s = e.Path + ": " + s
	}
	if e.Line > 0 {
		s = "line " + strconv.Itoa(e.Line) + ": " + s
	}
	return s
}

// Unwrap returns the reason alone.
func (e *FieldError) Unwrap() error { return e.Err }

// inside puts step, a field's name or an index in brackets or nothing, in front of the path of err.
func inside(step string, line int, err error) error {
	inner, ok := err.(*FieldError)
	switch {
	case !ok:
		return &FieldError{Path: step, Line: line, Err: err}
	case step == "":
	case inner.Path == "":
		inner.Path = step
	case strings.HasPrefix(inner.Path, "["):
		inner.Path = step + inner.Path
	default:
		inner.Path = step + "." + inner.Path
	}
	return inner
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// Get returns the value at a path such as "pose.position.x" or "ranges[3]". Slices and messages are
// those of m, not copies. The error is a *FieldError.
func (m *Message) Get(path string) (any, error) {
	p, err := m.find(path)
	if err != nil {
		return nil, &FieldError{Path: path, Err: err}
	}
	v, err := p.get()
	if err != nil {
		return nil, &FieldError{Path: path, Err: err}
	}
	return v, nil
}

// Set stores v at a path as Get takes it. v has the type that Get returns, or is another number
// that the field can hold. A slice or message becomes part of m. Arrays have their exact length,
// bounds are checked, and messages are of the *Type that the field has, see Type.Nested. The error
// is a *FieldError.
func (m *Message) Set(path string, v any) error {
	p, err := m.find(path)
	if err == nil {
		err = p.set(v)
	}
	if err != nil {
		return inside(path, 0, err)
	}
	return nil
}

// place is a field of a message, or an element of it if at is not negative.
type place struct {
	codec codec
	slot  any
	at    int
}

func (p place) get() (any, error) {
	if p.at < 0 {
		return p.codec.get(p.slot), nil
	}
	return p.codec.at(p.slot, p.at)
}

func (p place) set(v any) error {
	if p.at < 0 {
		return p.codec.set(p.slot, v)
	}
	return p.codec.setAt(p.slot, p.at, v)
}

// find returns the place that path names.
func (m *Message) find(path string) (p place, err error) {
	for part := range strings.SplitSeq(path, ".") {
		if p.codec != nil {
			if m, err = p.message(); err != nil {
				return p, err
			}
		}
		if p, err = m.place(part); err != nil {
			return p, err
		}
	}
	return p, nil
}

// message returns the message at p.
func (p place) message() (*Message, error) {
	v, err := p.get()
	if err != nil {
		return nil, err
	}
	m, ok := v.(*Message)
	if !ok || m == nil {
		return nil, fmt.Errorf("a %T has no fields", v)
	}
	return m, nil
}

// place returns the field, or the element of it, that one part of a path names.
func (m *Message) place(part string) (place, error) {
	name, bracket, indexed := strings.Cut(part, "[")
	i, ok := m.typ.index[name]
	if !ok {
		return place{}, noField(m.typ, name)
	}
	p := place{codec: m.typ.fields[i].codec, slot: m.slots[i], at: -1}
	if indexed {
		digits, closed := strings.CutSuffix(bracket, "]")
		at, err := strconv.ParseUint(digits, 10, 31)
		if !closed || err != nil {
			return p, fmt.Errorf("%q is no index, want one as in ranges[3]", "["+bracket)
		}
		p.at = int(at)
	}
	return p, nil
}

var errNoList = errors.New("not an array or sequence")

func noElement(i, n int) error { return fmt.Errorf("there is no element %d of %d", i, n) }

// noField reports a field that the type does not have, with those that it has.
func noField(t *Type, name string) error {
	names := make([]string, len(t.fields))
	for i, f := range t.fields {
		names[i] = f.name
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	return fmt.Errorf("%s has no field %q, its fields: %s", t, name, strings.Join(names, ", "))
}
