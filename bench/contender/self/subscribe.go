package self

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/pubsub"
)

// A flow measures the messages of one topic. Its callbacks come one at a time.
type flow struct {
	warmup   uint64
	work     time.Duration
	allocate int
	tracker  *measure.Tracker
	latency  *measure.Histogram
	intended *measure.Histogram
	first    int64 // when the first message came
	garbage  []byte
}

func newFlow(warmup, count int) *flow {
	return &flow{warmup: uint64(warmup), tracker: measure.NewTracker(count),
		latency: measure.NewHistogram(), intended: measure.NewHistogram()}
}

func (f *flow) received(stamp contender.Stamp) {
	now := measure.Now()
	if f.first == 0 {
		f.first = now
	}
	if stamp.Number >= f.warmup && f.tracker.Arrived(stamp.Number-f.warmup) {
		f.latency.Record(now - stamp.Sent)
		f.intended.Record(now - stamp.Intended)
	}
	if f.allocate > 0 {
		f.garbage = make([]byte, f.allocate)
	}
	if f.work > 0 {
		measure.Burn(f.work)
	}
}

// subscribe receives until ctx ends.
func subscribe(ctx context.Context, c contender.Config, node *pubsub.Node, s *scheduler) (*contender.Result, error) {
	flows, err := openFlows(c, node)
	if err != nil {
		return nil, err
	}
	if executor.Part() == "" {
		loadBeside(ctx, c)
	}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	if err := node.Close(); err != nil { // no callback runs any more
		return nil, err
	}
	r := &contender.Result{}
	report(r, flows)
	return r, nil
}

func openFlows(c contender.Config, node *pubsub.Node) ([]*flow, error) {
	flows := []*flow{newFlow(c.Warmup, c.Count)}
	for range c.Topics - 1 {
		f := newFlow(c.Background(c.Warmup), c.Background(c.Count))
		f.work, f.allocate = time.Duration(c.WorkMicroseconds*1000), c.AllocateBytes
		flows = append(flows, f)
	}
	for i, f := range flows {
		if _, err := openInlet(c, node, topic(i), f.received); err != nil {
			return nil, err
		}
	}
	return flows, nil
}

// report puts what the flows measured into a result.
func report(r *contender.Result, flows []*flow) {
	critical := flows[0]
	r.Received, r.Duplicates, r.OutOfOrder = critical.tracker.Received, critical.tracker.Duplicates, critical.tracker.OutOfOrder
	r.FirstTime = critical.first
	if r.Received > 0 {
		r.FirstNumber = uint64(critical.tracker.FirstMissing())
	}
	r.Latency, r.Intended = critical.latency, critical.intended
	if len(flows) > 1 {
		r.Background = measure.NewHistogram()
	}
	for _, f := range flows[1:] {
		r.BackgroundReceived += f.tracker.Received
		r.Background.Merge(f.intended)
	}
}

// within sends and receives in one process, each with a node of its own.
func within(ctx context.Context, c contender.Config, node *pubsub.Node, s *scheduler) (*contender.Result, error) {
	flows, err := openFlows(c, node)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ran := make(chan error, 1)
	go func() { ran <- s.run(ctx) }()
	sender, err := pubsub.NewNode("bench_sender", discovery(c))
	if err != nil {
		return nil, err
	}
	r, err := publish(ctx, c, sender)
	cancel()
	if err := errors.Join(err, <-ran, sender.Close(), node.Close()); err != nil {
		return nil, err
	}
	report(r, flows)
	return r, nil
}

// loadBeside starts the goroutines that compute and allocate beside the executor until ctx ends.
func loadBeside(ctx context.Context, c contender.Config) {
	for range c.BusyThreads {
		go func() {
			for ctx.Err() == nil {
				measure.Burn(time.Millisecond)
			}
		}()
	}
	if c.GarbageMBs > 0 {
		go litter(ctx, c.GarbageMBs)
	}
}

// litter allocates pieces of 64 KiB at a rate of MB/s.
func litter(ctx context.Context, rate float64) {
	const piece = 64 << 10
	s := measure.Schedule{Start: measure.Now(), Rate: rate * 1e6 / piece}
	var kept [64][]byte
	for i := 0; ctx.Err() == nil; i++ {
		kept[i%len(kept)] = make([]byte, piece)
		if at := s.At(i); measure.Now() < at {
			time.Sleep(time.Duration(at - measure.Now()))
		}
	}
	runtime.KeepAlive(kept)
}
