package executor_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"golang.org/x/sys/unix"
)

// domains holds the one of each running test.
var domains sync.Map

func domainOf(t testing.TB) *pubsubtest.Domain {
	t.Helper()
	if d, ok := domains.Load(t); ok {
		return d.(*pubsubtest.Domain)
	}
	d := pubsubtest.NewDomain(t)
	domains.Store(t, d)
	t.Cleanup(func() { domains.Delete(t) })
	return d
}

// newNode returns a node in the test's domain.
func newNode(t testing.TB, name string, options ...pubsub.Option) *pubsub.Node {
	t.Helper()
	return domainOf(t).NewNode(name, options...)
}

func newExecutor(t testing.TB, options ...executor.Option) *executor.Executor {
	t.Helper()
	e, err := executor.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// run runs the executor until the test ends.
func run(t testing.TB, e *executor.Executor) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func subscribe(t testing.TB, n *pubsub.Node, topic string, qos pubsub.QoS, f func(*std_msgs.Int32)) {
	t.Helper()
	_, err := pubsub.NewSubscription(n, topic, qos, func(m *std_msgs.Int32, _ *pubsub.MessageInfo) { f(m) })
	if err != nil {
		t.Fatal(err)
	}
}

func publisher(t testing.TB, n *pubsub.Node, topic string, qos pubsub.QoS) *pubsub.Publisher[std_msgs.Int32] {
	t.Helper()
	p, err := pubsub.NewPublisher[std_msgs.Int32](n, topic, qos)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WaitForSubscribers(pubsubtest.Context(t), 1); err != nil {
		t.Fatal(err)
	}
	return p
}

func send(t testing.TB, p *pubsub.Publisher[std_msgs.Int32], values ...int32) {
	t.Helper()
	for _, v := range values {
		if err := p.Publish(&std_msgs.Int32{Data: v}); err != nil {
			t.Fatal(err)
		}
	}
}

func receive[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	return pubsubtest.Receive(t, ch)
}

var keepAll = pubsub.DefaultQoS().KeepAll()

// lastCPU is one that this process may use. It is always the same one, whatever thread asks: some have
// inherited what an executor left to the rest.
func lastCPU(t testing.TB) int {
	t.Helper()
	cpus, err := executor.PermittedCPUs()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Max(cpus)
}

func TestLane(t *testing.T) {
	cpu := lastCPU(t)
	e := newExecutor(t, executor.WithBestEffort(), executor.WithPlan(executor.Plan{Lanes: []executor.Lane{
		{Name: "control", Topics: []string{"/critical"}, CPUs: []int{cpu}},
	}}))
	n := newNode(t, "lane", pubsub.WithScheduler(e))
	type call struct {
		thread int
		value  int32
	}
	calls := make(chan call, 10)
	for range 2 { // two subscriptions share the lane
		subscribe(t, n, "critical", keepAll, func(m *std_msgs.Int32) { calls <- call{unix.Gettid(), m.Data} })
	}
	p := publisher(t, newNode(t, "sender"), "critical", keepAll)
	if err := p.WaitForSubscribers(pubsubtest.Context(t), 2); err != nil {
		t.Fatal(err)
	}
	send(t, p, 1)
	time.Sleep(50 * time.Millisecond)
	if len(calls) != 0 {
		t.Error("a callback ran before Run")
	}
	run(t, e)
	for range 2 {
		if c := receive(t, calls); c.value != 1 {
			t.Errorf("got %d", c.value)
		}
	}
	send(t, p, 2)
	first, second := receive(t, calls), receive(t, calls)
	if first.value != 2 || second.value != 2 || first.thread != second.thread {
		t.Errorf("got %v and %v; want 2, 2 on one thread", first, second)
	}
	s := e.Stats()
	if len(s.Lanes) != 1 || len(s.Lanes[0].Threads) != 1 || fmt.Sprint(s.Lanes[0].Threads[0].CPUs) != fmt.Sprint([]int{cpu}) {
		t.Errorf("lanes %+v, want one thread on CPU %d", s.Lanes, cpu)
	}
	eventually(t, func() bool { // a message is counted behind its callback
		return !slices.ContainsFunc(e.Stats().Topics, func(s executor.TopicStats) bool {
			return s.Received != 2 || s.Lane != "control" || s.Duration.TotalCount() != 2
		})
	})
}

// A callback that blocks delays neither the lane nor the other workers, and what its history cannot
// hold is counted.
func TestPool(t *testing.T) {
	e := newExecutor(t, executor.WithWorkers(2), executor.WithPlan(executor.Plan{Lanes: []executor.Lane{
		{Name: "control", Topics: []string{"/critical"}},
	}}))
	n, sender := newNode(t, "pool", pubsub.WithScheduler(e)), newNode(t, "sender")
	block, blocked := make(chan struct{}), make(chan struct{}, 100)
	critical, background := make(chan int32, 100), make(chan int32, 100)
	subscribe(t, n, "slow", pubsub.DefaultQoS().KeepLast(2), func(*std_msgs.Int32) { blocked <- struct{}{}; <-block })
	subscribe(t, n, "critical", keepAll, func(m *std_msgs.Int32) { critical <- m.Data })
	subscribe(t, n, "background", keepAll, func(m *std_msgs.Int32) { background <- m.Data })
	run(t, e)
	slow := publisher(t, sender, "slow", keepAll)
	send(t, slow, 0)
	receive(t, blocked)
	send(t, slow, 1, 2, 3, 4, 5)
	for i := range int32(20) {
		send(t, publisher(t, sender, "critical", keepAll), i)
		send(t, publisher(t, sender, "background", keepAll), i)
		if c, b := receive(t, critical), receive(t, background); c != i || b != i {
			t.Fatalf("got %d and %d, want %d", c, b, i)
		}
	}
	close(block)
	receive(t, blocked)
	receive(t, blocked)
	eventually(t, func() bool {
		return slices.ContainsFunc(e.Stats().Topics, func(s executor.TopicStats) bool {
			return s.Topic == "/slow" && s.Received == 3 && s.Lost+s.Overwritten == 3
		})
	})
}

// One worker serves a flooded topic and a quiet one in turn.
func TestNoStarvation(t *testing.T) {
	e := newExecutor(t)
	n, sender := newNode(t, "fair", pubsub.WithScheduler(e)), newNode(t, "sender")
	var flooded atomic.Int64
	quiet := make(chan int64, 1)
	subscribe(t, n, "flood", pubsub.DefaultQoS().KeepLast(1000), func(*std_msgs.Int32) { flooded.Add(1); time.Sleep(time.Millisecond) })
	subscribe(t, n, "quiet", keepAll, func(*std_msgs.Int32) { quiet <- flooded.Load() })
	flood, p := publisher(t, sender, "flood", keepAll), publisher(t, sender, "quiet", keepAll)
	for i := range int32(500) {
		send(t, flood, i)
	}
	send(t, p, 1)
	run(t, e)
	if n := receive(t, quiet); n > 10 {
		t.Errorf("the quiet topic waited for %d callbacks of the other", n)
	}
}

func TestBudget(t *testing.T) {
	old := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(old)
	e := newExecutor(t, executor.WithWorkers(3), executor.WithFixedProcs())
	if err := e.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "GOMAXPROCS is 2") {
		t.Errorf("run without enough processors: %v", err)
	}
	e = newExecutor(t, executor.WithWorkers(3))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := e.Run(ctx); err != nil {
		t.Error(err)
	}
	b := e.Stats().Budget
	if runtime.GOMAXPROCS(0) != b.Need() || b.Procs != b.Need() {
		t.Errorf("GOMAXPROCS %d, budget %+v", runtime.GOMAXPROCS(0), b)
	}
	if err := e.Run(ctx); err == nil {
		t.Error("it ran twice")
	}
}

