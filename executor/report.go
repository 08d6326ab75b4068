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
	topics, timers := e.members()
	for _, t := range topics {
		t.overruns.report(e.log, t.plan.Budget, zap.String("topic", t.receiver.Topic()), zap.String("lane", t.laneName()))
	}
	for _, t := range timers {
		t.excess.report(e.log, t.plan.Budget, zap.String("timer", t.name), zap.String("lane", t.lane))
	}
}

// excess is about callbacks that took longer than their budget.
type excess struct {
	count   atomic.Uint64
	longest atomic.Int64 // of those that were not reported yet
}

// note looks at one that took d; a budget of 0 is none.
func (x *excess) note(budget, d time.Duration) {
	if budget > 0 && d > budget {
		x.count.Add(1)
		raise(&x.longest, int64(d))
	}
}

func (x *excess) report(log *zap.Logger, budget time.Duration, whose ...zap.Field) {
	if longest := x.longest.Swap(0); longest > 0 {
		log.Warn("callbacks take longer than their budget", append(whose,
			zap.Duration("budget", budget), zap.Duration("longest", time.Duration(longest)), zap.Uint64("overruns", x.count.Load()))...)
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
