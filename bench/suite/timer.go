package suite

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
)

// StallCount counts wake-ups of a timer that were very late.
type StallCount struct {
	// Long is how many were late by more than 5 ms.
	Long int `json:"over_5ms"`
	// Unexplained is at how many of them the probe, a C thread of the same policy on the same CPU, was not
	// late at all: the cause is in the program, not in the machine.
	Unexplained int `json:"unexplained"`
	// Probe is how many the probe itself saw.
	Probe int `json:"probe"`
}

const longStall = 5 * time.Millisecond

// Timer measures by how much late timers wake up at 1 kHz, beside a plain loop in C.
func Timer(ctx context.Context, o Options) (*Result, error) {
	roster, err := newRoster(ctx, o.Program, o.Peers)
	if err != nil {
		return nil, err
	}
	missing := ""
	if roster.c == nil {
		missing = "see c/listener"
	}
	roster.add(ContenderEntry{Name: "c", Mode: "nanosleep", What: "a loop in C that sleeps with clock_nanosleep until absolute times", Missing: missing}, roster.c)
	s := scenario{name: "timer", warmup: 200 * time.Millisecond, duration: cmp.Or(o.Duration, 5*time.Second), rounds: cmp.Or(o.Rounds, 5)}
	if o.Quick {
		s.duration, s.rounds = cmp.Or(o.Duration, 2*time.Second), cmp.Or(o.Rounds, 3)
	}
	if s.contenders, err = roster.choose(o.Contenders, []string{"pinion/critical:woken", "c/nanosleep"}); err != nil {
		return nil, err
	}
	s.skip = func(c competitor, _ Params) bool { return c.id() != "pinion/critical:woken" && c.id() != "c/nanosleep" }
	s.count = func(p Params) int { return int(p.Rate * s.duration.Seconds()) }
	s.cases = []Params{{Topics: 1, Rate: 1000, Variant: "plain", Phase: "spread", Reliability: "reliable", Placement: cmp.Or(o.Placement, Same)}}
	s.run = func(ctx context.Context, r *runner, c competitor, cfg contender.Config, run *Run) error {
		return wake(ctx, r, roster.c, c, cfg, run)
	}
	return s.execute(ctx, o, roster)
}

// wake runs a timer beside the probe for stalls, where there is one.
func wake(ctx context.Context, r *runner, probe []string, c competitor, cfg contender.Config, run *Run) error {
	if err := place(run.Placement, r.cpus, false, &cfg); err != nil {
		return err
	}
	cfg.Role = contender.Stalls
	var machine *contender.Process
	if probe != nil {
		var err error
		if machine, err = contender.Start(ctx, probe, cfg, r.hosts[0]); err != nil {
			return err
		}
		defer machine.Kill()
	}
	cfg.Role = contender.Timer
	p, err := contender.Start(ctx, c.program, cfg, r.hosts[0])
	if err != nil {
		return err
	}
	defer p.Kill()
	result, err := p.Result()
	if err != nil {
		return err
	}
	result.Received = result.Sent // wake-ups
	run.add(result)
	run.conclude()
	if machine == nil {
		return nil
	}
	seen, err := machine.End()
	if err != nil {
		return errors.Join(err, errors.New("the probe for stalls"))
	}
	run.Stalls = countStalls(result.Stalls, seen.Stalls)
	return nil
}

func countStalls(own, probe []contender.Stall) *StallCount {
	count := &StallCount{}
	for _, s := range probe {
		if s.Nanoseconds > int64(longStall) {
			count.Probe++
		}
	}
	for _, s := range own {
		if s.Nanoseconds <= int64(longStall) {
			continue
		}
		count.Long++
		if !overlaps(s, probe) {
			count.Unexplained++
		}
	}
	return count
}

func overlaps(s contender.Stall, others []contender.Stall) bool {
	for _, o := range others {
		if s.At < o.At+o.Nanoseconds && o.At < s.At+s.Nanoseconds {
			return true
		}
	}
	return false
}

// allStalls adds up those of all rounds, nil where no probe ran.
func allStalls(runs []*Run) *StallCount {
	var sum *StallCount
	for _, r := range runs {
		if r.Stalls == nil || r.Error != "" {
			continue
		}
		if sum == nil {
			sum = &StallCount{}
		}
		sum.Long += r.Stalls.Long
		sum.Unexplained += r.Stalls.Unexplained
		sum.Probe += r.Stalls.Probe
	}
	return sum
}
