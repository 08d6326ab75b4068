//go:build long

package reliability

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/statistics_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// ownTime is what a process saw whose wall clock, as Go sees it, was set.
type ownTime struct {
	Ticks               ticks
	Published, Received int
	Skewed              uint64
	Latency             time.Duration // the longest
	Misses              uint64        // of chains' deadlines
	Windows             int           // of statistics
	Shortest, Longest   time.Duration // of them
}

// ownDeadline is much longer than messages take, and much shorter than most of the steps.
const ownDeadline = 30 * time.Second

// keepOwnTime is the role of a process that sets its wall clock once a second while messages come and timers
// run on a lane and in the pool. It says "told".
func keepOwnTime(c *console) error {
	var d pubsub.Discovery
	if err := c.hear("config", &d); err != nil {
		return err
	}
	var offset atomic.Int64
	wall := func() time.Time { return time.Now().Add(time.Duration(offset.Load())).Round(0) }
	topics := []string{"/on_lane", "/in_pool"}
	plan := executor.Plan{Lanes: []executor.Lane{{Name: "lane", Mode: executor.Woken, Topics: topics[:1], Timers: []string{"/on_lane"}}}}
	for _, topic := range topics {
		plan.Chains = append(plan.Chains, executor.Chain{Name: topic[1:], Topics: []string{topic, "/end"}, Deadline: ownDeadline})
	}
	ex, err := executor.New(executor.WithPlan(plan), executor.WithWallClock(wall))
	if err != nil {
		return err
	}
	node, err1 := pubsub.NewNode("stepped", pubsub.WithDiscovery(d), pubsub.WithRosout(false), pubsub.WithScheduler(ex))
	sender, err2 := pubsub.NewNode("sender", pubsub.WithDiscovery(d), pubsub.WithRosout(false))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	var o ownTime
	var pubs []*pubsub.Publisher[std_msgs.Int32]
	var received atomic.Int64
	all := pubsub.DefaultQoS().KeepAll().TransientLocal() // nothing is lost while all get to know each other
	for _, topic := range topics {
		_, err1 := pubsub.NewSubscription(node, topic, all, func(*std_msgs.Int32, *pubsub.MessageInfo) { received.Add(1) })
		p, err2 := pubsub.NewPublisher[std_msgs.Int32](sender, topic, all)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		pubs = append(pubs, p)
	}
	_, err = pubsub.NewSubscription(sender, executor.StatisticsTopic, pubsub.DefaultQoS().KeepAll(), o.window)
	onLane, err1 := ex.NewTimer("/on_lane", tickPeriod, func(i *executor.TimerInfo) { o.Ticks.Lane++; o.Ticks.LaneSkipped += int(i.Skipped) })
	inPool, err2 := ex.NewTimer("/in_pool", tickPeriod, func(i *executor.TimerInfo) { o.Ticks.Pool++; o.Ticks.PoolSkipped += int(i.Skipped) })
	if err := errors.Join(err, err1, err2); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ran := make(chan error, 2)
	begin := pubsub.Monotonic()
	go func() { ran <- ex.Run(ctx) }()
	go func() { ran <- ex.PublishStatistics(ctx, node, 100*time.Millisecond) }()
	publish := func(source time.Time) (err error) {
		for _, p := range pubs {
			err = errors.Join(err, p.PublishAt(&std_msgs.Int32{}, source))
			o.Published++
		}
		return err
	}
	// A message that is under way looks older or younger after a step; it is counted behind its callback.
	settle := func() {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if !slices.ContainsFunc(ex.Stats().Topics, func(s executor.TopicStats) bool { return s.Duration.TotalCount() < int64(o.Published/len(pubs)) }) {
				return
			}
		}
	}
	for _, to := range steps {
		for range 100 {
			if err := publish(wall()); err != nil {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
		settle()
		before := wall()
		offset.Store(int64(to))
		time.Sleep(10 * time.Millisecond) // longer than the executor takes the clock for what it was
		if err := publish(before); err != nil {
			return err
		}
	}
	settle()
	o.Ticks.Due = int(time.Duration(pubsub.Monotonic()-begin) / tickPeriod)
	cancel()
	if err := errors.Join(<-ran, <-ran, onLane.Close(), inPool.Close()); err != nil {
		return err
	}
	stats := ex.Stats()
	if err := errors.Join(sender.Close(), node.Close(), ex.Close()); err != nil {
		return err
	}
	o.Received = int(received.Load())
	o.sum(&stats)
	return errors.Join(c.say("told", o), untilEOF(c))
}

// window notes what statistics say, in one callback at a time.
func (o *ownTime) window(m *statistics_msgs.MetricsMessage, _ *pubsub.MessageInfo) {
	length := time.Duration(m.WindowStop.Sec-m.WindowStart.Sec)*time.Second + time.Duration(m.WindowStop.Nanosec) - time.Duration(m.WindowStart.Nanosec)
	if o.Windows++; o.Windows == 1 {
		o.Shortest = length
	}
	o.Shortest, o.Longest = min(o.Shortest, length), max(o.Longest, length)
}

func (o *ownTime) sum(s *executor.Stats) {
	for _, t := range s.Topics {
		o.Skewed += t.Skewed
		o.Latency = max(o.Latency, time.Duration(t.Latency.Max()))
	}
	for _, c := range s.Chains {
		o.Misses += c.DeadlineMisses
	}
}
