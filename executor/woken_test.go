package executor_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"golang.org/x/sys/unix"
)

// What is ready at the same time runs by priority, messages of one topic in their order, and topics of
// one priority in turn.
func TestWokenPriorities(t *testing.T) {
	e := newExecutor(t, executor.WithPlan(executor.Plan{
		Lanes:  []executor.Lane{{Name: "l", Mode: executor.Woken, Topics: []string{"/*"}}},
		Topics: []executor.Topic{{Name: "/high", Priority: 9}, {Name: "/low", Priority: 1}},
	}))
	n, sender := newNode(t, "woken", pubsub.WithScheduler(e)), newNode(t, "sender")
	calls := make(chan string, 100)
	for _, topic := range []string{"none", "low", "high", "also_none"} {
		subscribe(t, n, topic, keepAll, func(m *std_msgs.Int32) { calls <- fmt.Sprint(topic, m.Data) })
	}
	for _, topic := range []string{"none", "low", "high", "also_none"} {
		p := publisher(t, sender, topic, keepAll)
		send(t, p, 0, 1)
		if err := p.WaitForAcknowledgements(pubsubtest.Context(t)); err != nil { // they arrive in this order
			t.Fatal(err)
		}
	}
	if len(calls) != 0 {
		t.Error("a callback ran before Run")
	}
	run(t, e)
	want := []string{"high0", "high1", "low0", "low1", "none0", "also_none0", "none1", "also_none1"}
	var got []string
	for range want {
		got = append(got, receive(t, calls))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Callbacks of topics and timers of a lane share one thread, and state without a lock. They may block,
// which delays nothing outside of the lane.
func TestWokenLane(t *testing.T) {
	cpu := lastCPU(t)
	e := newExecutor(t, executor.WithBestEffort(), executor.WithSharedCPUs(), executor.WithPlan(executor.Plan{Lanes: []executor.Lane{
		{Name: "control", Mode: executor.Woken, Topics: []string{"/input"}, Timers: []string{"step"}, CPUs: []int{cpu}},
		{Name: "other", Topics: []string{"/other"}},
	}}))
	n, sender := newNode(t, "woken", pubsub.WithScheduler(e)), newNode(t, "sender")
	state := map[int32]int{} // the race detector watches it
	var input int32
	threads := make(chan int, 1000)
	outputs := make(chan int32, 1000)
	subscribe(t, n, "input", keepAll, func(m *std_msgs.Int32) {
		input = m.Data
		state[input]++
		threads <- unix.Gettid()
	})
	others := make(chan int32, 1000)
	subscribe(t, n, "other", keepAll, func(m *std_msgs.Int32) { others <- m.Data })
	run(t, e)
	step, err := e.NewTimer("step", time.Millisecond, func(*executor.TimerInfo) {
		state[input]++
		select {
		case outputs <- input:
		default:
		}
		if input == 2 {
			time.Sleep(5 * time.Millisecond)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer step.Close()
	p, other := publisher(t, sender, "input", keepAll), publisher(t, sender, "other", keepAll)
	var thread int
	for i := range int32(4) {
		send(t, p, i)
		send(t, other, i)
		id := receive(t, threads)
		if thread != 0 && id != thread {
			t.Errorf("message %d on thread %d, the last on %d", i, id, thread)
		}
		thread = id
		for receive(t, outputs) != i {
		}
		if got := receive(t, others); got != i {
			t.Errorf("got %d on the other lane, want %d", got, i)
		}
	}
	// A subscription that comes while the lane runs.
	late := make(chan int, 10)
	sub, err := pubsub.NewSubscription(n, "input", keepAll, func(*std_msgs.Int32, *pubsub.MessageInfo) { late <- unix.Gettid() })
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WaitForSubscribers(pubsubtest.Context(t), 2); err != nil {
		t.Fatal(err)
	}
	send(t, p, 9)
	if id := receive(t, late); id != thread {
		t.Errorf("the new subscription ran on thread %d, the lane is %d", id, thread)
	}
	if err := sub.Close(); err != nil {
		t.Error(err)
	}
	s := e.Stats()
	l := s.Lanes[0]
	if l.Mode != executor.Woken || len(l.Threads) != 1 || len(l.Receiving) != 1 || !slices.Equal(l.Threads[0].CPUs, []int{cpu}) {
		t.Errorf("lane %+v", l)
	}
	if l.Strays != 0 || l.Received < 5 {
		t.Errorf("%d strays, %d received", l.Strays, l.Received)
	}
	if len(s.Timers) != 1 || s.Timers[0].Lane != "control" || s.Timers[0].Jitter.TotalCount() == 0 {
		t.Errorf("timers %+v", s.Timers)
	}
}

// The threads of lanes end with Run.
func TestWokenThreadsEnd(t *testing.T) {
	const cycles = 60
	before := threadCount(t)
	for range cycles {
		e := newExecutor(t, executor.WithNoisyRuntime(), executor.WithPlan(executor.Plan{Lanes: []executor.Lane{{Name: "l", Mode: executor.Woken, Timers: []string{"t"}}}}))
		called := make(chan struct{}, 1000)
		timer, err := e.NewTimer("t", time.Millisecond, func(*executor.TimerInfo) {
			select {
			case called <- struct{}{}:
			default:
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Run("", func(t *testing.T) {
			run(t, e)
			receive(t, called)
		})
		timer.Close()
	}
	// The Go runtime keeps some, the more the longer they wait for processors.
	for deadline := time.Now().Add(pubsubtest.Timeout); threadCount(t) > before+cycles/2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d threads became %d", before, threadCount(t))
		}
	}
}

func threadCount(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
