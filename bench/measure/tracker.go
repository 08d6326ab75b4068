package measure

import "math/bits"

// A Tracker follows the numbers of the messages of one sender, which start at 0.
type Tracker struct {
	Received   uint64 // different messages
	Duplicates uint64
	OutOfOrder uint64 // arrived behind one that was sent later
	seen       []uint64
	next       uint64
}

// NewTracker returns a tracker that expects up to n messages; higher numbers are ignored.
func NewTracker(n int) *Tracker { return &Tracker{seen: make([]uint64, (n+63)/64)} }

// Arrived notes message number i and returns whether it is a new one. It does not allocate.
func (t *Tracker) Arrived(i uint64) bool {
	if i >= uint64(len(t.seen))*64 {
		return false
	}
	word, bit := &t.seen[i/64], uint64(1)<<(i%64)
	if *word&bit != 0 {
		t.Duplicates++
		return false
	}
	*word |= bit
	t.Received++
	if i < t.next {
		t.OutOfOrder++
	}
	t.next = max(t.next, i+1)
	return true
}

// FirstMissing returns how many messages were missing before the first that came, as late joiners see it.
func (t *Tracker) FirstMissing() int {
	for i, word := range t.seen {
		if word != 0 {
			return i*64 + bits.TrailingZeros64(word)
		}
	}
	return len(t.seen) * 64
}
