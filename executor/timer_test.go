package executor

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"golang.org/x/sys/unix"
)

func TestFollowing(t *testing.T) {
	for _, tt := range []struct {
		name              string
		due, catchUp, now int64
		next              int64
		skipped           uint64
	}{
		{"in time", 100, 0, 105, 110, 0},
		{"at the next time", 100, 0, 110, 120, 1},
		{"late by a period", 100, 0, 111, 120, 1},
		{"late by many", 100, 0, 199, 200, 9},
		{"catch up with all", 100, 9, 199, 110, 0},
		{"catch up with one more than there are", 100, 10, 199, 110, 0},
		{"catch up with the last ones", 100, 3, 199, 170, 6},
		{"catch up in time", 100, 3, 109, 110, 0},
	} {
		next, skipped := following(tt.due, 10, tt.catchUp, tt.now)
		if next != tt.next || skipped != tt.skipped {
			t.Errorf("%s: next %d, %d skipped; want %d, %d", tt.name, next, skipped, tt.next, tt.skipped)
		}
	}
}

// Nothing is lost: calls and skipped periods add up, and the schedule keeps its phase.
func TestFollowingKeepsSchedule(t *testing.T) {
	for range 1000 {
		period, catchUp := 1+rand.Int64N(50), rand.Int64N(4)
		due, now, periods := int64(0), int64(0), uint64(0)
		for range 100 {
			now = max(now, due) + rand.Int64N(5*period)
			next, skipped := following(due, period, catchUp, now)
			if (next-due)%period != 0 || next <= due || catchUp == 0 && next <= now || next+catchUp*period <= now {
				t.Fatalf("due %d, period %d, catch up %d, now %d: next %d", due, period, catchUp, now, next)
			}
			periods += 1 + skipped
			due = next
		}
		if uint64(due) != periods*uint64(period) {
			t.Fatalf("%d periods of %d led to %d", periods, period, due)
		}
	}
}

func startExecutor(t *testing.T, e *Executor, err error) (stop func()) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// offer sends unless the channel is full: a callback that blocks cannot be waited for.
func offer[T any](ch chan<- T, v T) {
	select {
	case ch <- v:
	default:
	}
}

func wokenPlan(timers ...string) Option {
	return WithPlan(Plan{Lanes: []Lane{{Name: "control", Mode: Woken, Timers: timers}}})
}

