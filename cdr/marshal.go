package cdr

import "sync"

// Encoders and decoders are handed to methods of interfaces, which moves them to the heap; the
// pools keep them there.
var (
	encoders = sync.Pool{New: func() any { return new(Encoder) }}
	decoders = sync.Pool{New: func() any { return new(Decoder) }}
)

// Size returns the exact length of the payload of m: the encapsulation header and the encoded
// message, without padding at the end.
func Size(m Message) int { return HeaderSize + m.SizeCDR(0) }

// MarshalTo writes the payload of m, which begins with the encapsulation header, to the start of
// buf and returns its length. It allocates nothing. The error is an *Error: io.ErrShortBuffer if
// buf is shorter than Size(m), or the field whose value its type does not allow. What buf holds
// after an error is not defined.
func MarshalTo(buf []byte, m Message) (int, error) {
	e := encoders.Get().(*Encoder)
	e.Reset(buf)
	m.EncodeCDR(e)
	n, err := HeaderSize+e.off, e.err
	*e = Encoder{} // holds on to nothing of the caller
	encoders.Put(e)
	if err != nil {
		err.Type = m.CDRType().Name
		return 0, err
	}
	return n, nil
}

// Marshal returns the payload of m in a new slice.
func Marshal(m Message) ([]byte, error) { return Append(nil, m) }

// Append appends the payload of m to dst. It returns dst as it was together with an error.
func Append(dst []byte, m Message) ([]byte, error) {
	n := len(dst)
	size := Size(m)
	if cap(dst)-n < size {
		dst = append(make([]byte, 0, n+size), dst...)
	}
	size, err := MarshalTo(dst[n:n+size], m)
	if err != nil {
		return dst[:n], err
	}
	return dst[:n+size], nil
}

// Unmarshal decodes a payload into m. Everything is copied out of data, so m may be kept; the
// memory of slices in m is used again as described at Resize. Both byte orders are read, and bytes
// behind the message are ignored. Every length is checked against what is left of data before
// anything is allocated. The error is an *Error that names the field; after an error m holds a
// mixture of old and new values.
func Unmarshal(data []byte, m Message) error { return decode(data, m, false) }

// UnmarshalView is Unmarshal without copying what need not be: sequences of numbers, and of structs
// of numbers, alias data if it is in the byte order of the machine and the sequence lies at a
// multiple of its alignment in memory. m is valid as long as data is and must be neither changed
// nor kept beyond that; Clone makes a copy to keep. Strings are always copied. Data whose byte 4
// lies at a multiple of 8 in memory has the right alignment for all types.
func UnmarshalView(data []byte, m Message) error { return decode(data, m, true) }

func decode(data []byte, m Message, view bool) error {
	d := decoders.Get().(*Decoder)
	d.Reset(data, view)
	if !d.Failed() {
		m.DecodeCDR(d)
	}
	err := d.err
	*d = Decoder{swapped: d.swapped[:0]} // holds on to nothing of the caller
	decoders.Put(d)
	if err != nil {
		err.Type = m.CDRType().Name
		return err
	}
	return nil
}
