package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/machine"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/executor"
)

// A scenario is a set of cases that the same contenders run, round by round.
type scenario struct {
	name       string
	contenders []competitor
	cases      []Params
	rounds     int
	limit      time.Duration // no round begins that would not end within it; 0 for none
	warmup     time.Duration
	duration   time.Duration    // of each run
	count      func(Params) int // measured messages of a run, or a bound where runs are limited
	ownSender  bool             // each contender sends what it receives
	limited    bool             // senders stop after the duration, wherever they are
	run        runFunc
	skip       func(competitor, Params) bool // combinations that do not exist
	variant    func(string, *contender.Config)
}

// A runFunc runs a contender once and puts what it measured into run.
type runFunc func(ctx context.Context, r *runner, c competitor, cfg contender.Config, run *Run) error

// A runner is a scenario at work.
type runner struct {
	scenario
	options   Options
	result    *Result
	cpus      []int
	hosts     [2]contender.Host // of the receiving end, and of the sending one
	sender    []string
	remote    *network      // between hosts, opened by the first run that needs it
	headStart time.Duration // of the sender before the subscriber starts
	own       []string
	progress  *progress
}

// execute runs the scenario and returns what it found, also when ctx ends it early: then the result
// says so. It is written to the directory of the options after each round.
func (s scenario) execute(ctx context.Context, o Options, roster *roster) (*Result, error) {
	cpus, err := executor.AllowedCPUs()
	if err != nil {
		return nil, err
	}
	name, sender, err := roster.sender(o.Sender)
	if err != nil {
		return nil, err
	}
	r := &runner{scenario: s, options: o, cpus: cpus, sender: sender, own: roster.own}
	network, err := o.network()
	if err != nil {
		return nil, err
	}
	r.hosts = network.hosts
	r.result = &Result{Schema: Schema, Scenario: s.name, Quick: o.Quick, Machine: machine.Describe(), Rounds: s.rounds,
		Sender: senderName(name, s.ownSender), Network: network.what, Probes: []ProbeRun{}, Runs: []Run{}}
	var present []competitor
	for _, c := range s.contenders {
		r.result.Contenders = append(r.result.Contenders, c.ContenderEntry)
		if c.Missing == "" {
			present = append(present, c)
		}
	}
	r.contenders = present
	begin := time.Now()
	r.warmUp(ctx)
	r.progress = newProgress(o.Out, r.total())
	err = r.allRounds(ctx, begin)
	r.result.Interrupted = ctx.Err() != nil
	if r.result.Interrupted {
		err = nil
	}
	err = errors.Join(err, r.closeNetwork(&network), r.closeNetwork(r.remote))
	r.conclude(begin)
	return r.result, errors.Join(err, r.save())
}

// closeNetwork keeps what the link did to frames.
func (r *runner) closeNetwork(n *network) error {
	if n == nil {
		return nil
	}
	counters, err := n.close()
	if counters != nil {
		r.result.Link = counters
	}
	return err
}

func senderName(name string, own bool) string {
	if own {
		return "each contender's own"
	}
	return name
}

func (r *runner) total() int { return r.rounds * len(r.pairs(0)) }

// A pair is a contender with parameters.
type pair struct {
	Params
	competitor
}

// pairs returns a round's runs: the cases one after the other, each with the contenders in another
// order than in the round before.
func (r *runner) pairs(round int) []pair {
	var all []pair
	for i, p := range r.cases {
		order := measure.Orders(len(r.contenders), round+1, r.options.Seed+uint64(i))[round]
		for _, c := range order {
			if r.skip == nil || !r.skip(r.contenders[c], p) {
				all = append(all, pair{p, r.contenders[c]})
			}
		}
	}
	return all
}

// warmUp runs each contender once for a short time and forgets what it measured, so that nothing is
// read from the disk or set up for the first time in a round that counts.
func (r *runner) warmUp(ctx context.Context) {
	const part = 10
	count, duration := r.count, r.duration
	defer func() { r.count, r.duration = count, duration }()
	r.count, r.duration = func(p Params) int { return max(1, count(p)/part) }, duration/part
	warm := map[string]bool{}
	for _, p := range r.pairs(0) {
		if !warm[p.id()] && ctx.Err() == nil {
			warm[p.id()] = true
			// What goes wrong does so in the rounds as well, and is told there.
			_, _ = r.one(ctx, 0, p)
		}
	}
}

