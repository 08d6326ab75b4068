//go:build long

package reliability

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"go.uber.org/zap"
)

// A stress is a process in which everything is created, used and closed all the time.
type stress struct {
	d        pubsub.Discovery
	received atomic.Int64

	mu       sync.RWMutex // held by users of the executor
	executor *executor.Executor
	plans    int
	stop     func() error
}

// count is what was done.
type count struct{ nodes, publishers, subscriptions, published, timers, looks atomic.Int64 }

const stressTopics = 6

// reschedule replaces the executor by one whose plan has topics and timers elsewhere: on a lane that reads
// and calls, on one that is woken, or in the pool.
func (s *stress) reschedule() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		if err := s.stop(); err != nil {
			return err
		}
	}
	topic := func(i int) string { return fmt.Sprint("/stress_", (s.plans+i)%stressTopics) }
	ex, err := executor.New(executor.WithWorkers(2), executor.WithLogger(zap.NewNop()), executor.WithPlan(executor.Plan{Lanes: []executor.Lane{
		{Name: "inline", Topics: []string{topic(0), topic(1)}},
		{Name: "woken", Mode: executor.Woken, Topics: []string{topic(2)}, Timers: []string{fmt.Sprint("timer_", s.plans%4)}},
	}}))
	if err != nil {
		return err
	}
	s.plans++
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- ex.Run(ctx) }()
	s.executor = ex
	s.stop = func() error {
		cancel()
		return errors.Join(<-ran, ex.Close())
	}
	return nil
}

// live creates a node with this and that, uses it and closes it, in any order.
func (s *stress) live(r *rand.Rand, name string, n *count) (err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	options := []pubsub.Option{pubsub.WithDiscovery(s.d), pubsub.WithRosout(r.IntN(2) == 0)}
	if r.IntN(4) > 0 {
		options = append(options, pubsub.WithScheduler(s.executor))
	}
	node, err := pubsub.NewNode(name, options...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, node.Close()) }()
	n.nodes.Add(1)
	var pubs []*pubsub.Publisher[std_msgs.String]
	var subs []*pubsub.Subscription[std_msgs.String]
	topic := func() string { return fmt.Sprint("/stress_", r.IntN(stressTopics)) }
	for range 30 {
		var err error
		switch r.IntN(8) {
		case 0:
			p, e := pubsub.NewPublisher[std_msgs.String](node, topic(), pubsub.DefaultQoS())
			if err = e; e == nil {
				pubs = append(pubs, p)
				n.publishers.Add(1)
			}
		case 1:
			sub, e := pubsub.NewSubscription(node, topic(), pubsub.DefaultQoS(), func(*std_msgs.String, *pubsub.MessageInfo) { s.received.Add(1) })
			if err = e; e == nil {
				subs = append(subs, sub)
				n.subscriptions.Add(1)
			}
		case 2:
			if len(subs) > 0 {
				err = subs[0].Close()
				subs = subs[1:]
			}
		case 3:
			if len(pubs) > 0 {
				err = pubs[0].Close()
				pubs = pubs[1:]
			}
		case 4:
			_, e1 := node.Topics()
			_, e2 := node.Endpoints(topic())
			err = errors.Join(e1, e2)
			n.looks.Add(1)
		default:
			for _, p := range pubs {
				if e := p.Publish(&std_msgs.String{Data: name}); e != nil && !errors.Is(e, pubsub.ErrTimeout) {
					err = e
				}
				n.published.Add(1)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tick lets a timer run for a while. Its name is that of one goroutine alone.
func (s *stress) tick(name string, n *count) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ticked := make(chan struct{}, 1)
	t, err := s.executor.NewTimer(name, time.Millisecond, func(*executor.TimerInfo) {
		select {
		case ticked <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return err
	}
	<-ticked
	n.timers.Add(1)
	return t.Close()
}

// Everything may be created, used, planned anew and closed by many goroutines at once, and nothing is left
// behind.
func TestStress(t *testing.T) {
	table := kept.table(t, "stress", "goroutines", "time", "nodes", "publishers", "subscriptions", "published", "received", "timers", "looks at the graph", "plans")
	pubsubtest.CheckLeaks(t)
	duration := 5 * time.Second
	if *full {
		duration = time.Minute
	}
	const goroutines = 12
	s, end := &stress{d: pubsubtest.NewDomain(t).Discovery()}, time.Now().Add(duration)
	if err := s.reschedule(); err != nil {
		t.Fatal(err)
	}
	var n count
	var running sync.WaitGroup
	for i := range goroutines {
		running.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for time.Now().Before(end) && !t.Failed() {
				err := s.live(r, fmt.Sprint("node_", i), &n)
				if i < 4 && err == nil {
					err = s.tick(fmt.Sprint("timer_", i), &n)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for time.Now().Before(end) && !t.Failed() {
		time.Sleep(duration / 20)
		if err := s.reschedule(); err != nil {
			t.Error(err)
		}
	}
	running.Wait()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if s.received.Load() == 0 {
		t.Error("nothing was received")
	}
	table.add(goroutines, duration, n.nodes.Load(), n.publishers.Load(), n.subscriptions.Load(), n.published.Load(), s.received.Load(), n.timers.Load(), n.looks.Load(), s.plans)
}
