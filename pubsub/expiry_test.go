package pubsub

import (
	"math"
	"testing"
	"time"
)

func TestExpiry(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name     string
		lifespan time.Duration
		source   time.Time
		left     time.Duration
	}{
		{"its own time", time.Minute, now, time.Minute},
		{"an older time", time.Minute, now.Add(-time.Second), 59 * time.Second},
		{"a time of the wall clock", time.Minute, now.Add(-time.Second).Round(0), 59 * time.Second},
		{"too old", time.Minute, now.Add(-time.Hour), -59 * time.Minute},
		{"before the clock was set back", time.Minute, now.Add(time.Hour).Round(0), time.Minute},
		{"no time", time.Minute, time.Time{}, -math.MaxInt64/2 + time.Minute},
		{"longer than there are nanoseconds", math.MaxInt64, now, math.MaxInt64 / 2},
	} {
		got := time.Duration(expiry(tt.lifespan, tt.source, now) - monotonicAt(now))
		if (got - tt.left).Abs() > 10*time.Millisecond { // the two clocks are not read at once
			t.Errorf("%s: %v is left, want %v", tt.name, got, tt.left)
		}
	}
	if got := expiry(0, now, now); got != 0 {
		t.Errorf("without a lifespan: %d", got)
	}
}