func (r *runner) allRounds(ctx context.Context, begin time.Time) error {
	for round := range r.rounds {
		if round > 0 && r.limit > 0 {
			if perRound := time.Since(begin) / time.Duration(round); time.Since(begin)+perRound > r.limit {
				r.result.Rounds = round
				return nil
			}
		}
		if err := r.round(ctx, round); err != nil {
			return err
		}
		r.conclude(begin)
		if err := r.save(); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) round(ctx context.Context, round int) error {
	var last Params
	for i, p := range r.pairs(round) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if i == 0 || p.Params != last {
			r.probe(ctx, round, p.Params)
			last = p.Params
		}
		run, err := r.one(ctx, round, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			run.Error = err.Error()
		}
		r.result.Runs = append(r.result.Runs, run)
		r.progress.done(run)
	}
	return nil
}

// one runs a contender once.
func (r *runner) one(ctx context.Context, round int, p pair) (Run, error) {
	run := Run{Contender: p.Name, Mode: p.Mode, Round: round, Params: p.Params}
	cfg := contender.Config{
		Mode: p.Mode, Domain: r.options.Domain, Type: p.Type, Reliability: p.Reliability, Depth: p.Depth, Durability: p.Durability,
		Instances: p.Instances, Batching: p.Batching,
		Topics: p.Topics, Size: p.Size, BackgroundSize: p.BackgroundSize, Rate: p.Rate, BackgroundRate: p.BackgroundRate,
		Phase: p.Phase, WorkMicroseconds: p.Work, Count: r.count(p.Params),
	}
	cfg.Warmup = int(float64(cfg.Count) * float64(r.warmup) / float64(r.duration))
	if r.limited {
		// A sender that does not reach the rate must not spend its time on the warm-up.
		cfg.Limit, cfg.Warmup = (r.warmup + r.duration).Seconds(), min(cfg.Warmup, 20)
	}
	if r.variant != nil {
		r.variant(p.Variant, &cfg)
	}
	// Nothing takes that long that goes well.
	ctx, cancel := context.WithTimeout(ctx, 5*(r.warmup+r.duration)+90*time.Second)
	defer cancel()
	return run, r.run(ctx, r, p.competitor, cfg, &run)
}

// probe runs the control probe. A failure is no reason to stop.
func (r *runner) probe(ctx context.Context, round int, p Params) {
	run := ProbeRun{Round: round, Placement: p.Placement, Size: p.Size}
	c := contender.Config{Role: contender.Probe, Size: min(p.Size, 1400), Warmup: 200, Count: 2000}
	result, err := r.startProbe(ctx, p.Placement, c)
	if err != nil {
		run.Error = err.Error()
	} else {
		run.Figures = result.Latency.Figures()
	}
	if ctx.Err() == nil {
		r.result.Probes = append(r.result.Probes, run)
	}
}

