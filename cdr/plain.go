package cdr

import "unsafe"

// A plain type is a struct of numbers that begins with its largest alignment and needs no padding,
// inside or between elements: geometry_msgs/Point, but nothing with a bool or a string. Its Go
// value lies in memory as it lies on the wire if the machine is little endian, so sequences of it
// are handled as sequences of numbers are.

// plainMessage is implemented by pointers to plain types.
type plainMessage[T any] interface {
	*T
	Message
}

// EncodePlain appends the elements of a sequence or array of a plain type, without a count. align
// is the alignment of the type.
func EncodePlain[T any, P plainMessage[T]](e *Encoder, s []T, align int) {
	if !wireOrder {
		for i := range s {
			P(&s[i]).EncodeCDR(e)
		}
		return
	}
	if len(s) == 0 {
		return
	}
	size := int(unsafe.Sizeof(*new(T)))
	if b := e.fixed(align, len(s)*size); len(b) > 0 {
		copyBytes(b, bytesOf(s))
	}
}

// DecodePlain reads a sequence of at most bound elements of a plain type, count included. A view
// decoder lets *p alias the data if it can.
func DecodePlain[T any, P plainMessage[T]](d *Decoder, field string, p *[]T, bound, align int) {
	size := int(unsafe.Sizeof(*new(T)))
	n := d.Count(field, bound, size)
	if d.Failed() {
		return
	}
	if n > 0 && d.view && !d.big && wireOrder {
		start := d.off
		b := d.elements(field, align, n, size)
		if d.Failed() || alias(d, p, b, align) {
			return
		}
		d.off = start
	}
	*p = Resize(*p, n)
	DecodePlainArray[T, P](d, field, *p, align)
}

// DecodePlainArray reads the elements of an array of a plain type.
func DecodePlainArray[T any, P plainMessage[T]](d *Decoder, field string, s []T, align int) {
	if wireOrder && !d.big {
		copyBytes(bytesOf(s), d.elements(field, align, len(s), int(unsafe.Sizeof(*new(T)))))
		return
	}
	for i := 0; i < len(s) && !d.Failed(); i++ {
		if P(&s[i]).DecodeCDR(d); d.Failed() {
			d.InElement(field, i)
		}
	}
}
