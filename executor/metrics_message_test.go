package executor_test

import (
	"context"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/statistics_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

func TestPublishStatistics(t *testing.T) {
	e := newExecutor(t)
	n, sender := newNode(t, "measured", pubsub.WithScheduler(e)), newNode(t, "sender")
	subscribe(t, n, "chatter", keepAll, func(*std_msgs.Int32) {})
	got := make(chan *statistics_msgs.MetricsMessage, 1000)
	_, err := pubsub.NewSubscription(sender, executor.StatisticsTopic, keepAll, func(m *statistics_msgs.MetricsMessage, _ *pubsub.MessageInfo) {
		got <- m.Clone()
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, e)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- e.PublishStatistics(ctx, n, 10*time.Millisecond) }()
	receive(t, got) // somebody listens: none of the windows that count will be missed
	send(t, publisher(t, sender, "chatter", keepAll), 1, 2, 3, 4)
	counts := map[string]float64{}
	for counts["message_age"] < 4 || counts["message_period"] < 3 || counts["queue_wait"] < 4 || counts["callback_duration"] < 4 {
		m := receive(t, got)
		if m.MeasurementSourceName != "measured /chatter" || m.Unit != "ms" || len(m.Statistics) != 5 || m.WindowStart.Sec == 0 {
			t.Fatalf("got %v", m)
		}
		if kind := m.Statistics[3]; kind.DataType != statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_SAMPLE_COUNT {
			t.Fatalf("got %v", m)
		}
		counts[m.MetricsSource] += m.Statistics[3].Data
	}
	if len(counts) != 4 {
		t.Errorf("metrics %v", counts)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := e.PublishStatistics(ctx, n, 0); err == nil {
		t.Error("a period of 0 is accepted")
	}
}
