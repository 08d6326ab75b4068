package suite

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
)

// Gamepad is the size that stands for gamepad_msgs/msg/GamepadState, which has 64 bytes.
const Gamepad = 0

// RTT measures round trips with one message in flight, whole, on one clock.
func RTT(ctx context.Context, o Options) (*Result, error) {
	roster, err := newRoster(ctx, o.Program, o.Peers)
	if err != nil {
		return nil, err
	}
	s := scenario{name: "rtt", run: trip, duration: cmp.Or(o.Duration, 3*time.Second), rounds: cmp.Or(o.Rounds, 5)}
	sizes := []int{Gamepad, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20}
	wanted := []string{"pinion", "c/listener", "c/waitset", "ddsperf", "rclcpp", "rclgo"}
	if o.Quick {
		wanted = []string{"pinion", "c/listener", "c/waitset", "rclcpp", "rclgo"}
		sizes = []int{Gamepad, 64, 16 << 10, 1 << 20}
		s.duration, s.rounds, s.limit = cmp.Or(o.Duration, 300*time.Millisecond), cmp.Or(o.Rounds, 3), 50*time.Second
	}
	s.warmup = s.duration / 10
	s.count = func(p Params) int { return max(100, int(s.duration/expectedRoundTrip(p.Size))) }
	s.skip = func(c competitor, p Params) bool {
		// Without background topics, what is done with them makes no difference. ddsperf does not know the
		// bench's own types.
		return c.id() == "pinion/dedicated" || p.Type != contender.Bytes && c.Name == "ddsperf"
	}
	if s.contenders, err = roster.choose(o.Contenders, wanted); err != nil {
		return nil, err
	}
	for _, size := range or(o.Sizes, sizes) {
		p := Params{Topics: 1, Type: contender.Bytes, Size: size, Variant: "plain", Phase: "spread",
			Reliability: "reliable", Depth: 10, Placement: cmp.Or(o.Placement, Same)}
		switch {
		case size == Gamepad:
			p.Type, p.Size = contender.Gamepad, 64
		case checkSize(size) != nil:
			return nil, fmt.Errorf("%w, and %d for a GamepadState", checkSize(size), Gamepad)
		}
		s.cases = append(s.cases, p)
	}
	return s.execute(ctx, o, roster)
}

// trip is roundTrip, for ddsperf in its own way.
func trip(ctx context.Context, r *runner, c competitor, cfg contender.Config, run *Run) error {
	if c.Name == "ddsperf" {
		return ddsperf(true)(ctx, r, c, cfg, run)
	}
	return roundTrip(ctx, r, c, cfg, run)
}

// expectedRoundTrip is a guess from which the number of messages follows, so that runs of all sizes take
// about as long.
func expectedRoundTrip(size int) time.Duration {
	return 80*time.Microsecond + time.Duration(size)*5*time.Nanosecond
}
