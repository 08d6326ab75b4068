package builtin_interfaces_test

import (
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/msgs/builtin_interfaces"
)

func ExampleTimeFrom() {
	stamp := builtin_interfaces.TimeFrom(time.Date(2026, 5, 1, 12, 0, 0, 250e6, time.UTC))
	fmt.Println(stamp.Sec, stamp.Nanosec)
	fmt.Println(stamp.AsTime().UTC().Format(time.RFC3339Nano))
	// Output:
	// 1777636800 250000000
	// 2026-05-01T12:00:00.25Z
}

func ExampleDurationFrom() {
	d := builtin_interfaces.DurationFrom(-100 * time.Millisecond)
	fmt.Println(d.Sec, d.Nanosec, d.AsDuration())
	// Output: -1 900000000 -100ms
}
