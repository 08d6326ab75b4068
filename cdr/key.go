package cdr

import (
	"crypto/md5"
)

// KeyedMessage is a message whose type declares key members. Pointers to generated structs of such
// types implement it.
type KeyedMessage interface {
	Message

	// SizeKeyCDR is SizeCDR for the key members alone.
	SizeKeyCDR(off int) int

	// EncodeKeyCDR is EncodeCDR for the key members alone, in the order of their declaration.
	EncodeKeyCDR(e *Encoder)

	// DecodeKeyCDR fills the key members from what EncodeKeyCDR wrote.
	DecodeKeyCDR(d *Decoder)
}

// KeyLayout lists what a program has to walk over to find the key in an encoded message without
// knowing the type: everything up to the last key member, in the order on the wire.
type KeyLayout []KeyStep

// KeyStep is one part of an encoded message. Its elements follow each other without a gap but for
// the alignment of each.
type KeyStep struct {
	Kind  KeyStepKind
	Key   bool      // the elements are part of the key; they are of KeyNumbers then
	Width int       // bytes of an element of KeyNumbers, and its alignment
	Count int       // number of elements, 0 where a count of 32 bits stands in front of them
	Steps KeyLayout // the parts of an element of KeyStructs
}

// KeyStepKind tells what the elements of a step are.
type KeyStepKind uint8

// The kinds of steps.
const (
	KeyNumbers  KeyStepKind = iota // numbers and bools of Width bytes
	KeyStrings                     // strings
	KeyWStrings                    // wstrings
	KeyStructs                     // structs, described by Steps
)

// AppendKey appends the key of an encoded message to dst: the key members in XCDR1 of the given
// byte order, without encapsulation header. payload begins with the encapsulation header.
func (l KeyLayout) AppendKey(dst, payload []byte, bigEndian bool) ([]byte, error) {
	var d Decoder
	d.Reset(payload, false)
	k := keyWalker{dec: &d, dst: dst, start: len(dst), big: bigEndian}
	k.steps(l)
	if err := d.Err(); err != nil {
		return dst[:k.start], err
	}
	return k.dst, nil
}

// Size returns the length of the key, which is the same for all messages of the type.
func (l KeyLayout) Size() int { return l.size(0) }

func (l KeyLayout) size(off int) int {
	for _, s := range l {
		switch {
		case s.Key:
			off = Align(off, s.Width) + s.Width*s.Count
		case s.Kind == KeyStructs:
			for range s.Count {
				off = s.Steps.size(off)
			}
		}
	}
	return off
}

// Hash returns the key hash of an encoded message as the RTPS protocol defines it (9.6.3.8 of
// RTPS 2.3): the key in big-endian CDR, filled up with zeros, or its MD5 sum if keys of the type
// are longer than 16 bytes.
func (l KeyLayout) Hash(payload []byte) (hash [16]byte, err error) {
	key, err := l.AppendKey(make([]byte, 0, 64), payload, true)
	if err != nil {
		return hash, err
	}
	if l.Size() > len(hash) {
		return md5.Sum(key), nil
	}
	copy(hash[:], key)
	return hash, nil
}

// keyWalker copies the key members of a message while it walks over it.
type keyWalker struct {
	dec   *Decoder
	dst   []byte
	start int
	big   bool
}

func (k *keyWalker) steps(l KeyLayout) {
	for _, s := range l {
		if k.dec.Failed() {
			return
		}
		k.step(s)
	}
}

func (k *keyWalker) step(s KeyStep) {
	n := s.Count
	if n == 0 {
		n = k.dec.Count("", Unbounded, 1)
	}
	switch s.Kind {
	case KeyNumbers:
		b := k.dec.elements("", s.Width, n, s.Width)
		if s.Key {
			k.add(b, s.Width)
		}
	case KeyStrings:
		for ; n > 0 && !k.dec.Failed(); n-- {
			k.dec.skip(uint64(k.dec.Uint32("")))
		}
	case KeyWStrings:
		for ; n > 0 && !k.dec.Failed(); n-- {
			k.dec.elements("", 4, k.dec.Count("", Unbounded, 4), 4)
		}
	case KeyStructs:
		for ; n > 0 && !k.dec.Failed(); n-- {
			k.steps(s.Steps)
		}
	}
}

// add appends key members to the key.
func (k *keyWalker) add(b []byte, width int) {
	for (len(k.dst)-k.start)%width != 0 {
		k.dst = append(k.dst, 0)
	}
	k.dst = append(k.dst, b...)
	if k.big != k.dec.big {
		reverse(k.dst[len(k.dst)-len(b):], width)
	}
}

// skip passes over n bytes.
func (d *Decoder) skip(n uint64) {
	if n > uint64(len(d.buf)-d.off) {
		d.short("", int(min(n, 1<<31-1)))
		return
	}
	d.off += int(n)
}
