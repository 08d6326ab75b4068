package dynamic

import (
	"github.com/pinion-ros/pinion/cdr"
)

// Message is a message of a Type. The Go types of its values are those of generated messages, with
// *Message for a message within: bool, int8 to uint64 (uint8 for byte and char), float32, float64,
// string (also for wstring), and slices of these for arrays and sequences. Decoding into a message
// again overwrites what it holds, the messages within included.
//
// A message serves one goroutine at a time.
type Message struct {
	typ   *Type
	slots []any // one for each field, made by its codec
}

var _ cdr.Message = (*Message)(nil)

// Type returns the type of m.
func (m *Message) Type() *Type { return m.typ }

// CDRType implements cdr.Message.
func (m *Message) CDRType() *cdr.Type { return m.typ.cdr }

// SizeCDR implements cdr.Message.
func (m *Message) SizeCDR(off int) int {
	if len(m.slots) == 0 {
		return 1
	}
	end := off
	for i, f := range m.typ.fields {
		end += f.codec.size(end, m.slots[i])
	}
	return end - off
}

// EncodeCDR implements cdr.Message.
func (m *Message) EncodeCDR(e *cdr.Encoder) {
	if len(m.slots) == 0 {
		e.Uint8(0)
		return
	}
	for i, f := range m.typ.fields {
		if f.codec.encode(e, f.name, m.slots[i]); e.Failed() {
			return
		}
	}
}

// DecodeCDR implements cdr.Message.
func (m *Message) DecodeCDR(d *cdr.Decoder) {
	if len(m.slots) == 0 {
		d.Uint8("")
		return
	}
	for i, f := range m.typ.fields {
		if f.codec.decode(d, f.name, m.slots[i]); d.Failed() {
			return
		}
	}
}

// SetDefaults gives all fields their default values.
func (m *Message) SetDefaults() { *m = *m.typ.New() }

// Clone returns a copy that shares no memory with m.
func (m *Message) Clone() *Message {
	if m == nil {
		return nil
	}
	c := &Message{typ: m.typ, slots: make([]any, len(m.slots))}
	for i, f := range m.typ.fields {
		c.slots[i] = f.codec.make()
		f.codec.copy(c.slots[i], m.slots[i])
	}
	return c
}

// Equal tells whether both messages have the same *Type and encode to the same bytes.
func (m *Message) Equal(other *Message) bool {
	if m == nil || other == nil || m.typ != other.typ {
		return m == other
	}
	for i, f := range m.typ.fields {
		if !f.codec.equal(m.slots[i], other.slots[i]) {
			return false
		}
	}
	return true
}

// String returns m as YAML, like cdr.Text.
func (m *Message) String() string { return cdr.Text(m) }
