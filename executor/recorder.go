package executor

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A recorder counts durations in buckets of at most 1/64 of their value, lock-free: any number of
// goroutines may record while others take snapshots.
type recorder struct {
	buckets [buckets]atomic.Uint64
	max     atomic.Int64
}

const (
	subBits = 6 // 64 buckets for each power of two
	topBits = 36
	buckets = (topBits - subBits + 1) << subBits
	// longest is the longest duration that keeps its value: 2^36 ns, about 69 s.
	longest = time.Duration(1)<<topBits - 1
)

// record counts a duration. Negative ones count as zero: clocks of several machines differ.
func (r *recorder) record(d time.Duration) {
	d = min(max(d, 0), longest)
	r.buckets[bucket(uint64(d))].Add(1)
	raise(&r.max, int64(d))
}

// bucket maps values below 64 to themselves and each further power of two to 64 buckets.
func bucket(v uint64) int {
	shift := max(bits.Len64(v)-subBits-1, 0)
	return shift<<subBits + int(v>>shift)
}

// value returns the middle of a bucket.
func value(bucket int) uint64 {
	shift := max(bucket>>subBits-1, 0)
	low := uint64(bucket-shift<<subBits) << shift
	return low + (uint64(1)<<shift)/2
}

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, int64(longest), 2) }

// snapshot returns the counts so far.
func (r *recorder) snapshot() *hdrhistogram.Histogram {
	h := newHistogram()
	biggest := r.max.Load()
	for i := range r.buckets {
		if n := r.buckets[i].Load(); n > 0 {
			// The bounds of h hold every value.
			_ = h.RecordValues(min(int64(value(i)), max(biggest, 1)), int64(n))
		}
	}
	return h
}
