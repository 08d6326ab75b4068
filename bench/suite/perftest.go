package suite

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
)

// The parts of Perftest, as variants.
const (
	Latency    = "latency"
	Throughput = "throughput"
)

// Perftest measures round trips and throughput by size, reliable and best effort, in the shape of the
// tables that vendors publish.
func Perftest(ctx context.Context, o Options) (*Result, error) {
	roster, err := newRoster(ctx, o.Program, o.Peers)
	if err != nil {
		return nil, err
	}
	s := scenario{name: "perftest", ownSender: true, warmup: 200 * time.Millisecond, duration: cmp.Or(o.Duration, 3*time.Second), rounds: cmp.Or(o.Rounds, 3)}
	sizes, reliabilities := []int{32, 128, 512, 2048, 8192, 32 << 10, 128 << 10, 512 << 10, 1 << 20, 10 << 20}, []string{"reliable", "best_effort"}
	wanted := []string{"pinion/critical", "pinion/critical:woken", "c/listener", "c/waitset", "c/listener:batched", "ddsperf", "rclcpp/single"}
	if o.Quick {
		sizes, reliabilities, wanted = []int{32, 8192, 1 << 20}, reliabilities[:1], []string{"pinion/critical", "c/listener", "c/listener:batched", "ddsperf/listener"}
		s.duration, s.rounds = cmp.Or(o.Duration, time.Second), cmp.Or(o.Rounds, 1)
	}
	if s.contenders, err = roster.choose(o.Contenders, wanted); err != nil {
		return nil, err
	}
	s.skip = func(c competitor, p Params) bool {
		return strings.HasSuffix(c.Mode, ":batched") && p.Variant == Latency
	}
	s.run = func(ctx context.Context, r *runner, c competitor, cfg contender.Config, run *Run) error {
		latency := run.Variant == Latency
		switch {
		case c.Name == "ddsperf":
			return ddsperf(latency)(ctx, r, c, cfg, run)
		case latency:
			cfg.Limit, cfg.Warmup = 0, cfg.Count/10
			return roundTrip(ctx, r, c, cfg, run)
		}
		cfg.Limit = (r.warmup + r.duration).Seconds()
		cfg.Warmup = 100 // how many come in a time is not known before
		return oneWay(ctx, r, c, cfg, run)
	}
	s.count = func(p Params) int {
		if p.Variant == Latency {
			return max(100, int(s.duration/expectedRoundTrip(p.Size)))
		}
		return int(5e6 * s.duration.Seconds()) // more than any machine sends
	}
	for _, part := range or(o.Variants, []string{Latency, Throughput}) {
		if part != Latency && part != Throughput {
			return nil, fmt.Errorf("there is no part %q; there are %s and %s", part, Latency, Throughput)
		}
		for _, reliability := range or(o.Reliabilities, reliabilities) {
			for _, size := range or(o.Sizes, sizes) {
				if err := checkSize(size); err != nil {
					return nil, err
				}
				p := Params{Topics: 1, Type: contender.Bytes, Size: size, Variant: part, Phase: "spread",
					Reliability: reliability, Depth: 1, Placement: cmp.Or(o.Placement, Same)}
				if part == Throughput {
					p.Depth, p.Placement = 0, cmp.Or(o.Placement, Free)
				}
				s.cases = append(s.cases, p)
			}
		}
	}
	return s.execute(ctx, o, roster)
}
