package executor

import (
	"testing"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// A thread that stands still between reading one clock and the other does not shift them.
func TestReadZero(t *testing.T) {
	const pause = 20 * time.Millisecond
	calls := 0
	s := &topicStats{wall: func() time.Time {
		now := time.Now()
		if calls++; calls%2 == 1 {
			time.Sleep(pause)
		}
		return now
	}}
	for range 3 {
		before := time.Now().UnixNano() - pubsub.Monotonic()
		if d := time.Duration(s.readZero() - before); d < -pause/2 || d > pause/2 {
			t.Errorf("off by %v", d)
		}
	}
}
