package pubsub_test

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// consumer is a scheduler with one thread, which gets its work in one of several ways.
type consumer struct {
	queue *pubsub.Queue
	ended atomic.Bool
	done  chan struct{}
}

func newConsumer(b *testing.B, queue *pubsub.Queue, wait func(*pubsub.Queue) bool) *consumer {
	c := &consumer{queue: queue, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		runtime.LockOSThread()
		ready := make([]pubsub.Ready, 16)
		for wait(queue) && !c.ended.Load() {
			for n := queue.Pop(ready); n > 0; n = queue.Pop(ready) {
				for _, r := range ready[:n] {
					if _, more := r.Receiver.Dispatch(1); more {
						r.Receiver.Requeue()
					}
				}
			}
		}
	}()
	b.Cleanup(func() {
		c.ended.Store(true)
		queue.Close()
		<-c.done
	})
	return c
}

func (c *consumer) Place(*pubsub.Receiver) (pubsub.Placement, error) {
	return pubsub.Placement{Queue: c.queue}, nil
}

func (c *consumer) Remove(*pubsub.Receiver) {}

// BenchmarkRoundTrip sends one message at a time to a subscription whose callback answers, all in this
// process: both callbacks on one thread, or each on its own, which look for work without a pause, are
// woken by the kernel, or by Go's poller.
func BenchmarkRoundTrip(b *testing.B) {
	for _, intra := range []bool{true, false} {
		for _, way := range []struct {
			name    string
			threads int
			make    func() (*pubsub.Queue, error)
			wait    func(*pubsub.Queue) bool
		}{
			{"one", 1, pubsub.NewThreadQueue, func(*pubsub.Queue) bool { return true }},
			{"spinning", 2, pubsub.NewThreadQueue, func(*pubsub.Queue) bool { return true }},
			{"woken", 2, pubsub.NewThreadQueue, func(q *pubsub.Queue) bool { return q.WaitThread(math.MaxInt64) }},
			{"polled", 2, pubsub.NewQueue, (*pubsub.Queue).Wait},
		} {
			name := "dds/" + way.name
			if intra {
				name = "intra/" + way.name
			}
			b.Run(name, func(b *testing.B) {
				d := pubsubtest.NewDomain(b)
				var nodes [2]*pubsub.Node
				for i := range way.threads {
					c := newConsumer(b, must[*pubsub.Queue](b)(way.make()), way.wait)
					nodes[i] = d.NewNode("bench", pubsub.WithScheduler(c))
				}
				roundTrips(b, nodes[0], nodes[way.threads-1], intra)
			})
		}
	}
}

func roundTrips(b *testing.B, a, c *pubsub.Node, intra bool) {
	var po []pubsub.PublisherOption
	var so []pubsub.SubscriptionOption
	if intra {
		po, so = append(po, pubsub.WithPublisherIntraProcess()), append(so, pubsub.WithSubscriptionIntraProcess())
	}
	qos := pubsub.DefaultQoS()
	type pub = *pubsub.Publisher[geometry_msgs.Twist]
	type sub = *pubsub.Subscription[geometry_msgs.Twist]
	ping := must[pub](b)(pubsub.NewPublisher[geometry_msgs.Twist](a, "ping", qos, po...))
	pong := must[pub](b)(pubsub.NewPublisher[geometry_msgs.Twist](c, "pong", qos, po...))
	times := make([]int64, 0, b.N)
	done := make(chan struct{})
	var begin int64
	m := &geometry_msgs.Twist{}
	must[sub](b)(pubsub.NewSubscription(c, "ping", qos, func(m *geometry_msgs.Twist, _ *pubsub.MessageInfo) {
		if err := pong.PublishOwned(m); err != nil {
			b.Error(err)
		}
	}, so...))
	must[sub](b)(pubsub.NewSubscription(a, "pong", qos, func(*geometry_msgs.Twist, *pubsub.MessageInfo) {
		times = append(times, pubsub.Monotonic()-begin)
		if len(times) == cap(times) {
			close(done)
			return
		}
		begin = pubsub.Monotonic()
		if err := ping.PublishOwned(m); err != nil {
			b.Error(err)
		}
	}, so...))
	pubsubtest.WaitForMatch(b, ping, pong)
	if intra {
		pubsubtest.Eventually(b, func() bool { return pubsub.IntraOnly(ping) && pubsub.IntraOnly(pong) })
	}
	b.ReportAllocs()
	b.ResetTimer()
	begin = pubsub.Monotonic()
	if err := ping.PublishOwned(m); err != nil {
		b.Fatal(err)
	}
	<-done
	b.StopTimer()
	slices.Sort(times)
	for _, p := range []struct {
		unit string
		part float64
	}{{"p50-ns", .5}, {"p99-ns", .99}} {
		b.ReportMetric(float64(times[int(p.part*float64(len(times)-1))]), p.unit)
	}
}
