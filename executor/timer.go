package executor

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// TimerInfo tells a timer's callback about the call. It is valid until the callback returns. Times are
// CLOCK_MONOTONIC in nanoseconds, see pubsub.Monotonic.
type TimerInfo struct {
	Due     int64  // when the callback was to start
	Start   int64  // when it started
	Skipped uint64 // periods that were left out since the last call
}

// TimerOption changes how a timer is made.
type TimerOption func(*Timer) error

// OnLane has the callback run on a lane of the plan. What the plan itself says about the timer wins.
// The lane must be a woken one: the thread of an inline lane waits for messages and nothing else.
func OnLane(name string) TimerOption {
	return func(t *Timer) error {
		t.lane = name
		return nil
	}
}

// WithCatchUp has a timer that is behind call back at once, as often as it missed its time, at most for
// the last limit periods. By default missed periods are skipped: the next call is at the next time of the
// schedule.
func WithCatchUp(limit int) TimerOption {
	return func(t *Timer) error {
		if limit < 1 {
			return fmt.Errorf("catch up with %d periods; at least 1 is possible", limit)
		}
		t.catchUp = int64(limit)
		return nil
	}
}

// A Timer calls back periodically, on an absolute schedule: what a call is late by does not delay the
// later ones. The first call is one period after Run starts, or after NewTimer if that is later. Calls
// come one at a time.
type Timer struct {
	name     string
	plan     Topic
	period   int64
	catchUp  int64 // periods, 0 to skip
	callback func(*TimerInfo)
	lane     string // "" for the background
	server   timed
	executor *Executor
	recent   *intervals // of the lane, nil in the pool

	due     atomic.Int64 // of the next call, 0 before the server runs
	closed  atomic.Bool
	running sync.Mutex // held during a call
	thread  atomic.Int64
	info    TimerInfo

	jitter, duration        recorder
	overruns, skips, panics atomic.Uint64
	misses                  atomic.Uint64
	excess                  excess
}

// timed is a server that runs timers. Both methods may be called while it runs.
type timed interface {
	addTimer(*Timer) error
	removeTimer(*Timer)
}

// longestPeriod is 73 years: what stands for never must not overflow when it is added to the time.
const longestPeriod = time.Duration(1 << 61)

// NewTimer creates a timer. One of another part of the program does nothing here, see Part. The name is what a plan and the statistics know it by, and must be the only
// one of that name. Close it when it is not needed any more, at the latest before the executor.
func (e *Executor) NewTimer(name string, period time.Duration, callback func(*TimerInfo), options ...TimerOption) (*Timer, error) {
	t := &Timer{name: name, plan: e.plan.TimerOf(name), period: int64(min(period, longestPeriod)), callback: callback, executor: e}
	err := checkTimer(name)
	switch {
	case err != nil:
	case period <= 0:
		err = fmt.Errorf("period %v is not positive", period)
	case callback == nil:
		err = errors.New("the callback is nil")
	}
	for i, option := range options {
		switch {
		case err != nil:
		case option == nil:
			err = fmt.Errorf("option %d is nil", i)
		default:
			err = option(t)
		}
	}
	if err == nil {
		err = e.placeTimer(t)
	}
	if err != nil {
		return nil, fmt.Errorf("create timer %s: %w", name, err)
	}
	return t, nil
}

func (e *Executor) placeTimer(t *Timer) error {
	server := e.background
	if l := e.plan.LaneOfTimer(t.name); l != nil {
		if t.lane != "" && t.lane != l.Name {
			e.log.Info("the plan has the timer on another lane than the code", zap.String("timer", t.name), zap.String("plan", l.Name), zap.String("code", t.lane))
		}
		t.lane = l.Name
	}
	if t.lane != "" {
		if server = e.laneCalled(t.lane); server == nil {
			return fmt.Errorf("there is no lane %q", t.lane)
		}
	}
	var ok bool
	if t.server, ok = server.(timed); !ok {
		return errors.New("this kind of executor runs no timers")
	}
	if isElsewhere(server) {
		return nil
	}
	if err := e.rememberTimer(t); err != nil {
		return err
	}
	if err := t.server.addTimer(t); err != nil {
		e.forgetTimer(t)
		return err
	}
	return nil
}

func (e *Executor) rememberTimer(t *Timer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errClosed
	}
	if e.timers[t.name] != nil {
		return errors.New("there is one of that name")
	}
	e.timers[t.name] = t
	return nil
}

func (e *Executor) forgetTimer(t *Timer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timers[t.name] == t {
		delete(e.timers, t.name)
	}
}

// Close ends the timer and returns after its last callback has. Called from the callback it returns at
// once.
func (t *Timer) Close() error {
	if !t.closed.Swap(true) {
		t.server.removeTimer(t)
		t.executor.forgetTimer(t)
	}
	if t.thread.Load() != int64(unix.Gettid()) {
		t.running.Lock()
		defer t.running.Unlock() // nobody runs it now
	}
	return nil
}

