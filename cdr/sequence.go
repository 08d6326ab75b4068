package cdr

import "unsafe"

// Resize returns a slice of n elements that the caller overwrites. It reuses the memory of s where
// there is room for more than n elements and s does not fill it. What Resize allocates has room
// for one element more than needed, and what aliases the data of an earlier decoding has not: so a
// message may be decoded with and without view in any order, and a slice of its own that a user
// puts into a message is not written to, as long as it fills its memory. A slice that was decoded
// with view must not be shortened in place before its message is decoded again.
func Resize[T any](s []T, n int) []T {
	switch {
	case cap(s) > len(s) && cap(s) > n:
		return s[:n]
	case n == 0:
		return nil
	}
	return make([]T, n, n+1)
}

// elements returns the bytes of n elements that follow a count. Without elements there is no
// padding either.
func (d *Decoder) elements(field string, align, n, size int) []byte {
	if n == 0 {
		return nil
	}
	d.off = Align(d.off, align)
	if left := len(d.buf) - d.off; left < 0 || n > left/size {
		return d.short(field, n*size)
	}
	b := d.buf[d.off : d.off+n*size]
	d.off += n * size
	return b
}

// alias lets *p be the elements in b and tells whether it can. Capacity and length are equal
// afterwards, which keeps Resize from ever handing out memory of the data.
func alias[T any](d *Decoder, p *[]T, b []byte, align int) bool {
	first := unsafe.Pointer(unsafe.SliceData(b))
	if align > 1 && (d.big || !wireOrder) || uintptr(first)%uintptr(align) != 0 {
		return false
	}
	n := len(b) / int(unsafe.Sizeof(*new(T)))
	*p = unsafe.Slice((*T)(first), n)[:n:n]
	return true
}

// SizeSequence returns the offset behind a sequence of n elements of the given size and alignment
// that starts at off. The size is a multiple of the alignment.
func SizeSequence(off, n, size, align int) int {
	off = Align(off, 4) + 4
	if n > 0 {
		off = Align(off, align) + n*size
	}
	return off
}

// SizeStrings returns the offset behind strings that start at off.
func SizeStrings(off int, s []string) int {
	for _, v := range s {
		off = Align(off, 4) + 5 + len(v)
	}
	return off
}

// SizeWStrings returns the offset behind wstrings that start at off.
func SizeWStrings(off int, s []string) int {
	for _, v := range s {
		off = Align(off, 4) + SizeWString(v)
	}
	return off
}