func (r *runner) startProbe(ctx context.Context, placement string, c contender.Config) (*contender.Result, error) {
	if err := place(placement, r.cpus, false, &c); err != nil {
		return nil, err
	}
	if placement == Split {
		c.CPUs = list(r.cpus[len(r.cpus)-2:]) // one for each end
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	p, err := contender.Start(ctx, r.own, c, contender.Host{})
	if err != nil {
		return nil, err
	}
	return p.Result()
}

// conclude sums up what there is.
func (r *runner) conclude(begin time.Time) {
	load := machine.ReadLoad()
	r.result.Machine.After = &load
	r.result.Seconds = time.Since(begin).Seconds()
	r.result.Summary = summarise(r.result.Runs)
	r.result.Note = strings.Join(notes(r.result), "; ")
}

func (r *runner) save() error {
	if r.options.Dir == "" {
		return nil
	}
	if err := r.result.Write(r.options.Dir); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return nil
}

// oneWay runs a subscriber of the contender and the sender.
func oneWay(ctx context.Context, r *runner, c competitor, cfg contender.Config, run *Run) error {
	receiving, sending := cfg, cfg
	receiving.Role, sending.Role = contender.Subscriber, contender.Publisher
	if err := errors.Join(place(run.Placement, r.cpus, false, &receiving), place(run.Placement, r.cpus, true, &sending)); err != nil {
		return err
	}
	sender := r.sender
	if r.ownSender {
		sender = c.program
	}
	ends := []struct {
		program []string
		cfg     contender.Config
		host    contender.Host
	}{{c.program, receiving, r.hosts[0]}, {sender, sending, r.hosts[1]}}
	if r.headStart > 0 {
		slices.Reverse(ends)
	}
	processes := map[contender.Role]*contender.Process{}
	for i, e := range ends {
		if i > 0 {
			time.Sleep(r.headStart)
		}
		p, err := contender.Start(ctx, e.program, e.cfg, e.host)
		if err != nil {
			return err
		}
		defer p.Kill()
		processes[e.cfg.Role] = p
	}
	subscriber, publisher := processes[contender.Subscriber], processes[contender.Publisher]
	// While the sender sends: it takes at least a moment to find the subscriber.
	look := time.AfterFunc(r.warmup+r.duration/2+150*time.Millisecond, func() { run.Sender = usage(publisher) })
	sent, err := publisher.Result()
	look.Stop()
	if err != nil {
		return errors.Join(err, subscriberError(subscriber))
	}
	time.Sleep(100 * time.Millisecond) // what is on the way arrives
	run.Receiver = usage(subscriber)
	received, err := subscriber.End()
	if err != nil {
		return err
	}
	run.add(sent)
	run.add(received)
	run.conclude()
	return nil
}

// conclude computes what follows from what was counted.
func (r *Run) conclude() {
	r.Lost = r.Sent - min(r.Sent, r.Received)
	if r.Sent > 0 {
		r.LossRate = float64(r.Lost) / float64(r.Sent)
	}
	// Between n messages there are n-1 periods.
	if r.Sent > 1 && r.Seconds > 0 {
		r.LoopRate = float64(r.Sent-1) / r.Seconds
		r.AchievedRate = r.LoopRate * float64(r.Received) / float64(r.Sent)
		r.Mbit = r.AchievedRate * float64(r.Size) * 8 / 1e6
	}
}

// subscriberError returns why a subscriber ended before its time.
func subscriberError(p *contender.Process) error {
	_, err := p.End()
	return err
}

func usage(p *contender.Process) *contender.Usage {
	u, err := contender.ReadUsage(p.PID())
	if err != nil { // it has ended
		return nil
	}
	return &u
}

// roundTrip runs a pong and a ping of the contender.
func roundTrip(ctx context.Context, r *runner, c competitor, cfg contender.Config, run *Run) error {
	pinging, ponging := cfg, cfg
	pinging.Role, ponging.Role = contender.Ping, contender.Pong
	if err := errors.Join(place(run.Placement, r.cpus, true, &pinging), place(run.Placement, r.cpus, false, &ponging)); err != nil {
		return err
	}
	pong, err := contender.Start(ctx, c.program, ponging, r.hosts[1])
	if err != nil {
		return err
	}
	defer pong.Kill()
	ping, err := contender.Start(ctx, c.program, pinging, r.hosts[0])
	if err != nil {
		return err
	}
	defer ping.Kill()
	result, err := ping.Result()
	if err != nil {
		return errors.Join(err, subscriberError(pong))
	}
	run.Receiver = usage(pong)
	if _, err := pong.End(); err != nil {
		return err
	}
	run.add(result)
	run.conclude()
	return nil
}

// add takes over what one end of a run reports.
func (r *Run) add(from *contender.Result) {
	r.Sent += from.Sent
	r.Received += from.Received
	r.OutOfOrder += from.OutOfOrder
	r.Duplicates += from.Duplicates
	r.Late += from.Late
	r.Failed += from.Failed
	r.BackgroundSent += from.BackgroundSent
	r.BackgroundReceived += from.BackgroundReceived
	r.Seconds += from.Seconds
	r.FirstNumber += from.FirstNumber
	if from.Latency != nil {
		r.Histogram, r.Figures = from.Latency, from.Latency.Figures()
	}
	if from.Intended != nil {
		r.HistogramIntended, r.IntendedFigures = from.Intended, IntendedFigures(from.Intended.Figures())
	}
	if from.Background != nil {
		r.Background = from.Background
	}
	if from.SendLag != nil {
		r.SendLag = from.SendLag
	}
	if from.Go != nil {
		r.Go = from.Go
	}
}
