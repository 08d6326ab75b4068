package executor_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/statistics_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// What the plan promises nothing about is not published, all else is, and lanes have the sums.
func TestPublishStatistics(t *testing.T) {
	e := newExecutor(t, executor.WithPlan(executor.Plan{
		Lanes:  []executor.Lane{{Name: "control", Mode: executor.Woken, Topics: []string{"/command"}, Timers: []string{"step"}}},
		Topics: []executor.Topic{{Name: "/command", Budget: time.Nanosecond, Deadline: time.Nanosecond}},
		Timers: []executor.Topic{{Name: "step", Budget: time.Nanosecond, Deadline: time.Nanosecond}},
		Chains: []executor.Chain{{Name: "reflex", Topics: []string{"/chatter", "/command"}, Deadline: time.Nanosecond}},
	}))
	n, sender := newNode(t, "measured", pubsub.WithScheduler(e)), newNode(t, "sender")
	subscribe(t, n, "chatter", keepAll, func(*std_msgs.Int32) {})
	subscribe(t, n, "command", keepAll, func(*std_msgs.Int32) { time.Sleep(time.Millisecond) })
	timer, err := e.NewTimer("step", 20*time.Millisecond, func(*executor.TimerInfo) { time.Sleep(time.Millisecond) })
	if err != nil {
		t.Fatal(err)
	}
	defer timer.Close()
	got := make(chan *statistics_msgs.MetricsMessage, 1000)
	_, err = pubsub.NewSubscription(sender, executor.StatisticsTopic, keepAll, func(m *statistics_msgs.MetricsMessage, _ *pubsub.MessageInfo) {
		got <- m.Clone()
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, e)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- e.PublishStatistics(ctx, n, 50*time.Millisecond) }()
	receive(t, got) // somebody listens: none of the windows that count will be missed
	for _, topic := range []string{"chatter", "command"} {
		send(t, publisher(t, sender, topic, keepAll), 1, 2, 3, 4)
	}
	want := map[string]float64{ // at least
		"measured /chatter message_age": 4, "measured /chatter message_period": 3, "measured /chatter queue_wait": 4,
		"measured /chatter callback_duration": 4, "measured /chatter drops": 0,
		"measured /command message_age": 4, "measured /command message_period": 3, "measured /command queue_wait": 4,
		"measured /command callback_duration": 4, "measured /command drops": 0,
		"measured /command deadline_misses": 4, "measured /command overruns": 4,
		"measured timer step wakeup_jitter": 1, "measured timer step callback_duration": 1, "measured timer step skips": 0,
		"measured timer step deadline_misses": 1, "measured timer step overruns": 0,
		"measured lane control wakeup_jitter": 5, "measured lane control callback_duration": 5, "measured lane control drops": 0,
		"measured lane control deadline_misses": 5, "measured lane control overruns": 4,
		"measured chain reflex end_to_end": 4, "measured chain reflex deadline_misses": 4,
	}
	counts := map[string]float64{}
	reached := func() bool {
		for name, n := range want {
			if count, ok := counts[name]; !ok || count < n {
				return false
			}
		}
		return true
	}
	for !reached() {
		m := receive(t, got)
		count := m.Statistics[0]
		switch m.Unit {
		case "ms":
			if len(m.Statistics) != 5 {
				t.Fatalf("got %v", m)
			}
			count = m.Statistics[3]
		case "1":
			if len(m.Statistics) != 1 {
				t.Fatalf("got %v", m)
			}
		default:
			t.Fatalf("got %v", m)
		}
		if count.DataType != statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_SAMPLE_COUNT || m.WindowStart.Sec == 0 {
			t.Fatalf("got %v", m)
		}
		counts[m.MeasurementSourceName+" "+m.MetricsSource] += count.Data
	}
	for name := range maps.Keys(counts) {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is published", name)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	eventually(t, func() bool { // it goes on, and counts the one before the other
		s := e.Stats().Timers[0]
		return s.DeadlineMisses > 0 && s.OverBudget == s.DeadlineMisses
	})
	if err := e.PublishStatistics(ctx, n, 0); err == nil {
		t.Error("a period of 0 is accepted")
	}
}
