package self

import (
	"context"
	"errors"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/executor"
)

const timerName = "bench"

// timer measures by how much late the callback of a timer on the critical lane starts.
func timer(ctx context.Context, c contender.Config, s *scheduler) (*contender.Result, error) {
	if s.executor == nil || c.Rate <= 0 {
		return nil, errors.New("a timer needs a rate, and an executor to run on")
	}
	r := &contender.Result{Sent: uint64(c.Count), Latency: measure.NewHistogram(), Stalls: make([]contender.Stall, 0, contender.MaxStalls)}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	period, n := time.Duration(float64(time.Second)/c.Rate), 0
	t, err := s.executor.NewTimer(timerName, period, func(info *executor.TimerInfo) {
		n++
		if n <= c.Warmup || n > c.Warmup+c.Count {
			return
		}
		lag := info.Start - info.Due
		r.Latency.Record(lag)
		if lag > int64(period)/10 {
			r.Late++
		}
		if lag > int64(contender.ShortestStall) && len(r.Stalls) < contender.MaxStalls {
			r.Stalls = append(r.Stalls, contender.Stall{At: info.Due, Nanoseconds: lag})
		}
		if n == c.Warmup+c.Count {
			cancel()
		}
	})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return r, s.run(ctx)
}
