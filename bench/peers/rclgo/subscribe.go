package main

import (
	"context"
	"io"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// A flow measures the messages of one topic.
type flow struct {
	warmup            uint64
	work              time.Duration
	tracker           *measure.Tracker
	latency, intended *measure.Histogram
	first             int64
}

func (f *flow) received(s contender.Stamp) {
	now := measure.Now()
	if f.first == 0 {
		f.first = now
	}
	if s.Number >= f.warmup && f.tracker.Arrived(s.Number-f.warmup) {
		f.latency.Record(now - s.Sent)
		f.intended.Record(now - s.Intended)
	}
	measure.Burn(f.work)
}

func subscribe(c contender.Config, node *rclgo.Node, in io.Reader) (*contender.Result, error) {
	var flows []*flow
	for i := range c.Topics {
		f := &flow{warmup: uint64(c.Warmup), tracker: measure.NewTracker(c.Count), latency: measure.NewHistogram(), intended: measure.NewHistogram()}
		if i > 0 {
			f.warmup, f.tracker = uint64(c.Background(c.Warmup)), measure.NewTracker(c.Background(c.Count))
			f.work = time.Duration(c.WorkMicroseconds * 1000)
		}
		s, err := openInlet(c, node, topicName(i), f.received)
		if err != nil {
			return nil, err
		}
		defer s.close()
		flows = append(flows, f)
	}
	if err := spin(context.Background(), node, in); err != nil {
		return nil, err
	}
	critical := flows[0]
	r := &contender.Result{
		Received: critical.tracker.Received, Duplicates: critical.tracker.Duplicates, OutOfOrder: critical.tracker.OutOfOrder,
		FirstTime: critical.first, Latency: critical.latency, Intended: critical.intended,
	}
	if r.Received > 0 {
		r.FirstNumber = uint64(critical.tracker.FirstMissing())
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
