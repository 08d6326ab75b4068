package executor

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

const (
	// reportPeriod is how often callbacks beyond their budget are looked for.
	reportPeriod = time.Second
	// reportPause is how long a topic or timer that was reported is not reported again.
	reportPause = time.Minute
)

// report watches until the function that it returns is called.
func (e *Executor) report() (stop func()) {
	end := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(reportPeriod)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				e.reportOverruns(now, reportPause)
			case <-end:
				e.reportOverruns(time.Now(), 0)
				return
			}
		}
	})
	return func() { close(end); wg.Wait() }
}

// reportOverruns reports what is new and was not reported within the pause before now.
func (e *Executor) reportOverruns(now time.Time, pause time.Duration) {
	topics, timers := e.members()
	for _, t := range topics {
		t.overruns.report(e.log, now, pause, t.plan.Budget, zap.String("topic", t.receiver.Topic()), zap.String("lane", t.laneName()))
	}
	for _, t := range timers {
		t.excess.report(e.log, now, pause, t.plan.Budget, zap.String("timer", t.name), zap.String("lane", t.lane))
	}
}

// excess is about callbacks that took longer than their budget.
type excess struct {
	count   atomic.Uint64
	longest atomic.Int64 // of those that were not reported yet

	// Of the goroutine that reports.
	told   uint64 // of count
	toldAt time.Time
}

// note looks at one that took d; a budget of 0 is none.
func (x *excess) note(budget, d time.Duration) {
	if budget > 0 && d > budget {
		raise(&x.longest, int64(d)) // first, so that what is counted is in it
		x.count.Add(1)
	}
}

func (x *excess) report(log *zap.Logger, now time.Time, pause, budget time.Duration, whose ...zap.Field) {
	count := x.count.Load()
	if count == x.told || x.told > 0 && now.Sub(x.toldAt) < pause {
		return
	}
	log.Warn("callbacks take longer than their budget", append(whose, zap.Duration("budget", budget),
		zap.Duration("longest", time.Duration(x.longest.Swap(0))), zap.Uint64("new", count-x.told), zap.Uint64("overruns", count))...)
	x.told, x.toldAt = count, now
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
