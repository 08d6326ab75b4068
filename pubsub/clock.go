package pubsub

import (
	"time"

	"golang.org/x/sys/unix"
)

// epoch ties the monotonic reading in a time.Time, which the runtime takes without a system call,
// to the kernel's clock.
var epoch, epochNs = tie()

// tie reads both clocks until it is unlikely that the thread was interrupted in between, which would
// shift all times of the process.
func tie() (time.Time, int64) {
	var best time.Time
	var bestNs int64
	for shortest, i := time.Hour, 0; i < 50; i++ {
		var t unix.Timespec
		before := time.Now()
		// It cannot fail with this clock and a valid pointer.
		_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
		if took := time.Since(before); took < shortest {
			shortest, best, bestNs = took, before.Add(took/2), t.Nano()
		}
	}
	return best, bestNs
}

// Monotonic returns CLOCK_MONOTONIC in nanoseconds: the clock of MessageInfo.Arrival, the same in
// all processes of a machine and never set.
func Monotonic() int64 { return epochNs + int64(time.Since(epoch)) }

// monotonicAt is Monotonic at a time that time.Now returned.
func monotonicAt(t time.Time) int64 { return epochNs + int64(t.Sub(epoch)) }
