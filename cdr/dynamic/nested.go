package dynamic

import (
	"fmt"

	"github.com/pinion-ros/pinion/cdr"
)

// nested is the element for messages within messages.
type nested struct{ typ *Type }

func (c nested) zero() *Message                             { return c.typ.New() }
func (c nested) minSize() int                               { return c.typ.schema.MinSize }
func (c nested) weight() int                                { return c.typ.weight }
func (nested) equal(a, b *Message) bool                     { return a.Equal(b) }
func (nested) clone(m *Message) *Message                    { return m.Clone() }
func (c nested) parse(p *parser, n *Node) (*Message, error) { return p.message(c.typ, n) }

// size makes do with what encode refuses: a caller may put nil into a slice that Get returned.
func (c nested) size(off int, m *Message) int {
	if c.check(m) != nil {
		return 0
	}
	return m.SizeCDR(off)
}

func (c nested) encode(e *cdr.Encoder, field string, m *Message) {
	if err := c.check(m); err != nil {
		e.Fail(field, err)
		return
	}
	if m.EncodeCDR(e); e.Failed() && field != "" {
		e.In(field)
	}
}

func (c nested) decode(d *cdr.Decoder, field string, p **Message) {
	if c.check(*p) != nil {
		*p = c.typ.New()
	}
	if (*p).DecodeCDR(d); d.Failed() && field != "" {
		d.In(field)
	}
}

func (c nested) check(m *Message) error {
	switch {
	case m == nil:
		return fmt.Errorf("%w: nil where a message of %s is wanted", cdr.ErrInvalid, c.typ)
	case m.typ != c.typ:
		return fmt.Errorf("%w: a message of %s where one of %s is wanted", cdr.ErrInvalid, m.typ, c.typ)
	}
	return nil
}

func (c nested) convert(v any) (*Message, error) {
	return nil, mismatch(nodeOf(v), "a message of "+c.typ.String())
}
