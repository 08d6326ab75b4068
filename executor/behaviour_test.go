package executor_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// kinds are the executors of this package.
var kinds = []struct {
	name string
	make func(...executor.Option) (*executor.Executor, error)
}{
	{"plan", func(options ...executor.Option) (*executor.Executor, error) {
		plan := executor.Plan{Lanes: []executor.Lane{{Name: "control", Topics: []string{"/even/*"}}}, Background: executor.Background{Workers: 2}}
		return executor.New(append([]executor.Option{executor.WithPlan(plan)}, options...)...)
	}},
	{"dedicated", func(options ...executor.Option) (*executor.Executor, error) {
		return executor.NewDedicated(executor.Lane{}, options...)
	}},
	{"shared", executor.NewShared},
	{"loop", executor.NewLoop},
}

func topicName(i int) string {
	if i%2 == 0 {
		return fmt.Sprintf("even/t%d", i)
	}
	return fmt.Sprintf("odd/t%d", i)
}

func threads(t testing.TB) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(tasks)
}

// Every kind of executor hands over every message once and in order, before and after Run begins, with
// subscriptions that come and go meanwhile, and none when Run has returned.
func TestKinds(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			e, err := kind.make()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { e.Close() })
			n, sender := newNode(t, "kinds", pubsub.WithScheduler(e)), newNode(t, "sender")
			const topics, count = 4, 200
			var got [topics]atomic.Int32
			var publishers [topics]*pubsub.Publisher[std_msgs.Int32]
			for i := range topics {
				subscribe(t, n, topicName(i), keepAll, func(m *std_msgs.Int32) {
					if next := got[i].Add(1) - 1; m.Data != next {
						t.Errorf("topic %d: got %d, want %d", i, m.Data, next)
					}
				})
				publishers[i] = publisher(t, sender, topicName(i), keepAll)
			}
			ctx, cancel := context.WithCancel(context.Background())
			ran := make(chan error, 1)
			for v := range int32(count) {
				if v == count/4 {
					go func() { ran <- e.Run(ctx) }()
				}
				if v >= count/2 && v%10 == 0 {
					churn(t, n, int(v))
				}
				for _, p := range publishers {
					send(t, p, v)
				}
			}
			eventually(t, func() bool {
				for i := range got {
					if got[i].Load() != count {
						return false
					}
				}
				return true
			})
			eventually(t, func() bool { // a message is counted behind its callback
				return !slices.ContainsFunc(e.Stats().Topics, func(s executor.TopicStats) bool {
					return s.Received < count || s.Duration.TotalCount() < count || s.Period.TotalCount() < count-1
				})
			})
			for _, topic := range e.Stats().Topics {
				if topic.Received != count || topic.Duration.TotalCount() != count || topic.Period.TotalCount() != count-1 || topic.Rate <= 0 || topic.Strays > 1+count/16 {
					t.Errorf("%+v", topic)
				}
			}
			cancel()
			if err := <-ran; err != nil {
				t.Fatal(err)
			}
			for _, p := range publishers {
				send(t, p, -1) // would be out of order
			}
			time.Sleep(20 * time.Millisecond)
		})
	}
}

// churn opens and closes a subscription.
func churn(t *testing.T, n *pubsub.Node, i int) {
	s, err := pubsub.NewSubscription(n, topicName(i%4), keepAll, func(*std_msgs.Int32, *pubsub.MessageInfo) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func eventually(t testing.TB, f func() bool) {
	t.Helper()
	pubsubtest.Eventually(t, f)
}

// Subscriptions come and go from several goroutines while messages flow and callbacks close their own.
func TestChurn(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			e, err := kind.make()
			if err != nil {
				t.Fatal(err)
			}
			// Registered first, it runs when Run has returned.
			t.Cleanup(func() {
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			})
			n, sender := newNode(t, "churn", pubsub.WithScheduler(e)), newNode(t, "sender")
			run(t, e)
			var p [4]*pubsub.Publisher[std_msgs.Int32]
			for i := range p {
				if p[i], err = pubsub.NewPublisher[std_msgs.Int32](sender, topicName(i), pubsub.DefaultQoS()); err != nil {
					t.Fatal(err)
				}
			}
			stop := make(chan struct{})
			var flow, wg sync.WaitGroup
			flow.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
						if err := p[i%4].Publish(&std_msgs.Int32{}); err != nil {
							t.Error(err)
						}
						time.Sleep(50 * time.Microsecond)
					}
				}
			})
			for g := range 3 {
				wg.Go(func() {
					for i := range 12 {
						var s atomic.Pointer[pubsub.Subscription[std_msgs.Int32]]
						called := make(chan struct{}, 1000)
						sub, err := pubsub.NewSubscription(n, topicName((g+i)%4), pubsub.DefaultQoS(), func(*std_msgs.Int32, *pubsub.MessageInfo) {
							if self := s.Load(); self != nil && g == 0 {
								self.Close()
							}
							select {
							case called <- struct{}{}:
							default:
							}
						})
						if err != nil {
							t.Error(err)
							return
						}
						s.Store(sub)
						receive(t, called)
						if err := sub.Close(); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			close(stop)
			flow.Wait()
			eventually(t, func() bool { return len(e.Stats().Topics) == 0 })
			if err := e.Close(); err == nil {
				t.Error("a running executor was closed")
			}
		})
	}
}

