package pubsub

import (
	"time"

	"golang.org/x/sys/unix"
)

// epoch ties the monotonic reading in a time.Time, which the runtime takes without a system call,
// to the kernel's clock.
var epoch, epochNs = func() (time.Time, int64) {
	var t unix.Timespec
	// It cannot fail with this clock and a valid pointer.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return time.Now(), t.Nano()
}()

// Monotonic returns CLOCK_MONOTONIC in nanoseconds: the clock of MessageInfo.Arrival, the same in
// all processes of a machine and never set.
func Monotonic() int64 { return epochNs + int64(time.Since(epoch)) }

// monotonicAt is Monotonic at a time that time.Now returned.
func monotonicAt(t time.Time) int64 { return epochNs + int64(t.Sub(epoch)) }
