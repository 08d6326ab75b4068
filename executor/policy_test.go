package executor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"golang.org/x/sys/unix"
)

// What this kernel grants is in force on the thread of the callbacks; what it refuses is refused with what
// to do about it.
func TestPolicies(t *testing.T) {
	for _, policy := range []executor.Lane{
		{Policy: executor.FIFO, Priority: 3},
		{Policy: executor.RR, Priority: 2},
		{Policy: executor.Deadline, Runtime: time.Millisecond, Within: 10 * time.Millisecond, Period: 20 * time.Millisecond},
	} {
		for _, mode := range []executor.Mode{executor.Inline, executor.Woken} {
			t.Run(fmt.Sprint(policy.Policy, " ", mode), func(t *testing.T) {
				lane := policy
				lane.Name, lane.Mode, lane.Topics = "real", mode, []string{"/real"}
				inForce(t, lane)
			})
		}
	}
}

func inForce(t *testing.T, lane executor.Lane) {
	e := newExecutor(t, executor.WithSharedCPUs(), executor.WithNoisyRuntime(), executor.WithPlan(executor.Plan{Lanes: []executor.Lane{lane}}))
	n := newNode(t, "policy", pubsub.WithScheduler(e))
	threads := make(chan int, 1)
	_, err := pubsub.NewSubscription(n, "real", keepAll, func(*std_msgs.Int32, *pubsub.MessageInfo) { threads <- unix.Gettid() })
	if err != nil {
		refused(t, lane, err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	p := publisher(t, newNode(t, "sender"), "real", keepAll)
	send(t, p, 1) // may be there before Run is, which handles it itself on an inline lane
	select {
	case err := <-done:
		refused(t, lane, err)
		return
	case <-threads:
		send(t, p, 2)
		tid := receive(t, threads)
		attr, err := unix.SchedGetAttr(tid, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := executor.Scheduling{Policy: lane.Policy, Priority: int(attr.Priority), Runtime: time.Duration(attr.Runtime), Within: time.Duration(attr.Deadline), Period: time.Duration(attr.Period)}
		kernel := map[executor.Policy]uint32{executor.FIFO: unix.SCHED_FIFO, executor.RR: unix.SCHED_RR, executor.Deadline: unix.SCHED_DEADLINE}[lane.Policy]
		if attr.Policy != kernel || attr.Flags&unix.SCHED_FLAG_RESET_ON_FORK == 0 || got.Priority != lane.Priority ||
			lane.Policy == executor.Deadline && (got.Runtime != lane.Runtime || got.Within != lane.Within || got.Period != lane.Period) {
			t.Errorf("the callback's thread is scheduled with %+v", attr)
		}
	}
	s := e.Stats().Lanes[0].Threads
	if len(s) != 1 || s[0].Policy != lane.Policy || s[0].Priority != lane.Priority || s[0].Runtime != lane.Runtime || !s[0].ResetOnFork {
		t.Errorf("the statistics have %+v", s)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A deadline lane, which the kernel wants to be allowed on all CPUs, runs beside one that has a CPU of its own.
func TestDeadlineBesideOwnCPU(t *testing.T) {
	deadline := executor.Lane{Name: "deadline", Mode: executor.Woken, Timers: []string{"deadline"},
		Policy: executor.Deadline, Runtime: time.Millisecond, Within: 10 * time.Millisecond, Period: 20 * time.Millisecond}
	pinned := executor.Lane{Name: "pinned", Mode: executor.Woken, Timers: []string{"pinned"}, CPUs: []int{lastCPU(t)}}
	if err := runTimers(t, deadline); err != nil {
		t.Logf("refused: %v", err)
		return
	}
	if err := runTimers(t, pinned, deadline); err != nil && !errors.Is(err, unix.EBUSY) {
		t.Error(err)
	}
}

// runTimers runs lanes, each with a timer of its name, until all have called back.
func runTimers(t *testing.T, lanes ...executor.Lane) error {
	e := newExecutor(t, executor.WithNoisyRuntime(), executor.WithPlan(executor.Plan{Lanes: lanes}))
	ctx, cancel := context.WithCancel(pubsubtest.Context(t))
	defer cancel()
	var left atomic.Int32
	for _, l := range lanes {
		left.Add(1)
		first := sync.OnceFunc(func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})
		timer, err := e.NewTimer(l.Name, time.Millisecond, func(*executor.TimerInfo) { first() })
		if err != nil {
			t.Fatal(err)
		}
		defer timer.Close()
	}
	err := e.Run(ctx)
	if err == nil && left.Load() > 0 {
		t.Errorf("%d of %d lanes did nothing", left.Load(), len(lanes))
	}
	return err
}

// refused checks the error of a kernel that does not grant a policy.
func refused(t *testing.T, lane executor.Lane, err error) {
	t.Helper()
	t.Logf("refused: %v", err)
	hint := "CAP_SYS_NICE"
	if errors.Is(err, unix.EBUSY) {
		hint = "lower runtime or raise period"
	} else if !errors.Is(err, unix.EPERM) {
		t.Errorf("another error than of missing permission: %v", err)
	}
	policy := string(lane.Policy)
	if lane.Mode == executor.Woken && lane.Policy == executor.Deadline {
		policy = "receive thread: policy fifo" // comes first
	}
	for _, part := range []string{policy, hint, "WithBestEffort"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in %q", part, err)
		}
	}
}