// When Run and the nodes are done no thread of theirs is left.
func TestThreadsEnd(t *testing.T) {
	cycle := func(make func(...executor.Option) (*executor.Executor, error)) {
		e, err := make()
		if err != nil {
			t.Fatal(err)
		}
		n, err := pubsub.NewNode("leak", pubsub.WithDiscovery(domainOf(t).Discovery()), pubsub.WithScheduler(e))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			subscribe(t, n, topicName(i), keepAll, func(*std_msgs.Int32) {})
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		defer cancel()
		if err := e.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(n.Close(), e.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			cycle(kind.make) // lets the Go runtime start what it keeps
			cycle(kind.make)
			before, goroutines := threads(t), runtime.NumGoroutine()
			for range 40 {
				cycle(kind.make)
			}
			// A few threads may be the runtime's own; a leak would have left 40.
			eventually(t, func() bool { return threads(t) < before+25 && runtime.NumGoroutine() <= goroutines })
		})
	}
}

// Timers share the thread of the executors that have one, and the workers of the pool.
func TestTimersOfKinds(t *testing.T) {
	for _, kind := range kinds {
		if kind.name == "dedicated" {
			continue // it has no thread for timers
		}
		t.Run(kind.name, func(t *testing.T) {
			e, err := kind.make()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { e.Close() })
			n := newNode(t, "timers", pubsub.WithScheduler(e))
			ticks, got := make(chan struct{}, 1), make(chan int32, 10)
			tick := func(*executor.TimerInfo) {
				select {
				case ticks <- struct{}{}:
				default:
				}
			}
			early, err := e.NewTimer("early", time.Millisecond, tick)
			if err != nil {
				t.Fatal(err)
			}
			subscribe(t, n, topicName(1), keepAll, func(m *std_msgs.Int32) { got <- m.Data })
			p := publisher(t, newNode(t, "sender"), topicName(1), keepAll)
			run(t, e)
			receive(t, ticks)
			send(t, p, 7)
			receive(t, got)
			receive(t, ticks)
			if err := early.Close(); err != nil {
				t.Error(err)
			}
			late, err := e.NewTimer("late", time.Millisecond, tick)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				receive(t, ticks)
			}
			if err := late.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDrain(t *testing.T) {
	for _, tt := range []struct {
		drain time.Duration
		all   bool
	}{{0, false}, {time.Minute, true}, {5 * time.Millisecond, false}} {
		for _, kind := range kinds[2:] { // with one thread of callbacks
			t.Run(fmt.Sprintf("%s %v", kind.name, tt.drain), func(t *testing.T) { drain(t, kind.make, tt.drain, tt.all) })
		}
		t.Run(fmt.Sprintf("pool %v", tt.drain), func(t *testing.T) { drain(t, executor.New, tt.drain, tt.all) })
	}
}

func drain(t *testing.T, make func(...executor.Option) (*executor.Executor, error), limit time.Duration, all bool) {
	e, err := make(executor.WithDrain(limit))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	const count = 20
	n := newNode(t, "drain", pubsub.WithScheduler(e))
	moment := 2 * time.Millisecond
	if !all {
		moment = 200 * time.Millisecond // all of them take far longer than Run may to learn of its end
	}
	first := startDrain(t, n, moment)
	p := publisher(t, newNode(t, "sender"), "drain", keepAll)
	for i := range int32(count) {
		send(t, p, i)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-first.started
		cancel() // all messages are there
		close(first.release)
	}()
	if err := e.Run(ctx); err != nil {
		t.Fatal(err)
	}
	got := first.calls.Load()
	time.Sleep(10 * time.Millisecond)
	if later := first.calls.Load(); later != got {
		t.Errorf("%d callbacks after Run", later-got)
	}
	if (got == count) != all {
		t.Errorf("%d of %d messages were handled", got, count)
	}
}

type gated struct {
	started, release chan struct{}
	calls            atomic.Int32
}

// startDrain subscribes with callbacks that take a moment, the first until it is released.
func startDrain(t *testing.T, n *pubsub.Node, moment time.Duration) *gated {
	g := &gated{started: make(chan struct{}), release: make(chan struct{})}
	subscribe(t, n, "drain", keepAll, func(*std_msgs.Int32) {
		if g.calls.Add(1) == 1 {
			close(g.started)
			<-g.release
		}
		time.Sleep(moment)
	})
	return g
}

func TestContainedPanics(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			core, logged := observer.New(zap.ErrorLevel)
			e, err := kind.make(executor.WithContainedPanics(), executor.WithLogger(zap.New(core)))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { e.Close() })
			n := newNode(t, "panics", pubsub.WithScheduler(e))
			good := make(chan int32, 10)
			for i := range 2 {
				subscribe(t, n, topicName(i), keepAll, func(m *std_msgs.Int32) {
					if m.Data < 3 {
						panic(fmt.Sprintf("no %d", m.Data))
					}
					good <- m.Data
				})
			}
			run(t, e)
			sender := newNode(t, "sender")
			for i := range 2 {
				send(t, publisher(t, sender, topicName(i), keepAll), 0, 1, 2, 3)
			}
			for range 2 {
				if v := receive(t, good); v != 3 {
					t.Errorf("got %d", v)
				}
			}
			for _, topic := range e.Stats().Topics {
				if topic.Panics != 3 {
					t.Errorf("%d panics on %s", topic.Panics, topic.Topic)
				}
			}
			// The first and the second are logged, the third is not.
			entries := logged.FilterField(zap.String("topic", "/"+topicName(0))).All()
			if len(entries) != 2 || !strings.Contains(entries[0].ContextMap()["stack"].(string), "TestContainedPanics") {
				t.Errorf("logged %+v", entries)
			}
		})
	}
}