// arm sets the first time, and returns the next one.
func (t *Timer) arm() int64 {
	due := t.due.Load()
	if due == 0 {
		due = pubsub.Monotonic() + t.period
		t.due.Store(due)
	}
	return due
}

// run makes the call that is due. Timers are run by one thread at a time.
func (t *Timer) run() {
	t.running.Lock()
	defer t.running.Unlock()
	if t.closed.Load() {
		return
	}
	due := t.due.Load()
	t.info.Due, t.info.Start = due, pubsub.Monotonic()
	t.jitter.record(time.Duration(t.info.Start - due))
	t.thread.Store(int64(unix.Gettid()))
	t.call()
	t.thread.Store(0)
	end := pubsub.Monotonic()
	t.duration.record(time.Duration(end - t.info.Start))
	if t.recent != nil {
		t.recent.add(due, end)
	}
	if due+t.period <= end {
		t.overruns.Add(1)
	}
	if d := t.plan.Deadline; d > 0 && time.Duration(end-due) > d {
		t.misses.Add(1)
	}
	t.excess.note(t.plan.Budget, time.Duration(end-t.info.Start))
	next, skipped := following(due, t.period, t.catchUp, end)
	t.info.Skipped = skipped
	t.skips.Add(skipped)
	t.due.Store(next)
}

// following returns the time of the next call after the one of due has ended, and how many periods are
// left out before it.
func following(due, period, catchUp, now int64) (next int64, skipped uint64) {
	next = due + period
	if next > now {
		return next, 0
	}
	behind := (now-next)/period + 1 // how many times have passed
	skip := behind - catchUp
	if skip <= 0 {
		return next, 0
	}
	return next + skip*period, uint64(skip)
}

func (t *Timer) call() {
	returned := false
	defer func() {
		if returned {
			return
		}
		t.thread.Store(0)
		v := recover()
		switch {
		case v == nil:
			panic(fmt.Errorf("callback of timer %s: it ended its goroutine, by runtime.Goexit or a test's FailNow or Fatal: let it return", t.name))
		case t.executor.contain:
			if n := t.panics.Add(1); n&(n-1) == 0 {
				t.executor.log.Error("panic in a callback", zap.String("timer", t.name), zap.Any("value", v),
					zap.Uint64("panics", n), zap.ByteString("stack", debug.Stack()))
			}
		default:
			panic(fmt.Errorf("callback of timer %s: %v", t.name, v))
		}
	}()
	t.callback(&t.info)
	returned = true
}

// TimerStats tells about one timer. Histograms are in nanoseconds, as in Load.
type TimerStats struct {
	Name   string
	Lane   string // "" for background
	Period time.Duration
	// Jitter is how much later than scheduled callbacks started.
	Jitter *hdrhistogram.Histogram
	// Duration is how long callbacks took; their number is its count.
	Duration *hdrhistogram.Histogram
	// Overruns is how many callbacks ended after the next one was due.
	Overruns uint64
	// DeadlineMisses is how many callbacks ended later than due by more than the plan's deadline.
	DeadlineMisses uint64
	// OverBudget is how many callbacks took longer than the plan's budget.
	OverBudget uint64
	// Skipped is how many periods were left out.
	Skipped uint64
	// Panics is how many callbacks panicked, see WithContainedPanics.
	Panics uint64
}

func (t *Timer) stats() TimerStats {
	return TimerStats{
		Name:     t.name,
		Lane:     t.lane,
		Period:   time.Duration(t.period),
		Jitter:   t.jitter.snapshot(),
		Duration: t.duration.snapshot(),
		Overruns: t.overruns.Load(),
		Skipped:  t.skips.Load(),
		Panics:   t.panics.Load(),

		DeadlineMisses: t.misses.Load(),
		OverBudget:     t.excess.count.Load(),
	}
}

// A timerList holds the timers of one thread. The thread reads it without a lock.
type timerList struct {
	mu   sync.Mutex // of changes
	list atomic.Pointer[[]*Timer]
}

func (l *timerList) timers() []*Timer {
	if p := l.list.Load(); p != nil {
		return *p
	}
	return nil
}

func (l *timerList) add(t *Timer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	timers := append(slices.Clone(l.timers()), t)
	l.list.Store(&timers)
}

func (l *timerList) remove(t *Timer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	timers := slices.DeleteFunc(slices.Clone(l.timers()), func(x *Timer) bool { return x == t })
	l.list.Store(&timers)
}

// next returns when the first of the timers is due.
func (l *timerList) next() int64 {
	first := int64(never)
	for _, t := range l.timers() {
		first = min(first, t.arm())
	}
	return first
}

// runDue runs the timers that are due, each once, and tells whether there were any.
func (l *timerList) runDue() (ran bool) {
	for _, t := range l.timers() {
		if t.arm() <= pubsub.Monotonic() {
			t.run()
			ran = true
		}
	}
	return ran
}
