package bag

import (
	"context"
	"math"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"golang.org/x/sys/unix"
)

// A timeline tells when messages are due: the time since the first, divided by rate, after start. Each
// is reckoned from the start, so that no lateness adds up.
type timeline struct {
	start int64 // CLOCK_MONOTONIC, ns
	first int64 // time of the message that is due then
	rate  float64
}

// due returns the time of a message on CLOCK_MONOTONIC.
func (t timeline) due(time int64) int64 {
	if time <= t.first {
		return t.start
	}
	after := float64(uint64(time)-uint64(t.first)) / t.rate
	if after >= float64(math.MaxInt64-t.start) {
		return math.MaxInt64
	}
	if t.rate == 1 {
		return t.start + (time - t.first) // to the nanosecond
	}
	return t.start + int64(after)
}

// at returns the bag's time at a time on CLOCK_MONOTONIC.
func (t timeline) at(now int64) int64 {
	after := float64(now-t.start) * t.rate
	if after >= float64(math.MaxInt64)-float64(t.first) {
		return math.MaxInt64
	}
	if t.rate == 1 {
		return t.first + (now - t.start)
	}
	return t.first + int64(after)
}

// sleepUntil sleeps until CLOCK_MONOTONIC is at a time, or ctx ends. The last part of it is the
// kernel's: the timers of the Go runtime are made for coarser work.
func sleepUntil(ctx context.Context, at int64) error {
	const fine = int64(2 * time.Millisecond)
	if wait := at - pubsub.Monotonic(); wait > fine {
		t := time.NewTimer(time.Duration(wait - fine))
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if at > pubsub.Monotonic() {
		deadline := unix.NsecToTimespec(at)
		for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &deadline, nil) == unix.EINTR {
		}
	}
	return ctx.Err()
}