// A panic ends the program and names the topic, in the pool and on a lane, where it would go through C.
// So does a callback that ends its goroutine, which would be missing from then on.
func TestPanicEndsProgram(t *testing.T) {
	for how, die := range map[string]func(){
		"the sky falls":       func() { panic("the sky falls") },
		"ended its goroutine": runtime.Goexit,
	} {
		for _, kind := range kinds {
			if name := how + "/" + kind.name; os.Getenv("PINION_TEST_PANIC") == "" {
				t.Run(name, func(t *testing.T) { expectCrash(t, name, how) })
			} else if os.Getenv("PINION_TEST_PANIC") == name {
				crash(t, kind.make, die)
			}
		}
	}
}

func expectCrash(t *testing.T, name, how string) {
	c := exec.Command(os.Args[0], "-test.run=^TestPanicEndsProgram$")
	c.Env = append(os.Environ(), "PINION_TEST_PANIC="+name)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !bytes.Contains(out, []byte("panic in the callback of /even/t0: ")) || !bytes.Contains(out, []byte(how)) {
		t.Errorf("%v\n%s", err, out)
	}
}

func crash(t *testing.T, make func(...executor.Option) (*executor.Executor, error), die func()) {
	e, err := make()
	if err != nil {
		t.Fatal(err)
	}
	n := newNode(t, "crash", pubsub.WithScheduler(e))
	subscribe(t, n, topicName(0), keepAll, func(*std_msgs.Int32) { die() })
	run(t, e)
	p := publisher(t, newNode(t, "sender"), topicName(0), keepAll)
	for range 1000 {
		send(t, p, 1)
		time.Sleep(10 * time.Millisecond)
	}
}

func TestFatalError(t *testing.T) {
	e := newExecutor(t, executor.WithPlan(executor.Plan{Background: executor.Background{Workers: 2}}))
	executor.BreakWorkers(e)
	err := e.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "background worker") {
		t.Errorf("got %v", err)
	}
}

