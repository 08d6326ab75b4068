package executor_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/statistics_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// A wallClock is one that is set.
type wallClock struct{ offset atomic.Int64 }

func (c *wallClock) now() time.Time { return time.Now().Add(time.Duration(c.offset.Load())).Round(0) }

// When the wall clock is set, timers go on, latencies stay what they can be, deadlines are not missed by
// messages that were under way, and windows of statistics are as long as they were.
func TestWallClockSteps(t *testing.T) {
	var clock wallClock
	const deadline, hour = 30 * time.Second, time.Hour
	e := newExecutor(t, executor.WithWallClock(clock.now), executor.WithPlan(executor.Plan{
		Lanes:  []executor.Lane{{Name: "lane", Mode: executor.Woken, Topics: []string{"/on_lane"}, Timers: []string{"on_lane"}}},
		Chains: []executor.Chain{{Name: "lane", Topics: []string{"/on_lane", "/on"}, Deadline: deadline}, {Name: "pool", Topics: []string{"/in_pool", "/on"}, Deadline: deadline}},
	}))
	n, sender := newNode(t, "stepped", pubsub.WithScheduler(e)), newNode(t, "sender")
	got := make(chan int32, 100)
	var pubs []*pubsub.Publisher[std_msgs.Int32]
	var ticks [2]atomic.Int64
	begin := time.Now()
	for i, name := range []string{"on_lane", "in_pool"} {
		subscribe(t, n, name, keepAll, func(m *std_msgs.Int32) { got <- m.Data })
		pubs = append(pubs, publisher(t, sender, name, keepAll))
		timer, err := e.NewTimer(name, 5*time.Millisecond, func(*executor.TimerInfo) { ticks[i].Add(1) })
		if err != nil {
			t.Fatal(err)
		}
		defer timer.Close()
	}
	var windows, bad atomic.Int64
	_, err := pubsub.NewSubscription(sender, executor.StatisticsTopic, keepAll, func(m *statistics_msgs.MetricsMessage, _ *pubsub.MessageInfo) {
		windows.Add(1)
		length := time.Duration(m.WindowStop.Sec-m.WindowStart.Sec)*time.Second + time.Duration(m.WindowStop.Nanosec) - time.Duration(m.WindowStart.Nanosec)
		if length <= 0 || length > deadline {
			bad.Add(1)
		}
		for _, s := range m.Statistics {
			if s.DataType != statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_SAMPLE_COUNT && (s.Data < 0 || s.Data > float64(deadline.Milliseconds())) {
				bad.Add(1)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, e)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- e.PublishStatistics(ctx, n, 20*time.Millisecond) }()
	var sent int64
	send := func(source time.Time) {
		for _, p := range pubs {
			if err := p.PublishAt(&std_msgs.Int32{}, source); err != nil {
				t.Fatal(err)
			}
			receive(t, got)
		}
		sent++
		eventually(t, func() bool { // a message is counted behind its callback
			return !slices.ContainsFunc(e.Stats().Topics, func(topic executor.TopicStats) bool { return topic.Duration.TotalCount() < sent })
		})
	}
	steps := []time.Duration{hour, -hour, 30 * 24 * hour, -2 * time.Second, 0}
	send(clock.now())
	for _, offset := range steps {
		before := clock.now()
		clock.offset.Store(int64(offset))
		seen := [3]int64{ticks[0].Load(), ticks[1].Load(), windows.Load()}
		eventually(t, func() bool {
			return ticks[0].Load() > seen[0]+2 && ticks[1].Load() > seen[1]+2 && windows.Load() > seen[2]+2
		})
		send(before) // was under way
		send(clock.now())
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	s := e.Stats()
	due := uint64(time.Since(begin)/(5*time.Millisecond)) + 1
	for _, topic := range s.Topics {
		// Of the five under way, two look older than what is measured, two are from the future, and one is 2 s old.
		if n := uint64(topic.Latency.TotalCount()); topic.Skewed != 4 || n != topic.Received-2 || time.Duration(topic.Latency.Max()) > deadline {
			t.Errorf("%s: %d of %d messages have a latency of up to %v, %d are skewed", topic.Topic, n, topic.Received, time.Duration(topic.Latency.Max()), topic.Skewed)
		}
	}
	for _, c := range s.Chains {
		if c.DeadlineMisses > 0 || c.EndToEnd().TotalCount() < int64(1+2*len(steps)-2) {
			t.Errorf("chain %s: %d deadlines missed, %d latencies", c.Name, c.DeadlineMisses, c.EndToEnd().TotalCount())
		}
	}
	for _, timer := range s.Timers {
		if n := uint64(timer.Duration.TotalCount()); n+timer.Skipped > due {
			t.Errorf("timer %s: %d calls and %d skipped, %d were due", timer.Name, n, timer.Skipped, due)
		}
	}
	if bad.Load() > 0 {
		t.Errorf("%d times what statistics tell cannot be", bad.Load())
	}
}
