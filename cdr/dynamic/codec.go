package dynamic

import (
	"fmt"
	"slices"

	"github.com/pinion-ros/pinion/cdr"
)

// codec handles the values of one field. A message keeps each in a slot, which is a pointer that
// the codec has made, so that decoding again needs no new memory.
type codec interface {
	make() any
	weight() int
	size(off int, slot any) int
	encode(e *cdr.Encoder, field string, slot any)
	decode(d *cdr.Decoder, field string, slot any)

	get(slot any) any
	set(slot, v any) error
	at(slot any, i int) (any, error)
	setAt(slot any, i int, v any) error
	parse(p *parser, n *Node, slot any) error
	equal(a, b any) bool
	copy(dst, src any)
}

// single is the codec of a field that holds one value.
type single[T any] struct{ element[T] }

func (c single[T]) make() any {
	v := c.zero()
	return &v
}

func (c single[T]) size(off int, slot any) int { return c.element.size(off, *slot.(*T)) }

func (c single[T]) encode(e *cdr.Encoder, field string, slot any) {
	c.element.encode(e, field, *slot.(*T))
}

func (c single[T]) decode(d *cdr.Decoder, field string, slot any) {
	c.element.decode(d, field, slot.(*T))
}

func (c single[T]) get(slot any) any { return *slot.(*T) }

func (c single[T]) set(slot, v any) error { return put(c.element, slot.(*T), v) }

// put stores what a caller gives for a value.
func put[T any](elem element[T], p *T, v any) error {
	t, ok := v.(T)
	if !ok {
		return assign(p)(elem.convert(v))
	}
	return assign(p)(t, elem.check(t))
}

// assign returns a function that stores a value that comes without an error.
func assign[T any](p *T) func(T, error) error {
	return func(v T, err error) error {
		if err == nil {
			*p = v
		}
		return err
	}
}

func (single[T]) at(any, int) (any, error)  { return nil, errNoList }
func (single[T]) setAt(any, int, any) error { return errNoList }
func (c single[T]) equal(a, b any) bool     { return c.element.equal(*a.(*T), *b.(*T)) }
func (c single[T]) copy(dst, src any)       { *dst.(*T) = c.clone(*src.(*T)) }

func (c single[T]) parse(p *parser, n *Node, slot any) error {
	return assign(slot.(*T))(c.element.parse(p, n))
}

// list is the codec of arrays and sequences.
type list[T any] struct {
	element[T]
	fixed bool // len is the number of elements, otherwise the most there may be
	len   int
}

func (c list[T]) make() any {
	s := []T(nil)
	if c.fixed {
		s = make([]T, c.len)
		for i := range s {
			s[i] = c.zero()
		}
	}
	return &s
}

func (c list[T]) weight() int {
	if c.fixed {
		return times(c.element.weight(), c.len)
	}
	return 24
}

func (c list[T]) size(off int, slot any) int {
	s := *slot.(*[]T)
	end := off
	if !c.fixed {
		end = cdr.Align(off, 4) + 4
	}
	if all, ok := c.element.(bulk[T]); ok {
		return end + all.sizeAll(end, s) - off
	}
	for _, v := range s {
		end += c.element.size(end, v)
	}
	return end - off
}

func (c list[T]) encode(e *cdr.Encoder, field string, slot any) {
	s := *slot.(*[]T)
	if !c.fixed {
		if !e.CheckLen(field, len(s), c.len) {
			return
		}
		if all, ok := c.element.(bulk[T]); ok {
			all.encodeAll(e, s)
			return
		}
		e.Count(len(s))
	}
	for i, v := range s {
		if c.element.encode(e, "", v); e.Failed() {
			e.InElement(field, i)
			return
		}
	}
}

func (c list[T]) decode(d *cdr.Decoder, field string, slot any) {
	s := slot.(*[]T)
	if !c.fixed {
		if all, ok := c.element.(bulk[T]); ok {
			all.decodeAll(d, field, s, c.len)
			return
		}
		*s = cdr.Resize(*s, d.Count(field, c.len, c.minSize()))
	}
	for i := range *s {
		if c.element.decode(d, "", &(*s)[i]); d.Failed() {
			d.InElement(field, i)
			return
		}
	}
}

func (c list[T]) get(slot any) any { return *slot.(*[]T) }

func (c list[T]) set(slot, v any) error {
	s, ok := v.([]T)
	if !ok {
		return fmt.Errorf("a %T is not a %T", v, s)
	}
	if err := c.checkLen(len(s)); err != nil {
		return err
	}
	for i, v := range s {
		if err := c.check(v); err != nil {
			return inside(index(i), 0, err)
		}
	}
	*slot.(*[]T) = s
	return nil
}

func (c list[T]) checkLen(n int) error {
	switch {
	case c.fixed && n != c.len:
		return fmt.Errorf("%w: %d elements where the type has %d", cdr.ErrBound, n, c.len)
	case n > c.len:
		return fmt.Errorf("%w: %d elements, at most %d", cdr.ErrBound, n, c.len)
	}
	return nil
}

func (c list[T]) at(slot any, i int) (any, error) {
	s := *slot.(*[]T)
	if i >= len(s) {
		return nil, noElement(i, len(s))
	}
	return s[i], nil
}

func (c list[T]) setAt(slot any, i int, v any) error {
	s := *slot.(*[]T)
	if i >= len(s) {
		return noElement(i, len(s))
	}
	return put(c.element, &s[i], v)
}

func (c list[T]) equal(a, b any) bool {
	return slices.EqualFunc(*a.(*[]T), *b.(*[]T), c.element.equal)
}

func (c list[T]) copy(dst, src any) {
	s := slices.Clone(*src.(*[]T))
	for i := range s {
		s[i] = c.clone(s[i])
	}
	*dst.(*[]T) = s
}

func (c list[T]) parse(p *parser, n *Node, slot any) error {
	if n.Kind != List {
		return mismatch(n, "a list")
	}
	if err := c.checkLen(len(n.Items)); err != nil {
		return err
	}
	s := make([]T, len(n.Items))
	for i := range n.Items {
		if err := assign(&s[i])(c.element.parse(p, &n.Items[i])); err != nil {
			return inside(index(i), n.Items[i].Line, err)
		}
	}
	*slot.(*[]T) = s
	return nil
}