func TestOverrunsAndDeadlines(t *testing.T) {
	core, logged := observer.New(zap.WarnLevel)
	e := newExecutor(t, executor.WithLogger(zap.New(core)), executor.WithPlan(executor.Plan{
		Topics: []executor.Topic{{Name: "/slow", Budget: time.Millisecond, Deadline: 2 * time.Millisecond}},
	}))
	n := newNode(t, "budget", pubsub.WithScheduler(e))
	done := make(chan struct{}, 10)
	subscribe(t, n, "slow", keepAll, func(m *std_msgs.Int32) { time.Sleep(time.Duration(m.Data)); done <- struct{}{} })
	run(t, e)
	p := publisher(t, newNode(t, "sender"), "slow", keepAll)
	send(t, p, int32(3*time.Millisecond), int32(3*time.Millisecond))
	receive(t, done)
	receive(t, done)
	eventually(t, func() bool {
		s := e.Stats().Topics[0]
		return s.Overruns == 2 && s.DeadlineMisses == 2
	})
	eventually(t, func() bool {
		return logged.FilterMessage("callbacks take longer than their budget").FilterField(zap.String("topic", "/slow")).Len() >= 1
	})
}

// Messages at random from several publishers and callbacks of random length: members of an exclusive
// group never run together, members of a reentrant one do, and nothing gets lost.
func TestGroups(t *testing.T) {
	const members, count = 4, 150
	e := newExecutor(t, executor.WithWorkers(4))
	n, sender := newNode(t, "groups", pubsub.WithScheduler(e)), newNode(t, "sender")
	exclusive, reentrant := executor.NewExclusiveGroup(), executor.NewReentrantGroup()
	var inside, together, most, got atomic.Int64
	for i := range members {
		_, err := pubsub.NewSubscription(n, topicName(i), keepAll, func(*std_msgs.Int32, *pubsub.MessageInfo) {
			if inside.Add(1) != 1 {
				t.Error("two members of an exclusive group run at once")
			}
			time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
			inside.Add(-1)
			got.Add(1)
		}, executor.InGroup(exclusive))
		if err != nil {
			t.Fatal(err)
		}
	}
	two := make(chan struct{})
	met := sync.OnceFunc(func() { close(two) })
	_, err := pubsub.NewSubscription(n, "many", keepAll, func(*std_msgs.Int32, *pubsub.MessageInfo) {
		k := together.Add(1)
		for old := most.Load(); k > old && !most.CompareAndSwap(old, k); old = most.Load() {
		}
		if k > 1 {
			met()
		}
		select {
		case <-two: // the first waits for the second, whose thread may have to wait for a processor
			time.Sleep(2 * time.Millisecond)
		case <-time.After(pubsubtest.Timeout / 2):
			met() // and no longer for each of them
		}
		together.Add(-1)
		got.Add(1)
	}, executor.InGroup(reentrant))
	if err != nil {
		t.Fatal(err)
	}
	many := publisher(t, sender, "many", keepAll)
	for v := range int32(20) {
		send(t, many, v)
	}
	run(t, e)
	var wg sync.WaitGroup
	for i := range members {
		p := publisher(t, sender, topicName(i), keepAll)
		wg.Go(func() {
			for v := range int32(count) {
				send(t, p, v)
				if rand.IntN(4) == 0 {
					time.Sleep(50 * time.Microsecond)
				}
			}
		})
	}
	wg.Wait()
	eventually(t, func() bool { return got.Load() == members*count+20 })
	if most.Load() < 2 || most.Load() > 4 {
		t.Errorf("%d callbacks of the reentrant group ran at once", most.Load())
	}
}

// A group that two threads would have to agree on is refused.
func TestGroupAcrossLanes(t *testing.T) {
	e := newExecutor(t, executor.WithPlan(executor.Plan{Lanes: []executor.Lane{{Name: "control", Topics: []string{"/critical"}}}}))
	n := newNode(t, "across", pubsub.WithScheduler(e))
	g := executor.NewExclusiveGroup()
	open := func(topic string) error {
		_, err := pubsub.NewSubscription(n, topic, keepAll, func(*std_msgs.Int32, *pubsub.MessageInfo) {}, executor.InGroup(g))
		return err
	}
	if err := open("background"); err != nil {
		t.Fatal(err)
	}
	if err := open("critical"); err == nil || !strings.Contains(err.Error(), "exclusive callback group") {
		t.Errorf("got %v", err)
	}
}

