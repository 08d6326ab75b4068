package executor

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

// reportPeriod is how often callbacks beyond their budget are reported, each topic once.
const reportPeriod = time.Second

// report watches until the function that it returns is called.
func (e *Executor) report() (stop func()) {
	end := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(reportPeriod)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				e.reportOverruns()
			case <-end:
				e.reportOverruns()
				return
			}
		}
	})
	return func() { close(end); wg.Wait() }
}

func (e *Executor) reportOverruns() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for r, s := range e.topics {
		if longest := s.longest.Swap(0); longest > 0 {
			e.log.Warn("callbacks take longer than their budget", zap.String("topic", r.Topic()), zap.String("lane", s.laneName()),
				zap.Duration("budget", s.plan.Budget), zap.Duration("longest", time.Duration(longest)), zap.Uint64("overruns", s.overruns.Load()))
		}
	}
}

// contained returns what becomes of panics. Each time their number gets to a power of two it is
// logged.
func (e *Executor) contained(s *topicStats) func(*pubsub.Receiver, any) {
	return func(r *pubsub.Receiver, value any) {
		if n := s.panics.Add(1); n&(n-1) == 0 {
			e.log.Error("panic in a callback", zap.String("topic", r.Topic()), zap.Any("value", value),
				zap.Uint64("panics", n), zap.ByteString("stack", debug.Stack()))
		}
	}
}

// raise makes v at least x.
func raise(v *atomic.Int64, x int64) {
	for {
		old := v.Load()
		if x <= old || v.CompareAndSwap(old, x) {
			return
		}
	}
}
