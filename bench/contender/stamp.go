package contender

import "encoding/binary"

// Stamp is what a message of bytes carries: five little-endian numbers of 8 bytes. Times are
// CLOCK_MONOTONIC in nanoseconds.
type Stamp struct {
	Number   uint64
	Intended int64
	Sent     int64
	Arrived  int64 // at the pong
	Replied  int64 // by the pong
}

// StampSize is the size of a whole stamp. A sender's needs 24 bytes.
const StampSize = 40

// Put writes as much of the stamp as has room.
func (s *Stamp) Put(data []byte) {
	var b [StampSize]byte
	binary.LittleEndian.PutUint64(b[:], s.Number)
	for i, t := range [...]int64{s.Intended, s.Sent, s.Arrived, s.Replied} {
		binary.LittleEndian.PutUint64(b[8+8*i:], uint64(t))
	}
	copy(data, b[:])
}

// ReadStamp reads a stamp; what data are too short for is 0.
func ReadStamp(data []byte) Stamp {
	var b [StampSize]byte
	copy(b[:], data)
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	return Stamp{uint64(at(0)), at(1), at(2), at(3), at(4)}
}
