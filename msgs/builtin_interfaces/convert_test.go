package builtin_interfaces_test

import (
	"math"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/msgs/builtin_interfaces"
)

func TestTime(t *testing.T) {
	for _, tt := range []struct {
		time time.Time
		msg  builtin_interfaces.Time
	}{
		{time.Unix(1700000000, 5), builtin_interfaces.Time{Sec: 1700000000, Nanosec: 5}},
		{time.Unix(0, 0), builtin_interfaces.Time{}},
		{time.Unix(-2, 999_999_999), builtin_interfaces.Time{Sec: -2, Nanosec: 999_999_999}},
		{time.Unix(math.MaxInt32, 999_999_999), builtin_interfaces.Time{Sec: math.MaxInt32, Nanosec: 999_999_999}},
	} {
		if got := builtin_interfaces.TimeFrom(tt.time); got != tt.msg {
			t.Errorf("TimeFrom(%v) = %+v, want %+v", tt.time, got, tt.msg)
		}
		if got := tt.msg.AsTime(); !got.Equal(tt.time) {
			t.Errorf("%+v.AsTime() = %v, want %v", tt.msg, got, tt.time)
		}
	}
	late, early := builtin_interfaces.TimeFrom(time.Unix(1<<40, 0)), builtin_interfaces.TimeFrom(time.Time{})
	if late.Sec != math.MaxInt32 || early.Sec != math.MinInt32 {
		t.Errorf("times out of range became %+v and %+v", late, early)
	}
}

func TestDuration(t *testing.T) {
	for d, msg := range map[time.Duration]builtin_interfaces.Duration{
		0:                       {},
		1500 * time.Millisecond: {Sec: 1, Nanosec: 500_000_000},
		-100 * time.Millisecond: {Sec: -1, Nanosec: 900_000_000},
		-time.Second:            {Sec: -1},
	} {
		if got := builtin_interfaces.DurationFrom(d); got != msg {
			t.Errorf("DurationFrom(%v) = %+v, want %+v", d, got, msg)
		}
		if got := msg.AsDuration(); got != d {
			t.Errorf("%+v.AsDuration() = %v, want %v", msg, got, d)
		}
	}
	if got := builtin_interfaces.DurationFrom(math.MaxInt64); got.Sec != math.MaxInt32 {
		t.Errorf("the longest duration became %+v", got)
	}
}
