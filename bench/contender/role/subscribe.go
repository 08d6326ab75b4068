package role

import (
	"context"
	"errors"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
)

// Subscribe receives until ctx ends.
func Subscribe(ctx context.Context, c contender.Config, n Node) (*contender.Result, error) {
	flows, err := openFlows(c, n)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(n.Run(ctx), n.Close()); err != nil {
		return nil, err
	}
	r := &contender.Result{}
	report(r, flows)
	return r, nil
}

// Within sends with one node what another one of the same process receives, and closes both.
func Within(ctx context.Context, c contender.Config, sender, receiver Node) (*contender.Result, error) {
	flows, err := openFlows(c, receiver)
	if err != nil {
		return nil, err
	}
	var r *contender.Result
	err = beside(ctx, receiver, func(ctx context.Context) (err error) {
		r, err = Publish(ctx, c, sender)
		return errors.Join(err, sender.Close())
	})
	if err != nil {
		return nil, err
	}
	report(r, flows)
	return r, nil
}

// A flow measures the messages of one topic.
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

func openFlows(c contender.Config, n Node) ([]*flow, error) {
	flows := []*flow{newFlow(c.Warmup, c.Count)}
	for range c.Topics - 1 {
		f := newFlow(c.Background(c.Warmup), c.Background(c.Count))
		f.work, f.allocate = time.Duration(c.WorkMicroseconds*1000), c.AllocateBytes
		flows = append(flows, f)
	}
	for i, f := range flows {
		if _, err := n.Inlet(Topic(i), f.received); err != nil {
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
