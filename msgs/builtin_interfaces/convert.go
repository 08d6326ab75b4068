package builtin_interfaces

import (
	"math"
	"time"
)

// TimeFrom returns t in whole seconds and nanoseconds since 1970. The seconds have 32 bits: times
// outside of December 1901 to January 2038 become the first or last that there is.
func TimeFrom(t time.Time) Time {
	sec := t.Unix()
	switch {
	case sec < math.MinInt32:
		return Time{Sec: math.MinInt32}
	case sec > math.MaxInt32:
		return Time{Sec: math.MaxInt32, Nanosec: 999_999_999}
	}
	return Time{Sec: int32(sec), Nanosec: uint32(t.Nanosecond())}
}

// AsTime returns the time in the local time zone. Nanoseconds beyond a second carry over.
func (m Time) AsTime() time.Time { return time.Unix(int64(m.Sec), int64(m.Nanosec)) }

// DurationFrom returns d. Its seconds have 32 bits: what is longer than 68 years becomes the longest
// that there is. The nanoseconds count upwards for negative durations too, as rclcpp has it: -0.1 s is
// -1 s and 900,000,000 ns.
func DurationFrom(d time.Duration) Duration {
	sec, nsec := int64(d/time.Second), int64(d%time.Second)
	if nsec < 0 {
		sec, nsec = sec-1, nsec+int64(time.Second)
	}
	switch {
	case sec < math.MinInt32:
		return Duration{Sec: math.MinInt32}
	case sec > math.MaxInt32:
		return Duration{Sec: math.MaxInt32, Nanosec: 999_999_999}
	}
	return Duration{Sec: int32(sec), Nanosec: uint32(nsec)}
}

// AsDuration returns the duration, for which a time.Duration always has room.
func (m Duration) AsDuration() time.Duration {
	return time.Duration(m.Sec)*time.Second + time.Duration(m.Nanosec)
}
