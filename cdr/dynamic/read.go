package dynamic

import (
	"errors"
	"time"
)

// FromJSON returns the message that a JSON object stands for, in the form that cdr.AppendJSON
// writes. Fields that the object lacks have their default values. Integers of 64 bits may be
// numbers or strings. The error is that of ParseJSON, or a *FieldError with line and field: a key is
// unknown or occurs twice, a value has the wrong type, a number is out of range, or a bound is
// exceeded.
func (t *Type) FromJSON(data []byte) (*Message, error) {
	n, err := ParseJSON(data)
	if err != nil {
		return nil, err
	}
	return t.FromNode(n)
}

// FromNode returns the message that a value from a text stands for. See FromJSON.
func (t *Type) FromNode(n *Node, options ...Option) (*Message, error) {
	var p parser
	for _, o := range options {
		o(&p)
	}
	m, err := p.message(t, n)
	if err != nil {
		return nil, inside("", n.Line, err)
	}
	return m, nil
}

// Option changes how FromNode reads.
type Option func(*parser)

// Now lets two words stand for the given time, as `ros2 topic pub` does: "now" for a
// builtin_interfaces/msg/Time, and "auto" for a std_msgs/msg/Header, which then has this stamp.
func Now(now time.Time) Option { return func(p *parser) { p.now = now } }

// parser turns nodes into messages.
type parser struct {
	now time.Time // zero where no words stand for it
}

func (p *parser) message(t *Type, n *Node) (*Message, error) {
	m := t.New()
	if !p.now.IsZero() && (n.Kind == Plain || n.Kind == Quoted) && m.stamp(n.Text, p.now) {
		return m, nil
	}
	if n.Kind != Map {
		return nil, mismatch(n, "a mapping of the fields of "+t.String())
	}
	seen := make([]bool, len(t.fields))
	for i, key := range n.Keys {
		at, ok := t.index[key]
		switch {
		case !ok:
			return nil, inside("", n.Items[i].Line, noField(t, key))
		case seen[at]:
			return nil, inside(key, n.Items[i].Line, errTwice)
		}
		seen[at] = true
		if err := t.fields[at].codec.parse(p, &n.Items[i], m.slots[at]); err != nil {
			return nil, inside(key, n.Items[i].Line, err)
		}
	}
	return m, nil
}

var errTwice = errors.New("the field occurs twice")

// stamp gives m the time that word stands for, and tells whether word does for a message of its
// type.
func (m *Message) stamp(word string, now time.Time) bool {
	path := ""
	switch name := m.typ.String(); {
	case word == "now" && name == "builtin_interfaces/msg/Time":
	case word == "auto" && name == "std_msgs/msg/Header":
		path = "stamp."
	default:
		return false
	}
	return m.Set(path+"sec", now.Unix()) == nil && m.Set(path+"nanosec", now.Nanosecond()) == nil
}
