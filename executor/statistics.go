package executor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/pinion-ros/pinion/msgs/statistics_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// StatisticsTopic is where ROS 2 programs publish topic statistics by default.
const StatisticsTopic = "/statistics"

// PublishStatistics publishes on StatisticsTopic, in every period, statistics of that period for each
// subscription of the executor, until ctx ends; then it returns nil. It is to be called in a goroutine
// of its own.
//
// The messages are those of ROS 2's topic statistics: metrics "message_age" and "message_period" in ms,
// with average, minimum, maximum, standard deviation and sample count, NaN where there was no sample.
// "queue_wait" and "callback_duration" come in the same form. The age counts from the source time, not
// from a stamp in the message. As the message type has no field for the topic, it stands behind the
// node's name in measurement_source_name: "arm_controller /left/joint_states".
func (e *Executor) PublishStatistics(ctx context.Context, node *pubsub.Node, period time.Duration) error {
	if period <= 0 {
		return fmt.Errorf("publish statistics: period %v is not positive", period)
	}
	p, err := pubsub.NewPublisher[statistics_msgs.MetricsMessage](node, StatisticsTopic, pubsub.DefaultQoS())
	if err != nil {
		return fmt.Errorf("publish statistics: %w", err)
	}
	defer p.Close()
	s := statistician{executor: e, windows: map[*topicStats]*topicWindows{}}
	s.turn(time.Now(), func(*statistics_msgs.MetricsMessage) error { return nil })
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			// What cannot be sent now is no reason to end: the next window follows.
			if err := s.turn(now, p.Publish); err != nil && !errors.Is(err, pubsub.ErrTimeout) {
				return fmt.Errorf("publish statistics: %w", err)
			}
		}
	}
}

// A statistician remembers where windows began.
type statistician struct {
	executor *Executor
	windows  map[*topicStats]*topicWindows
	start    time.Time
}

// turn ends a window and begins the next.
func (s *statistician) turn(now time.Time, publish func(*statistics_msgs.MetricsMessage) error) error {
	var errs []error
	windows := make(map[*topicStats]*topicWindows, len(s.windows))
	for _, t := range s.executor.topicList() {
		w := s.windows[t]
		if w == nil {
			w = new(topicWindows)
		}
		windows[t] = w
		for i, metric := range topicMetrics {
			m := message(w[i].advance(metric.of(t)))
			m.MeasurementSourceName = t.receiver.Node().Name() + " " + t.receiver.Topic()
			m.MetricsSource, m.Unit = metric.name, "ms"
			m.WindowStart.Sec, m.WindowStart.Nanosec = stamp(s.start)
			m.WindowStop.Sec, m.WindowStop.Nanosec = stamp(now)
			errs = append(errs, publish(m))
		}
	}
	s.windows, s.start = windows, now
	return errors.Join(errs...)
}

func (e *Executor) topicList() []*topicStats {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := make([]*topicStats, 0, len(e.topics))
	for _, t := range e.topics {
		list = append(list, t)
	}
	return list
}

var topicMetrics = [...]struct {
	name string
	of   func(*topicStats) *recorder
}{
	{"message_age", func(t *topicStats) *recorder { return &t.latency }},
	{"message_period", func(t *topicStats) *recorder { return &t.period }},
	{"queue_wait", func(t *topicStats) *recorder { return &t.wait }},
	{"callback_duration", func(t *topicStats) *recorder { return &t.duration }},
}

type topicWindows [len(topicMetrics)]window

// A window is the counts of a recorder at its beginning.
type window [buckets]uint64

// summary is about the durations that a window saw, in ns.
type summary struct {
	count                  uint64
	mean, min, max, stddev float64
}

// advance sums up what was recorded since the last call, and begins a new window.
func (w *window) advance(r *recorder) summary {
	s := summary{min: math.NaN(), max: math.NaN()}
	var mean, squares float64 // Welford's algorithm, with weights
	for b := range w {
		total := r.buckets[b].Load()
		n := total - w[b]
		w[b] = total
		if n == 0 {
			continue
		}
		v := float64(value(b))
		if s.count == 0 {
			s.min = v
		}
		s.max = v
		s.count += n
		d := v - mean
		mean += d * float64(n) / float64(s.count)
		squares += d * (v - mean) * float64(n)
	}
	s.mean, s.stddev = mean, math.Sqrt(squares/float64(s.count))
	if s.count == 0 {
		s.mean, s.stddev = math.NaN(), math.NaN()
	}
	return s
}

func message(s summary) *statistics_msgs.MetricsMessage {
	point := func(kind uint8, ns float64) statistics_msgs.StatisticDataPoint {
		return statistics_msgs.StatisticDataPoint{DataType: kind, Data: ns / 1e6}
	}
	return &statistics_msgs.MetricsMessage{Statistics: []statistics_msgs.StatisticDataPoint{
		point(statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_AVERAGE, s.mean),
		point(statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_MAXIMUM, s.max),
		point(statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_MINIMUM, s.min),
		{DataType: statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_SAMPLE_COUNT, Data: float64(s.count)},
		point(statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_STDDEV, s.stddev),
	}}
}

// stamp splits a time as builtin_interfaces/Time does.
func stamp(t time.Time) (sec int32, nanosec uint32) {
	return int32(t.Unix()), uint32(t.Nanosecond())
}
