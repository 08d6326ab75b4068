package executor

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"golang.org/x/sys/unix"
)

// NewShared returns an executor that runs all callbacks one after the other on one thread, the topic
// that has been ready for longest first, one message at a time: what the single-threaded executors of
// ROS 2 do. Lanes and workers of the plan do not count, the CPUs of its background do.
func NewShared(options ...Option) (*Executor, error) {
	return build(options, func(e *Executor) (server, error) {
		e.warnPlan()
		s, err := newSingle(e)
		if err != nil {
			return nil, err
		}
		s.turn = s.inOrder
		return s, nil
	})
}

// A single is a server of one thread.
type single struct {
	queue      *pubsub.Queue
	cpus       []int
	bestEffort bool
	turn       func() bool // serves what is ready and tells whether something was
	timers     timerList
	wg         sync.WaitGroup
	until      atomic.Int64 // when to stop whatever is waiting, 0 for not
	ready      [64]pubsub.Ready
}

func newSingle(e *Executor) (*single, error) {
	q, err := pubsub.NewThreadQueue()
	if err != nil {
		return nil, err
	}
	return &single{queue: q, cpus: e.plan.Background.CPUs, bestEffort: e.bestEffort}, nil
}

func (s *single) add(_ *pubsub.Receiver, stats *topicStats) (pubsub.Placement, error) {
	return pubsub.Placement{Queue: s.queue, Observer: stats}, nil
}

func (s *single) remove(*pubsub.Receiver) {}

func (s *single) addTimer(t *Timer) error {
	s.timers.add(t)
	s.queue.Wake()
	return nil
}

func (s *single) removeTimer(t *Timer) { s.timers.remove(t) }

func (s *single) exclusion(*pubsub.Receiver) any { return s }

func (s *single) threads() (lanes, workers int) { return 0, 1 }

func (s *single) start(fail func(error)) error {
	s.wg.Go(func() {
		runtime.LockOSThread()
		if err := setAffinity(unix.Gettid(), s.cpus); err != nil && !s.bestEffort {
			fail(err)
			return
		}
		s.run()
	})
	return nil
}

func (s *single) run() {
	for !s.over() {
		stopping := s.until.Load() != 0
		served := !stopping && s.timers.runDue()
		served = s.turn() || served
		if !served && (stopping || !s.queue.WaitThread(s.timers.next())) {
			return
		}
	}
}

// inOrder serves what has been ready for longest first.
func (s *single) inOrder() bool {
	n := s.queue.Pop(s.ready[:])
	for _, r := range s.ready[:n] {
		if s.over() {
			break
		}
		s.dispatch(r.Receiver)
	}
	return n > 0
}

func (s *single) dispatch(r *pubsub.Receiver) {
	if _, more := r.Dispatch(1); more {
		r.Requeue()
	}
}

func (s *single) over() bool {
	until := s.until.Load()
	return until != 0 && pubsub.Monotonic() >= until
}

func (s *single) stop(drain time.Duration) {
	s.until.Store(pubsub.Monotonic() + int64(drain))
	s.queue.Wake()
	s.wg.Wait()
	s.queue.Close()
}

func (s *single) free() { s.queue.Free() }
