package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
)

// Footprint is what a process with a node and its subscriptions takes.
type Footprint struct {
	Threads      int     `json:"threads"`
	RSS          uint64  `json:"rss_bytes"`
	IdleCPU      float64 `json:"idle_cpu"`         // CPUs while nothing comes
	IdleWakeUps  float64 `json:"idle_wake_ups_s"`  // voluntary switches per second while nothing comes
	CPUPer10000  float64 `json:"cpu_s_per_10000"`  // CPU seconds for 10,000 messages, discovery included
	FirstMessage float64 `json:"first_message_ms"` // from the start of the process to its first callback
	Libraries    int     `json:"libraries"`        // shared ones
	LibraryBytes uint64  `json:"library_bytes"`    // of their files
}

// footprintMessages are sent to measure what handling them takes.
const footprintMessages = 10_000

// RunFootprint measures what nodes take with up to 1000 topics.
func RunFootprint(ctx context.Context, o Options) (*Result, error) {
	roster, err := newRoster(ctx, o.Program, o.Peers)
	if err != nil {
		return nil, err
	}
	s := scenario{name: "footprint", run: footprint, duration: cmp.Or(o.Duration, 2*time.Second), rounds: cmp.Or(o.Rounds, 3)}
	topics := []int{1, 10, 100, 1000}
	if o.Quick {
		topics = []int{1, 100}
		s.duration, s.rounds = cmp.Or(o.Duration, time.Second), cmp.Or(o.Rounds, 1)
	}
	if s.contenders, err = roster.choose(o.Contenders, []string{"pinion/critical", "pinion/shared", "c/listener", "rclcpp/single", "rclgo"}); err != nil {
		return nil, err
	}
	s.count = func(Params) int { return footprintMessages }
	for _, n := range or(o.Topics, topics) {
		if n < 1 || n > 1000 {
			return nil, fmt.Errorf("%d topics: 1 to 1000 are possible", n)
		}
		s.cases = append(s.cases, Params{Topics: n, Type: contender.Bytes, Size: 64, BackgroundSize: 64, Rate: 5000, BackgroundRate: 1, Variant: "plain",
			Phase: "spread", Reliability: "reliable", Depth: 10, Placement: cmp.Or(o.Placement, Free)})
	}
	return s.execute(ctx, o, roster)
}

func footprint(ctx context.Context, r *runner, c competitor, cfg contender.Config, run *Run) error {
	receiving, sending := cfg, cfg
	receiving.Role, sending.Role, sending.Topics = contender.Subscriber, contender.Publisher, 1
	receiving.Warmup, sending.Warmup = 0, 0
	if err := errors.Join(place(run.Placement, r.cpus, false, &receiving), place(run.Placement, r.cpus, true, &sending)); err != nil {
		return err
	}
	f := &Footprint{}
	if err := r.resting(ctx, c, receiving, sending, f, run); err != nil {
		return err
	}
	run.Footprint = f
	return r.starting(ctx, c, receiving, sending, f)
}

// resting looks at a subscriber that nothing comes to, and then has it handle messages.
func (r *runner) resting(ctx context.Context, c competitor, receiving, sending contender.Config, f *Footprint, run *Run) error {
	subscriber, err := contender.Start(ctx, c.program, receiving, r.hosts[0])
	if err != nil {
		return err
	}
	defer subscriber.Kill()
	time.Sleep(1500 * time.Millisecond) // until it has started
	before, err := contender.ReadUsage(subscriber.PID())
	if err != nil {
		return errors.Join(err, subscriberError(subscriber))
	}
	begin := time.Now()
	time.Sleep(r.duration)
	idle, err := contender.ReadUsage(subscriber.PID())
	if err != nil {
		return errors.Join(err, subscriberError(subscriber))
	}
	took := time.Since(begin).Seconds()
	f.Threads, f.RSS = len(idle.Threads), idle.RSS
	f.IdleCPU = (idle.CPUSeconds - before.CPUSeconds) / took
	f.IdleWakeUps = float64(idle.Switches()-before.Switches()) / took
	libraries, bytes := contender.Libraries(subscriber.PID())
	f.Libraries, f.LibraryBytes = len(libraries), bytes
	run.Receiver = &idle

	publisher, err := contender.Start(ctx, r.sender, sending, r.hosts[1])
	if err != nil {
		return err
	}
	defer publisher.Kill()
	sent, err := publisher.Result()
	if err != nil {
		return errors.Join(err, subscriberError(subscriber))
	}
	time.Sleep(100 * time.Millisecond)
	busy, err := contender.ReadUsage(subscriber.PID())
	if err != nil {
		return errors.Join(err, subscriberError(subscriber))
	}
	received, err := subscriber.End()
	if err != nil {
		return err
	}
	run.add(sent)
	run.add(received)
	run.conclude()
	if run.Received > 0 {
		f.CPUPer10000 = (busy.CPUSeconds - idle.CPUSeconds) * 10_000 / float64(run.Received)
	}
	return nil
}

// starting measures how long it takes a subscriber to get its first message from a publisher that is
// there and sends 1000 times a second.
func (r *runner) starting(ctx context.Context, c competitor, receiving, sending contender.Config, f *Footprint) error {
	const enough, limit = 1500 * time.Millisecond, 24 * time.Second
	for wait := enough; wait <= limit; wait *= 2 { // for a machine that is slow or busy
		took, err := r.firstMessage(ctx, c, receiving, sending, wait)
		if err != nil {
			return err
		}
		if took > 0 {
			f.FirstMessage = took
			return nil
		}
	}
	return fmt.Errorf("no message came within %v of the start", limit)
}

// firstMessage returns after how many milliseconds the first message came, 0 for none within wait.
func (r *runner) firstMessage(ctx context.Context, c competitor, receiving, sending contender.Config, wait time.Duration) (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sending.Unmatched, sending.Rate, sending.Count = true, 1000, 60_000
	publisher, err := contender.Start(ctx, r.sender, sending, r.hosts[1])
	if err != nil {
		return 0, err
	}
	defer publisher.Kill()
	time.Sleep(500 * time.Millisecond)
	begin := measure.Now()
	subscriber, err := contender.Start(ctx, c.program, receiving, r.hosts[0])
	if err != nil {
		return 0, err
	}
	defer subscriber.Kill()
	time.Sleep(wait)
	received, err := subscriber.End()
	if err != nil || received.FirstTime == 0 {
		return 0, err
	}
	return float64(received.FirstTime-begin) / 1e6, nil
}

// medianFootprint returns the medians over the rounds, nil where none was measured.
func medianFootprint(runs []*Run) *Footprint {
	var all []*Run
	for _, r := range runs {
		if r.Footprint != nil && r.Error == "" {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil
	}
	of := func(f func(*Footprint) float64) float64 {
		return medianOf(all, func(r *Run) float64 { return f(r.Footprint) })
	}
	return &Footprint{
		Threads:      int(of(func(f *Footprint) float64 { return float64(f.Threads) })),
		RSS:          uint64(of(func(f *Footprint) float64 { return float64(f.RSS) })),
		IdleCPU:      of(func(f *Footprint) float64 { return f.IdleCPU }),
		IdleWakeUps:  of(func(f *Footprint) float64 { return f.IdleWakeUps }),
		CPUPer10000:  of(func(f *Footprint) float64 { return f.CPUPer10000 }),
		FirstMessage: of(func(f *Footprint) float64 { return f.FirstMessage }),
		Libraries:    int(of(func(f *Footprint) float64 { return float64(f.Libraries) })),
		LibraryBytes: uint64(of(func(f *Footprint) float64 { return float64(f.LibraryBytes) })),
	}
}
