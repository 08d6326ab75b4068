package executor

import "sync/atomic"

// recentIntervals is how many callbacks a lane remembers, for a second at 4 kHz.
const recentIntervals = 1 << 12

// intervals remembers when the last callbacks were under way, from the arrival of the message, or the
// time of the timer, to the end. Any number of goroutines may add while others look.
type intervals struct {
	n          atomic.Uint64
	begin, end [recentIntervals]atomic.Int64
}

func (v *intervals) add(begin, end int64) {
	i := (v.n.Add(1) - 1) % recentIntervals
	v.begin[i].Store(begin)
	v.end[i].Store(end)
}

// overlapping counts the intervals that have something in common with [begin, end].
func (v *intervals) overlapping(begin, end int64) (n uint64) {
	for i := range min(v.n.Load(), recentIntervals) {
		if v.begin[i].Load() <= end && v.end[i].Load() >= begin {
			n++
		}
	}
	return n
}
