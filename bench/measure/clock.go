// Package measure is the core of the benches: a clock that all processes of a machine share,
// schedules that do not slide, histograms that can be merged, counts of what was lost on the way,
// and figures that say no more than their number of samples allows.
package measure

import (
	"time"

	"golang.org/x/sys/unix"
)

// The Go runtime reads CLOCK_MONOTONIC without a system call but counts from a zero of its own. The
// closest of several readings of both ties the two together: one alone may be torn apart by a
// preemption, and every one-way figure would carry the gap.
var epoch, epochNs = func() (time.Time, int64) {
	var best time.Time
	var ns int64
	least := time.Hour
	for range 200 {
		var t unix.Timespec
		before := time.Now()
		// The clock is always there and the pointer valid.
		_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
		if gap := time.Since(before); gap < least {
			least, best, ns = gap, before.Add(gap/2), t.Nano()
		}
	}
	return best, ns
}()

// Now returns CLOCK_MONOTONIC in nanoseconds, which is the same in all processes of a machine.
func Now() int64 { return epochNs + int64(time.Since(epoch)) }

// SleepUntil sleeps until the clock shows at. The kernel's timer is used, because those of the Go
// runtime are made for coarser work.
func SleepUntil(at int64) {
	deadline := unix.NsecToTimespec(at)
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &deadline, nil) == unix.EINTR {
	}
}

// Burn keeps the processor busy for d, as the work of a callback does.
func Burn(d time.Duration) {
	for end := Now() + int64(d); Now() < end; {
	}
}