func TestNewErrors(t *testing.T) {
	for _, tt := range []struct {
		plan executor.Plan
		want string
	}{
		{executor.Plan{Lanes: []executor.Lane{{Name: "a", Topics: []string{"/x"}, CPUs: []int{1000}}}}, "CPU 1000"},
		{executor.Plan{Lanes: []executor.Lane{{Name: "a", Topics: []string{"x"}}}}, "has to start with"},
		{executor.Plan{Background: executor.Background{Workers: -1}}, "-1 workers"},
	} {
		if _, err := executor.New(executor.WithPlan(tt.plan)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.plan, err, tt.want)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	chains := []executor.Chain{{Name: "c", Topics: []string{"/even/twist", "/command"}, Priority: 1}}
	topics := []executor.Topic{{Name: "/even/twist", Budget: time.Second, Deadline: time.Second}}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) { noAllocation(t, kind.make, "even/twist") })
	}
	t.Run("pool", func(t *testing.T) {
		noAllocation(t, func(options ...executor.Option) (*executor.Executor, error) {
			return executor.New(append(options, executor.WithPlan(executor.Plan{Topics: topics, Chains: chains}))...)
		}, "even/twist")
	})
}

func noAllocation(t *testing.T, create func(...executor.Option) (*executor.Executor, error), topic string) {
	e, err := create()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	n := newNode(t, "alloc", pubsub.WithScheduler(e))
	got := make(chan struct{}, 1)
	_, err = pubsub.NewSubscription(n, topic, keepAll, func(*geometry_msgs.Twist, *pubsub.MessageInfo) { got <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	p, err := pubsub.NewPublisher[geometry_msgs.Twist](newNode(t, "sender"), topic, keepAll)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WaitForSubscribers(pubsubtest.Context(t), 1); err != nil {
		t.Fatal(err)
	}
	run(t, e)
	exchange := func(k int) uint64 {
		var m geometry_msgs.Twist
		before := heapObjects()
		for range k {
			if err := p.Publish(&m); err != nil {
				t.Fatal(err)
			}
			<-got
		}
		return heapObjects() - before
	}
	exchange(500)
	// What the watch over the runtime and the graph allocate comes with time and not with messages: on a busy
	// machine there is a series with little of it.
	const series, count = 20, 1000
	fewest := exchange(count)
	for n := 1; countAllocations && fewest > count/4 && n < series; n++ {
		fewest = min(fewest, exchange(count))
	}
	if countAllocations && fewest > count/4 {
		t.Errorf("%d objects were allocated for %d messages, at best", fewest, count)
	}
}

func heapObjects() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func TestMain(m *testing.M) {
	os.Unsetenv("CYCLONEDDS_URI")
	if os.Getenv(programDomain) != "" {
		os.Exit(runProgram())
	}
	os.Exit(pubsubtest.Run(m))
}
