// Package link is what a bad cable does to frames, as pure logic: it reads no clock, and its chance
// comes from a seed.
package link

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Limits of settings.
const (
	MaxDelay = time.Minute
	MinRate  = 1_000             // bits per second
	MaxRate  = 1_000_000_000_000 // bits per second
	MinMTU   = 68                // RFC 791
	MaxMTU   = 65521             // of a TAP device
)

// Settings say what happens to frames on their way, the same in both directions. The zero value is a
// cable without faults.
type Settings struct {
	Loss      float64 // share of frames that do not arrive, 0 to 1
	Duplicate float64 // share of frames that arrive twice
	Reorder   float64 // share of frames that are held back for Gap longer than the others
	Gap       time.Duration
	Delay     time.Duration
	Jitter    time.Duration // the delay of each frame differs from Delay by up to so much, evenly
	Rate      uint64        // bits per second, 0 for no limit
	Queue     int           // bytes that may wait where the rate is limited, 0 for 64 KiB and 10 ms more
	MTU       int           // 0 for 1500

	// Seed makes the chance repeatable: what becomes of the nth frame depends on it, the direction and n.
	// 0 is for a seed that differs each time.
	Seed uint64
}

// Faulty tells whether there is more to do than to keep a rate.
func (s Settings) Faulty() bool {
	return s.Loss > 0 || s.Duplicate > 0 || s.Reorder > 0 || s.Delay > 0
}

// Validate returns what is out of range, all of it.
func (s Settings) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	for _, share := range []struct {
		key   string
		value float64
	}{{"loss", s.Loss}, {"dup", s.Duplicate}, {"reorder", s.Reorder}} {
		check(share.value >= 0 && share.value <= 1, "%s is %s, want 0%% to 100%%", share.key, percent(share.value))
	}
	check(s.Delay >= 0 && s.Delay <= MaxDelay, "delay is %v, want 0s to %v", s.Delay, MaxDelay)
	check(s.Jitter >= 0 && s.Jitter <= s.Delay, "jitter is %v, want 0s to the delay of %v", s.Jitter, s.Delay)
	check(s.Gap >= 0 && s.Gap <= MaxDelay, "gap is %v, want 0s to %v", s.Gap, MaxDelay)
	check(s.Gap == 0 || s.Reorder > 0, "gap is for frames that are reordered: set reorder too")
	check(s.Rate == 0 || s.Rate >= MinRate && s.Rate <= MaxRate, "rate is %s, want 1kbit to 1000gbit", bits(s.Rate))
	frame := cmp.Or(s.MTU, 1500) + 14 // with the header of Ethernet
	check(s.Queue == 0 || s.Queue >= frame && s.Queue <= maxHeld, "queue is %d bytes, want %d, which is one frame, to %d", s.Queue, frame, maxHeld)
	check(s.Queue == 0 || s.Rate > 0, "queue is where the rate is limited: set rate too")
	check(s.MTU == 0 || s.MTU >= MinMTU && s.MTU <= MaxMTU, "mtu is %d, want %d to %d", s.MTU, MinMTU, MaxMTU)
	return errors.Join(faults...)
}

// QueueBytes is how much may wait where the rate is limited.
func (s Settings) QueueBytes() int {
	if s.Queue > 0 {
		return s.Queue
	}
	return 64<<10 + int(s.Rate/8/100)
}

// gap is how long frames are held back to let others pass.
func (s Settings) gap() time.Duration {
	if s.Gap > 0 {
		return s.Gap
	}
	return 5 * time.Millisecond
}
