package executor

import (
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/pinion-ros/pinion/pubsub"
)

// An Option changes how an executor is made.
type Option func(*Executor) error

// WithPlan sets the plan. Without one everything is background.
func WithPlan(p Plan) Option {
	return func(e *Executor) error {
		workers := e.plan.Background.Workers
		e.plan = p
		if p.Background.Workers == 0 {
			e.plan.Background.Workers = workers
		}
		return nil
	}
}

// WithPlanFile reads the plan from a file, see ReadPlan.
func WithPlanFile(file string) Option {
	return func(e *Executor) error {
		p, err := ReadPlan(file)
		if err != nil {
			return err
		}
		return WithPlan(*p)(e)
	}
}

// WithWorkers sets the number of background workers for plans that do not.
func WithWorkers(n int) Option {
	return func(e *Executor) error {
		if e.plan.Background.Workers == 0 {
			e.plan.Background.Workers = n
		}
		return nil
	}
}

// WithLogger sets where the executor logs. By default its warnings and errors go to standard error, as those
// of nodes do.
func WithLogger(log *zap.Logger) Option {
	return func(e *Executor) error {
		if log == nil {
			log = pubsub.DefaultLogger()
		}
		e.log = log
		return nil
	}
}

// WithWallClock has statistics read the wall clock by now, which is called by several goroutines, instead of
// time.Now: for tests of what clocks that are set do. It tells how long messages were under way and when
// windows of statistics were. All that waits does so on the monotonic clock.
func WithWallClock(now func() time.Time) Option {
	return func(e *Executor) error {
		e.wall = now
		return nil
	}
}

// WithBestEffort has lanes and workers run without the policy of the plan, or those of its CPUs, where the
// process lacks the permission or the machine the CPU, after a warning, instead of failing. One that is left
// without any of its CPUs runs on all.
func WithBestEffort() Option {
	return func(e *Executor) error {
		e.bestEffort = true
		return nil
	}
}

// WithDrain has the background handle the messages that are waiting when Run is told to end, for at
// most the given time. Without it, callbacks that run are waited for and no further ones start. Inline
// lanes have nothing waiting.
func WithDrain(limit time.Duration) Option {
	return func(e *Executor) error {
		if limit < 0 {
			return fmt.Errorf("drain for %v", limit)
		}
		e.drain = limit
		return nil
	}
}

// WithContainedPanics has a panic in a callback counted and logged with its topic and stack, and the
// next message handled as if nothing had been. By default the program ends, with the topic in the
// message. A callback that panics may leave the program's state broken or locked; containing it is for
// programs that are written for that.
func WithContainedPanics() Option {
	return func(e *Executor) error {
		e.contain = true
		return nil
	}
}
