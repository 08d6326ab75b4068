package executor

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestRecorder(t *testing.T) {
	for v := uint64(0); v < 1<<20; v++ {
		if b := bucket(v); v > 0 && b < bucket(v-1) || b >= buckets {
			t.Fatalf("bucket(%d) = %d", v, b)
		}
	}
	var r recorder
	for range 100_000 {
		d := time.Duration(rand.Uint64N(uint64(longest)) >> rand.IntN(topBits))
		b := bucket(uint64(d))
		if got := time.Duration(value(b)); got < d-d/64-1 || got > d+d/64+1 {
			t.Fatalf("%d is recorded as %d", d, got)
		}
		r.record(d)
	}
	r.record(-1)
	r.record(longest + 1)
	if h := r.snapshot(); h.TotalCount() != 100_002 || h.Min() > 0 {
		t.Errorf("count %d, min %d", h.TotalCount(), h.Min())
	}
}
