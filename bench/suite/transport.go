package suite

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
)

// Places at which both ends of the transport scenario are, as variants.
const (
	Local  = "local"  // two processes
	Remote = "remote" // two hosts, see Hosts
	Within = "within" // one process
	Late   = "late"   // two processes, the subscriber joins while the publisher sends
)

var places = []string{Local, Remote, Within, Late}

// Transport measures the same messages between processes, between hosts and within a process, at a
// low rate, and how many of the first ones a late subscriber misses.
func Transport(ctx context.Context, o Options) (*Result, error) {
	roster, err := newRoster(ctx, o.Program, o.Peers)
	if err != nil {
		return nil, err
	}
	s := scenario{name: "transport", run: transport, ownSender: true, duration: cmp.Or(o.Duration, 10*time.Second), rounds: cmp.Or(o.Rounds, 1)}
	sizes, reliabilities, rate := []int{256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 2 << 20, 4 << 20}, []string{"reliable", "best_effort"}, 10.0
	wanted := []string{"pinion/critical", "pinion/shared", "c/listener", "rclcpp/single"}
	if o.Quick {
		sizes, reliabilities, rate, wanted = []int{256, 64 << 10, 1 << 20}, reliabilities[:1], 20, []string{"pinion/critical", "c/listener"}
		s.duration = cmp.Or(o.Duration, time.Second)
	}
	if s.contenders, err = roster.choose(o.Contenders, wanted); err != nil {
		return nil, err
	}
	s.warmup = s.duration / 20
	s.count = func(p Params) int { return int(p.Rate * s.duration.Seconds()) }
	s.skip = func(c competitor, p Params) bool { return p.Variant == Within && c.Name != "pinion" }
	for _, place := range or(o.Variants, places) {
		for _, reliability := range or(o.Reliabilities, reliabilities) {
			for _, size := range or(o.Sizes, sizes) {
				if err := checkSize(size); err != nil {
					return nil, err
				}
				p := Params{Topics: 1, Type: contender.Bytes, Size: size, Rate: rate, Variant: place, Phase: "spread",
					Reliability: reliability, Depth: 10, Placement: cmp.Or(o.Placement, Same)}
				switch place {
				case Local, Within, Remote:
				case Late: // transient local, with room for all that is sent before the subscriber comes
					p.Depth, p.Durability = 1000, "transient_local"
					if reliability != "reliable" || size > 64<<10 {
						continue
					}
				default:
					return nil, fmt.Errorf("there is no place %q; there are %s, %s, %s and %s", place, Local, Remote, Within, Late)
				}
				s.cases = append(s.cases, p)
			}
		}
	}
	return s.execute(ctx, o, roster)
}

func transport(ctx context.Context, r *runner, c competitor, cfg contender.Config, run *Run) error {
	switch run.Variant {
	case Within:
		return r.within(ctx, c, cfg, run)
	case Remote:
		if r.remote == nil {
			n, err := hostNetwork(cmp.Or(r.options.Link, DefaultLink))
			if err != nil {
				return err
			}
			r.remote = &n
			r.result.Network += "; remote: " + n.what
		}
		far := *r
		far.hosts = r.remote.hosts
		return oneWay(ctx, &far, c, cfg, run)
	case Late:
		cfg.Unmatched, cfg.Warmup = true, 0
		r.headStart = 300 * time.Millisecond
		defer func() { r.headStart = 0 }()
	}
	return oneWay(ctx, r, c, cfg, run)
}

// within runs both ends in one process.
func (r *runner) within(ctx context.Context, c competitor, cfg contender.Config, run *Run) error {
	cfg.Role = contender.Within
	if err := place(run.Placement, r.cpus, false, &cfg); err != nil {
		return err
	}
	p, err := contender.Start(ctx, c.program, cfg, r.hosts[0])
	if err != nil {
		return err
	}
	defer p.Kill()
	result, err := p.Result()
	if err != nil {
		return err
	}
	run.add(result)
	run.conclude()
	return nil
}