// With one worker, what is ready runs by priority, and within one by age.
func TestPriority(t *testing.T) {
	e := newExecutor(t, executor.WithPlan(executor.Plan{
		Topics: []executor.Topic{{Name: "/middle", Priority: 40}},
		Chains: []executor.Chain{{Name: "reflex", Topics: []string{"/imu", "/state"}, Priority: 80}},
	}))
	n, sender := newNode(t, "priority", pubsub.WithScheduler(e)), newNode(t, "sender")
	order := make(chan string, 10)
	release := make(chan struct{}, 1)
	subscribe(t, n, "first", keepAll, func(*std_msgs.Int32) { order <- "first"; <-release })
	topics := []string{"low", "middle", "late", "imu", "state"}
	publishers := map[string]*pubsub.Publisher[std_msgs.Int32]{}
	for _, name := range topics {
		subscribe(t, n, name, keepAll, func(*std_msgs.Int32) { order <- name })
		publishers[name] = publisher(t, sender, name, keepAll)
	}
	run(t, e)
	first := publisher(t, sender, "first", keepAll)
	for end := time.Now().Add(pubsubtest.Timeout); ; {
		send(t, first, 1)
		if receive(t, order) != "first" {
			t.Fatal("another topic came first")
		}
		begin := time.Now()
		for _, name := range topics {
			send(t, publishers[name], 1)
			time.Sleep(20 * time.Millisecond) // two steps of priority
		}
		took := time.Since(begin)
		release <- struct{}{}
		var got []string
		for range topics {
			got = append(got, receive(t, order))
		}
		if took > 300*time.Millisecond && time.Now().Before(end) {
			continue // more than the priorities may be ahead of age
		}
		if want := []string{"imu", "state", "middle", "low", "late"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v, within %v", got, want, took)
		}
		return
	}
}

// A chain's age of data counts from its first message, through the pool and a lane.
func TestChain(t *testing.T) {
	e := newExecutor(t, executor.WithPlan(executor.Plan{
		Lanes:  []executor.Lane{{Name: "control", Topics: []string{"/state"}}},
		Chains: []executor.Chain{{Name: "reflex", Topics: []string{"/imu", "/state", "/command"}, Deadline: 15 * time.Millisecond}},
	}))
	n := newNode(t, "chain", pubsub.WithScheduler(e))
	state, err := pubsub.NewPublisher[std_msgs.Int32](n, "state", keepAll)
	if err != nil {
		t.Fatal(err)
	}
	command, err := pubsub.NewPublisher[std_msgs.Int32](n, "command", keepAll)
	if err != nil {
		t.Fatal(err)
	}
	forward := func(p *pubsub.Publisher[std_msgs.Int32]) func(*std_msgs.Int32) {
		return func(m *std_msgs.Int32) {
			time.Sleep(10 * time.Millisecond)
			if err := p.Publish(m); err != nil {
				t.Error(err)
			}
		}
	}
	subscribe(t, n, "imu", keepAll, forward(state))
	subscribe(t, n, "state", keepAll, forward(command))
	out := make(chan *pubsub.MessageInfo, 1)
	_, err = pubsub.NewSubscription(newNode(t, "motor"), "command", keepAll, func(_ *std_msgs.Int32, info *pubsub.MessageInfo) {
		clone := *info
		out <- &clone
	})
	if err != nil {
		t.Fatal(err)
	}
	pubsubtest.WaitForMatch(t, state, command)
	run(t, e)
	imu := publisher(t, newNode(t, "sensor"), "imu", keepAll)
	source := time.Now().Add(-time.Second).Round(0)
	if err := imu.PublishAt(&std_msgs.Int32{Data: 7}, source); err != nil {
		t.Fatal(err)
	}
	if info := receive(t, out); !info.SourceTime.Equal(source) {
		t.Errorf("the command has source time %v, want %v", info.SourceTime, source)
	}
	var c executor.ChainStats
	eventually(t, func() bool {
		c = e.Stats().Chains[0]
		return c.Stages[1].Latency.TotalCount() == 1 && c.DeadlineMisses == 1
	})
	if c.Stages[2].Latency.TotalCount() != 0 {
		t.Errorf("chain %+v", c)
	}
	if age := time.Duration(c.EndToEnd().Max()); age < 1020*time.Millisecond*98/100 || c.Stages[0].Latency.Max() > c.EndToEnd().Max() {
		t.Errorf("end to end %v", age)
	}
	// Outside a callback a publisher has its own time.
	before := time.Now()
	if err := command.Publish(&std_msgs.Int32{}); err != nil {
		t.Fatal(err)
	}
	if info := receive(t, out); info.SourceTime.Before(before.Add(-time.Millisecond)) {
		t.Errorf("published outside a callback with source time %v, at %v", info.SourceTime, before)
	}
}
