package executor

import (
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// ChainStats tells how old the data is on its way through a chain.
type ChainStats struct {
	Name   string
	Stages []StageStats
	// DeadlineMisses is how often the end came later after the first source time than the plan's
	// deadline.
	DeadlineMisses uint64
}

// EndToEnd returns the latency of the last stage that has handled a message, nil for none.
func (s ChainStats) EndToEnd() *hdrhistogram.Histogram {
	for i := len(s.Stages) - 1; i >= 0; i-- {
		if s.Stages[i].Latency.TotalCount() > 0 {
			return s.Stages[i].Latency
		}
	}
	return nil
}

// StageStats tells about one topic of a chain.
type StageStats struct {
	Topic string
	// Latency is from the source time of the chain's first message to the end of this topic's
	// callback, in nanoseconds. Messages that something else than the chain caused count from what
	// caused them.
	Latency *hdrhistogram.Histogram
}

// A chain measures the messages of a Chain.
type chain struct {
	plan   *Chain
	stages []*stage
	misses atomic.Uint64
}

// A stage is a topic of a chain.
type stage struct {
	chain         *chain
	after         []*stage
	subscriptions atomic.Int64
	latency       recorder
}

func newChain(plan *Chain) *chain {
	c := &chain{plan: plan}
	for range plan.Topics {
		c.stages = append(c.stages, &stage{chain: c})
	}
	for i, s := range c.stages {
		s.after = c.stages[i+1:]
	}
	return c
}

// record notes that a callback of the stage has ended. Where the source is not known the time is that
// since the arrival, which is late enough or nothing is known about that.
func (s *stage) record(sinceSource time.Duration, known bool) {
	if known {
		s.latency.record(sinceSource)
	}
	if d := s.chain.plan.Deadline; d > 0 && sinceSource > d && s.last() {
		s.chain.misses.Add(1)
	}
}

// last tells whether no later topic of the chain has a subscription here.
func (s *stage) last() bool {
	for _, later := range s.after {
		if later.subscriptions.Load() > 0 {
			return false
		}
	}
	return true
}

func (c *chain) snapshot() ChainStats {
	s := ChainStats{Name: c.plan.Name, DeadlineMisses: c.misses.Load()}
	for i, stage := range c.stages {
		s.Stages = append(s.Stages, StageStats{c.plan.Topics[i], stage.latency.snapshot()})
	}
	return s
}

// InputTime is for package pubsub: publishers of the later topics of a chain hand on the source time
// of what they react to.
func (e *Executor) InputTime(topic string) bool {
	for _, c := range e.plan.Chains {
		if c.stage(topic) > 0 {
			return true
		}
	}
	return false
}
