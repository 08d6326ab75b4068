//go:build long

package reliability

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

var minutes = flag.Int("minutes", 10, "how long the load lasts at full size, at least 4")

// A load is many messages on many topics, of which some are on lanes.
type load struct {
	Discovery pubsub.Discovery
	Topics    int
	Lanes     int // with one topic each
	Inline    int // of the lanes; the others are woken
	Rate      int // messages per second, of all topics
	Size      int
}

func (l *load) topic(i int) string { return fmt.Sprintf("/load/topic_%d", i) }

// taken is what a receiver has had since it was asked last.
type taken struct {
	Received uint64
	Stats    pubsub.ReceiverStats // of all topics, since the beginning
	Lanes    *measure.Histogram
	Pool     *measure.Histogram
}

// A meter records latencies; callbacks of several threads use it.
type meter struct {
	mu sync.Mutex
	h  *measure.Histogram
}

func (m *meter) message(a *std_msgs.UInt8MultiArray, _ *pubsub.MessageInfo) {
	now := pubsub.Monotonic()
	if len(a.Data) < 8 {
		return // shows as missing
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.h.Record(now - int64(binary.LittleEndian.Uint64(a.Data)))
}

// reset returns what there is and begins anew.
func (m *meter) reset() *measure.Histogram {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.h
	m.h = measure.NewHistogram()
	return h
}

// receiveLoad is the role of the receiver. It says "ready" and answers each "ask" with "taken".
func receiveLoad(c *console) error {
	var l load
	if err := c.hear("config", &l); err != nil {
		return err
	}
	var plan executor.Plan
	for i := range l.Lanes {
		lane := executor.Lane{Name: fmt.Sprint("lane_", i), Topics: []string{l.topic(i)}, Mode: executor.Woken}
		if i < l.Inline {
			lane.Mode = executor.Inline
		}
		plan.Lanes = append(plan.Lanes, lane)
	}
	ex, err := executor.New(executor.WithPlan(plan), executor.WithWorkers(2))
	if err != nil {
		return err
	}
	node, err := pubsub.NewNode("receiver", pubsub.WithDiscovery(l.Discovery), pubsub.WithRosout(false), pubsub.WithScheduler(ex))
	if err != nil {
		return err
	}
	lanes, pool := &meter{h: measure.NewHistogram()}, &meter{h: measure.NewHistogram()}
	var subs []*pubsub.Subscription[std_msgs.UInt8MultiArray]
	for i := range l.Topics {
		m := pool
		if i < l.Lanes {
			m = lanes
		}
		s, err := pubsub.NewSubscription(node, l.topic(i), pubsub.DefaultQoS().KeepLast(100), m.message)
		if err != nil {
			return err
		}
		subs = append(subs, s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ran := make(chan error, 1)
	go func() { ran <- ex.Run(ctx) }()
	if err := c.say("ready", nil); err != nil {
		return err
	}
	for {
		switch err := c.hear("ask", nil); {
		case errors.Is(err, io.EOF):
			cancel()
			return errors.Join(<-ran, node.Close(), ex.Close())
		case err != nil:
			return err
		}
		t := taken{Lanes: lanes.reset(), Pool: pool.reset()}
		t.Received = uint64(t.Lanes.Count() + t.Pool.Count())
		for _, s := range subs {
			stats := s.Stats()
			t.Stats.Received += stats.Received
			t.Stats.Lost += stats.Lost
			t.Stats.Overwritten += stats.Overwritten
		}
		if err := c.say("taken", t); err != nil {
			return err
		}
	}
}

// sendLoad is the role of the sender. It says "sending" when all its publishers have a subscriber, hears
// "end" and says "published" with the number of messages.
func sendLoad(c *console) error {
	var l load
	if err := c.hear("config", &l); err != nil {
		return err
	}
	node, err := pubsub.NewNode("sender", pubsub.WithDiscovery(l.Discovery), pubsub.WithRosout(false))
	if err != nil {
		return err
	}
	defer node.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	pubs := make([]*pubsub.Publisher[std_msgs.UInt8MultiArray], l.Topics)
	for i := range pubs {
		if pubs[i], err = pubsub.NewPublisher[std_msgs.UInt8MultiArray](node, l.topic(i), pubsub.DefaultQoS().KeepLast(100)); err != nil {
			return err
		}
	}
	for _, p := range pubs {
		if err := p.WaitForSubscribers(ctx, 1); err != nil {
			return err
		}
	}
	m := (&stream{Size: l.Size}).message()
	publish := func(p *pubsub.Publisher[std_msgs.UInt8MultiArray]) error {
		binary.LittleEndian.PutUint64(m.Data, uint64(pubsub.Monotonic()))
		return p.Publish(m)
	}
	// What is missing before the first message that arrives is missed by nobody.
	for _, p := range pubs {
		if err := errors.Join(publish(p), p.WaitForAcknowledgements(ctx)); err != nil {
			return err
		}
	}
	done := make(chan error, 1)
	go func() { done <- c.hear("end", nil) }()
	if err := c.say("sending", nil); err != nil {
		return err
	}
	for n, begin := l.Topics, time.Now(); ; {
		for due := l.Topics + int(time.Since(begin).Seconds()*float64(l.Rate)); n < due; n++ {
			if err := publish(pubs[n%l.Topics]); err != nil && !errors.Is(err, pubsub.ErrTimeout) {
				return err
			}
		}
		select {
		case err := <-done:
			return errors.Join(err, c.say("published", n), untilEOF(c))
		case <-time.After(time.Millisecond):
		}
	}
}

// Under load for long, a process takes no more of anything, and its latency stays what it was.
func TestLoad(t *testing.T) {
	table := kept.table(t, "load", "after", "received", "lost", "overwritten", "lanes, median", "99 %", "99.9 %", "pool, median", "99 %", "99.9 %",
		"receiver's memory", "threads", "descriptors", "sender's memory")
	l := load{Discovery: pubsubtest.NewDomain(t).Discovery(), Topics: 64, Lanes: 32, Inline: 4, Rate: 2000, Size: 64}
	l.Discovery.MaxParticipants = 2 * l.Lanes // each lane has one
	intervals, interval := 6, 5*time.Second
	if *full {
		l.Rate, intervals, interval = 10_000, *minutes, time.Minute
	}
	receiver := start(t, nil, "receive load", l)
	receiver.hear(t, time.Minute, "ready", nil)
	sender := start(t, nil, "send load", l)
	sender.hear(t, 3*time.Minute, "sending", nil)
	var memory []float64
	var first, now usage
	var all taken
	for i := range intervals {
		time.Sleep(interval)
		all = taken{}
		receiver.say(t, "ask", nil)
		receiver.hear(t, time.Minute, "taken", &all)
		now = usageOf(t, receiver.cmd.Process.Pid)
		// The first third is for what is made once, such as a thread for each callback that may block.
		if i == intervals/3 {
			first = now
		}
		if i >= intervals/3 {
			memory = append(memory, float64(now.Memory))
		}
		table.add(time.Duration(i+1)*interval, all.Received, all.Stats.Lost, all.Stats.Overwritten,
			latency(all.Lanes, 0.5), latency(all.Lanes, 0.99), latency(all.Lanes, 0.999), latency(all.Pool, 0.5), latency(all.Pool, 0.99), latency(all.Pool, 0.999),
			megabytes(now.Memory), now.Threads, now.Files, megabytes(usageOf(t, sender.cmd.Process.Pid).Memory))
	}
	var published uint64
	sender.say(t, "end", nil)
	sender.hear(t, time.Minute, "published", &published)
	until(t, "all messages", func() bool {
		receiver.say(t, "ask", nil)
		receiver.hear(t, time.Minute, "taken", &all)
		return all.Stats.Received+all.Stats.Lost+all.Stats.Overwritten >= published
	})
	if grown := now.Memory - first.Memory; grown > 16<<20 {
		t.Errorf("the receiver's memory grew by %s", megabytes(grown))
	}
	if now.Threads > first.Threads+4 || now.Files > first.Files { // Go keeps threads
		t.Errorf("%+v became %+v", first, now)
	}
	table.add("memory's slope per minute", fmt.Sprintf("%.0f kB", slope(memory)/1e3*float64(time.Minute/time.Second)/interval.Seconds()), "", "", "", "", "", "", "", "", "", "", "", "")
}

func latency(h *measure.Histogram, q float64) string {
	if v, ok := h.Quantile(q); ok {
		return time.Duration(v).Round(time.Microsecond).String()
	}
	return ""
}

// slope is that of the line through equidistant values (least squares).
func slope(values []float64) float64 {
	var mean, covariance, variance float64
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for i, v := range values {
		x := float64(i) - float64(len(values)-1)/2
		covariance += x * (v - mean)
		variance += x * x
	}
	return covariance / variance
}

// A crowd is many topics, nodes and subscriptions of one process.
type crowd struct {
	Discovery                    pubsub.Discovery
	Nodes, Topics, Subscriptions int // on each node, on each topic
}

// gather is the role of a process with a crowd, in which each topic has a publisher, and each
// subscription gets what that publishes once. It says "gathered", hears "end" and says "left" when all is
// closed.
func gather(c *console) error {
	var d crowd
	if err := c.hear("config", &d); err != nil {
		return err
	}
	var nodes []*pubsub.Node
	var pubs []*pubsub.Publisher[std_msgs.String]
	var heard sync.WaitGroup
	for i := range d.Nodes {
		node, err := pubsub.NewNode(fmt.Sprint("node_", i), pubsub.WithDiscovery(d.Discovery), pubsub.WithRosout(false))
		if err != nil {
			return err
		}
		nodes = append(nodes, node)
		for j := range d.Topics {
			topic := fmt.Sprintf("/crowd_%d_%d", i, j)
			for range d.Subscriptions {
				heard.Add(1)
				if _, err := pubsub.NewSubscription(node, topic, pubsub.DefaultQoS(), func(*std_msgs.String, *pubsub.MessageInfo) { heard.Done() }); err != nil {
					return err
				}
			}
			p, err := pubsub.NewPublisher[std_msgs.String](node, topic, pubsub.DefaultQoS())
			if err != nil {
				return err
			}
			pubs = append(pubs, p)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for _, p := range pubs {
		if err := errors.Join(p.WaitForSubscribers(ctx, d.Subscriptions), p.Publish(&std_msgs.String{Data: "x"})); err != nil {
			return err
		}
	}
	heard.Wait()
	if err := errors.Join(c.say("gathered", nil), c.hear("end", nil)); err != nil {
		return err
	}
	for _, n := range nodes {
		if err := n.Close(); err != nil {
			return err
		}
	}
	return errors.Join(c.say("left", nil), untilEOF(c))
}

// Many topics, nodes and subscriptions work, and threads and descriptors do not add up with them.
func TestCrowd(t *testing.T) {
	table := kept.table(t, "crowd", "nodes", "topics", "subscriptions", "until all have had a message", "memory", "threads", "descriptors", "until all are closed")
	crowds := []crowd{{Nodes: 1, Topics: 1, Subscriptions: 1}, {Nodes: 1, Topics: 200, Subscriptions: 1}, {Nodes: 100, Topics: 1, Subscriptions: 1}, {Nodes: 1, Topics: 1, Subscriptions: 50}}
	if *full {
		crowds[1].Topics = 1000
	}
	var one usage
	for i, c := range crowds {
		c.Discovery = pubsubtest.NewDomain(t).Discovery()
		begin := time.Now()
		w := start(t, nil, "gather", c)
		w.hear(t, 6*time.Minute, "gathered", nil)
		took, u := time.Since(begin), usageOf(t, w.cmd.Process.Pid)
		if i == 0 {
			one = u
		}
		if u.Threads > one.Threads+8 || u.Files > one.Files+8 { // of Go, by the number of calls at once
			t.Errorf("%+v: %+v, where there is one of each %+v", c, u, one)
		}
		begin = time.Now()
		w.say(t, "end", nil)
		w.hear(t, 5*time.Minute, "left", nil)
		table.add(c.Nodes, c.Nodes*c.Topics, c.Nodes*c.Topics*c.Subscriptions, took.Round(time.Millisecond), megabytes(u.Memory), u.Threads, u.Files,
			time.Since(begin).Round(time.Millisecond))
	}
}
