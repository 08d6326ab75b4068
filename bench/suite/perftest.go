package suite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
)

// The parts of Perftest, as variants.
const (
	Latency    = "latency"
	Throughput = "throughput"
)

// On and Off are the choices for batching.
const (
	On  = "on"
	Off = "off"
)

// keyedInstances is how many the tables of vendors have.
const keyedInstances = 100_000

// Perftest measures round trips and throughput by size, reliable and best effort, with and without a
// key, in the shape of the tables that vendors publish.
func Perftest(ctx context.Context, o Options) (*Result, error) {
	roster, err := newRoster(ctx, o.Program, o.Peers)
	if err != nil {
		return nil, err
	}
	s := scenario{name: "perftest", ownSender: true, warmup: 200 * time.Millisecond, duration: cmp.Or(o.Duration, 3*time.Second), rounds: cmp.Or(o.Rounds, 3)}
	sizes, reliabilities := []int{32, 128, 512, 2048, 8192, 32 << 10, 128 << 10, 512 << 10, 1 << 20, 10 << 20}, []string{"reliable", "best_effort"}
	wanted := []string{"pinion/critical", "pinion/critical:woken", "c/listener", "c/waitset", "ddsperf", "rclcpp/single"}
	if o.Quick {
		sizes, reliabilities, wanted = []int{32, 8192, 1 << 20}, reliabilities[:1], []string{"pinion/critical", "c/listener", "ddsperf/listener"}
		s.duration, s.rounds = cmp.Or(o.Duration, 600*time.Millisecond), cmp.Or(o.Rounds, 1)
	}
	if s.contenders, err = roster.choose(o.Contenders, wanted); err != nil {
		return nil, err
	}
	s.skip = func(c competitor, p Params) bool {
		switch c.Name {
		case "pinion", "c":
			return false
		case "ddsperf": // batches throughput in any case; in quick runs only what it is the yardstick of
			return p.Variant == Throughput && !p.Batching || p.Variant == Latency && (p.Instances > 0 || o.Quick)
		}
		return p.Instances > 0 || p.Batching // ROS 2 has neither
	}
	s.run = perftest
	s.count = func(p Params) int {
		if p.Variant == Latency {
			return max(100, int(s.duration/expectedRoundTrip(p.Size)))
		}
		return int(5e6 * s.duration.Seconds()) // more than any machine sends
	}
	if s.cases, err = perftestCases(o, or(o.Sizes, sizes), or(o.Reliabilities, reliabilities)); err != nil {
		return nil, err
	}
	return s.execute(ctx, o, roster)
}

func perftest(ctx context.Context, r *runner, c competitor, cfg contender.Config, run *Run) error {
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

// perftestCases combines what the options allow. A quick run has a key with the smallest messages only.
func perftestCases(o Options, sizes []int, reliabilities []string) ([]Params, error) {
	var cases []Params
	for _, part := range or(o.Variants, []string{Latency, Throughput}) {
		batching := []string{Off}
		switch part {
		case Latency:
		case Throughput:
			batching = or(o.Batching, []string{Off, On})
		default:
			return nil, fmt.Errorf("there is no part %q; there are %s and %s", part, Latency, Throughput)
		}
		for _, instances := range or(o.Instances, []int{0, keyedInstances}) {
			for _, batch := range batching {
				for _, reliability := range reliabilities {
					for _, size := range sizes {
						p := Params{Topics: 1, Type: contender.Bytes, Size: size, Variant: part, Phase: "spread", Instances: instances,
							Batching: batch == On, Reliability: reliability, Depth: 1, Placement: cmp.Or(o.Placement, Same)}
						if part == Throughput {
							p.Depth, p.Placement = 0, cmp.Or(o.Placement, Free)
						}
						if instances > 0 {
							p.Type = contender.Keyed
						}
						if err := checkPerftest(p, batch); err != nil {
							return nil, err
						}
						if !o.Quick || instances == 0 || size == slices.Min(sizes) {
							cases = append(cases, p)
						}
					}
				}
			}
		}
	}
	return cases, nil
}

func checkPerftest(p Params, batching string) error {
	switch {
	case p.Instances < 0 || p.Instances > 1_000_000:
		return fmt.Errorf("%d instances: 1 to 1000000 are possible, and 0 for no key", p.Instances)
	case batching != On && batching != Off:
		return fmt.Errorf("batching %q: there are %s and %s", batching, On, Off)
	case p.Reliability != "reliable" && p.Reliability != "best_effort":
		return fmt.Errorf("there is no reliability %q; there are reliable and best_effort", p.Reliability)
	}
	return checkSize(p.Size)
}