// A timer runs where the plan or the code says, on schedule, and is counted.
func TestTimer(t *testing.T) {
	for _, tt := range []struct {
		name    string
		plan    Option
		options []TimerOption
		lane    string
	}{
		{"in the pool", WithWorkers(2), nil, ""},
		{"on the plan's lane", wokenPlan("step*"), nil, "control"},
		{"on the code's lane", wokenPlan("other"), []TimerOption{OnLane("control")}, "control"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := New(tt.plan)
			stop := startExecutor(t, e, err)
			defer stop()
			const period, calls = 2 * time.Millisecond, 20
			infos := make(chan TimerInfo, 10*calls)
			threads := map[int]bool{}
			timer, err := e.NewTimer("step", period, func(i *TimerInfo) {
				threads[unix.Gettid()] = true
				offer(infos, *i)
			}, tt.options...)
			if err != nil {
				t.Fatal(err)
			}
			var last TimerInfo
			for i := range calls {
				info := <-infos
				if late := info.Start - info.Due; late < 0 {
					t.Errorf("called %d ns early", -late)
				}
				if i > 0 && info.Due-last.Due != int64(info.Skipped+1)*int64(period) {
					t.Errorf("due %d ns after the last call with %d skipped", info.Due-last.Due, info.Skipped)
				}
				last = info
			}
			if err := timer.Close(); err != nil {
				t.Error(err)
			}
			if tt.lane != "" && len(threads) != 1 {
				t.Errorf("it ran on %d threads", len(threads))
			}
			s := timer.stats()
			if s.Lane != tt.lane || s.Jitter.TotalCount() < calls || s.Duration.TotalCount() != s.Jitter.TotalCount() {
				t.Errorf("lane %q, %d calls", s.Lane, s.Jitter.TotalCount())
			}
			stop()
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A callback that takes longer than the period is counted, and the policy says what becomes of the
// periods it covers.
func TestTimerOverrun(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options []TimerOption
		skipped bool
	}{
		{"skip", nil, true},
		{"catch up", []TimerOption{WithCatchUp(1 << 30)}, false},
	} {
		for _, plan := range []Option{WithWorkers(1), wokenPlan("slow")} {
			e, err := New(plan)
			stop := startExecutor(t, e, err)
			const period = time.Millisecond
			var calls, due atomic.Int64
			enough := make(chan struct{})
			timer, err := e.NewTimer("slow", period, func(i *TimerInfo) {
				if calls.Add(1) == 1 {
					time.Sleep(20 * period)
				}
				if calls.Load() == 10 {
					due.Store(i.Due)
					close(enough)
				}
			}, tt.options...)
			if err != nil {
				t.Fatal(err)
			}
			<-enough
			if err := timer.Close(); err != nil {
				t.Error(err)
			}
			s := timer.stats()
			if s.Overruns == 0 || s.Skipped > 0 != tt.skipped {
				t.Errorf("%s: %d overruns, %d skipped", tt.name, s.Overruns, s.Skipped)
			}
			stop()
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Close from outside waits for the callback; from inside it ends the timer.
func TestTimerClose(t *testing.T) {
	for _, plan := range []Option{WithWorkers(1), wokenPlan("x", "y")} {
		e, err := New(plan)
		stop := startExecutor(t, e, err)
		var running atomic.Bool
		started := make(chan struct{}, 1000)
		timer, err := e.NewTimer("x", time.Millisecond, func(*TimerInfo) {
			running.Store(true)
			offer(started, struct{}{})
			time.Sleep(5 * time.Millisecond)
			running.Store(false)
		})
		if err != nil {
			t.Fatal(err)
		}
		<-started
		if err := timer.Close(); err != nil || running.Load() {
			t.Errorf("closed while it ran, %v", err)
		}
		var self *Timer
		made, calls := make(chan struct{}), make(chan struct{}, 1000)
		self, err = e.NewTimer("y", time.Millisecond, func(*TimerInfo) {
			<-made
			if err := self.Close(); err != nil {
				t.Error(err)
			}
			offer(calls, struct{}{})
		})
		if err != nil {
			t.Fatal(err)
		}
		close(made)
		<-calls
		stop()
		if err := self.Close(); err != nil || len(calls) != 0 {
			t.Errorf("%d calls after it was closed, %v", len(calls), err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A timer made before Run starts with it.
func TestTimerBeforeRun(t *testing.T) {
	for _, plan := range []Option{WithWorkers(1), wokenPlan("x")} {
		e, err := New(plan)
		if err != nil {
			t.Fatal(err)
		}
		calls := make(chan TimerInfo, 1000)
		timer, err := e.NewTimer("x", time.Millisecond, func(i *TimerInfo) { offer(calls, *i) })
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
		begin := pubsub.Monotonic()
		stop := startExecutor(t, e, nil)
		if i := <-calls; i.Due < begin || i.Skipped != 0 {
			t.Errorf("the first call was due %d ns before Run, %d skipped", begin-i.Due, i.Skipped)
		}
		stop()
		if err := e.Close(); err == nil || !strings.Contains(err.Error(), "1 timers are open") {
			t.Errorf("closed with an open timer: %v", err)
		}
		timer.Close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTimerErrors(t *testing.T) {
	e, err := New(WithPlan(Plan{Lanes: []Lane{{Name: "inline", Topics: []string{"/x"}}}}))
	if err != nil {
		t.Fatal(err)
	}
	nop := func(*TimerInfo) {}
	first, err := e.NewTimer("first", time.Second, nop)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, want string
		period     time.Duration
		option     TimerOption
	}{
		{"first", "one of that name", time.Second, OnLane("")},
		{"a b", "without spaces", time.Second, OnLane("")},
		{"zero", "not positive", 0, OnLane("")},
		{"lane", `no lane "nowhere"`, time.Second, OnLane("nowhere")},
		{"inline", "give it mode woken", time.Second, OnLane("inline")},
		{"limit", "at least 1", time.Second, WithCatchUp(0)},
	} {
		if _, err := e.NewTimer(tt.name, tt.period, nop, tt.option); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	first.Close()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := ParsePlan("p.yaml", []byte("lanes:\n  a: {mode: inline, topics: [/x], timers: [t]}")); err == nil || !strings.Contains(err.Error(), "p.yaml:2: lane a: timers need mode woken") {
		t.Error(err)
	}
}

// A panic in a timer's callback is contained and counted where that is wanted.
func TestTimerPanic(t *testing.T) {
	for _, plan := range []Option{WithWorkers(1), wokenPlan("x")} {
		e, err := New(plan, WithContainedPanics())
		stop := startExecutor(t, e, err)
		calls := make(chan struct{}, 1000)
		timer, err := e.NewTimer("x", time.Millisecond, func(*TimerInfo) {
			offer(calls, struct{}{})
			panic("intended")
		})
		if err != nil {
			t.Fatal(err)
		}
		<-calls
		<-calls
		timer.Close()
		if s := timer.stats(); s.Panics < 2 {
			t.Errorf("%d panics", s.Panics)
		}
		stop()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
