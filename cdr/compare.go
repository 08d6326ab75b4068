package cdr

import "bytes"

// EqualBits tells whether the numbers of two slices have the same bits, one by one.
func EqualBits[T Number](a, b []T) bool { return bytes.Equal(bytesOf(a), bytesOf(b)) }

// EqualEach compares two slices of messages.
func EqualEach[T any, P interface {
	*T
	Equal(*T) bool
}](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !P(&a[i]).Equal(&b[i]) {
			return false
		}
	}
	return true
}

// CloneEach returns copies of the messages in s. It returns nil for nil.
func CloneEach[T any, P interface {
	*T
	Clone() *T
}](s []T) []T {
	if s == nil {
		return nil
	}
	c := make([]T, len(s))
	for i := range s {
		c[i] = *P(&s[i]).Clone()
	}
	return c
}
