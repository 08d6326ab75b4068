package self

import (
	"context"
	"runtime"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
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
	garbage  []byte
}

func newFlow(warmup, count int) *flow {
	return &flow{warmup: uint64(warmup), tracker: measure.NewTracker(count),
		latency: measure.NewHistogram(), intended: measure.NewHistogram()}
}

func (f *flow) received(m *std_msgs.UInt8MultiArray, _ *pubsub.MessageInfo) {
	now := measure.Now()
	stamp := contender.ReadStamp(m.Data)
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
	flows := []*flow{newFlow(c.Warmup, c.Count)}
	for range c.Topics - 1 {
		f := newFlow(c.Background(c.Warmup), c.Background(c.Count))
		f.work, f.allocate = time.Duration(c.WorkMicroseconds*1000), c.AllocateBytes
		flows = append(flows, f)
	}
	for i, f := range flows {
		if _, err := pubsub.NewSubscription(node, topic(i), qos(c), f.received); err != nil {
			return nil, err
		}
	}
	loadBeside(ctx, c)
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	if err := node.Close(); err != nil { // no callback runs any more
		return nil, err
	}
	r := &contender.Result{
		Received: flows[0].tracker.Received, Duplicates: flows[0].tracker.Duplicates, OutOfOrder: flows[0].tracker.OutOfOrder,
		Latency: flows[0].latency, Intended: flows[0].intended,
	}
	if len(flows) > 1 {
		r.Background = measure.NewHistogram()
	}
	for _, f := range flows[1:] {
		r.BackgroundReceived += f.tracker.Received
		r.Background.Merge(f.intended)
	}
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
