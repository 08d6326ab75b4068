package demo

import "math"

// pack puts two numbers into one word, so that a callback can read both without a lock.
func pack(x, y float32) uint64 {
	return uint64(math.Float32bits(x))<<32 | uint64(math.Float32bits(y))
}

func unpack(v uint64) (x, y float32) {
	return math.Float32frombits(uint32(v >> 32)), math.Float32frombits(uint32(v))
}
