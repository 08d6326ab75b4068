package executor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/msgs/statistics_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// StatisticsTopic is where ROS 2 programs publish topic statistics by default.
const StatisticsTopic = "/statistics"

// PublishStatistics publishes on StatisticsTopic, in every period, what happened in that period, until
// ctx ends; then it returns nil. It is to be called in a goroutine of its own.
//
// Each message is one metric of one source. As the message type has no field for a topic, it stands
// behind the node's name in measurement_source_name; what is not about a subscription has the name of
// the given node. The name of the metric is in metrics_source:
//
//	arm /left/joint_states   message_age, message_period, queue_wait, callback_duration; drops, deadline_misses, overruns
//	arm timer step           wakeup_jitter, callback_duration; skips, deadline_misses, overruns
//	arm lane control         wakeup_jitter, callback_duration; drops, deadline_misses, overruns
//	arm chain reflex         end_to_end; deadline_misses
//
// Those before the semicolon are times in ms, in the form of ROS 2's topic statistics: average, minimum,
// maximum, standard deviation and sample count, NaN where there was no sample. The age counts from the
// source time, not from a stamp in the message. wakeup_jitter is by how much later a callback started
// than it could have: than its message arrived, or than its timer was due. What a lane has is that of all
// its topics and timers together.
//
// Those behind it, in unit "1", have the sample count alone: how often it happened in the period.
// deadline_misses and a topic's overruns are there where the plan has a deadline or a budget. overruns
// of a timer are callbacks that ended after the next was due.
func (e *Executor) PublishStatistics(ctx context.Context, node *pubsub.Node, period time.Duration) error {
	if period <= 0 {
		return fmt.Errorf("publish statistics: period %v is not positive", period)
	}
	p, err := pubsub.NewPublisher[statistics_msgs.MetricsMessage](node, StatisticsTopic, pubsub.DefaultQoS(), pubsub.WithPublisherInEveryPart())
	if err != nil {
		return fmt.Errorf("publish statistics: %w", err)
	}
	defer p.Close()
	s := newStatistician(e, node.Name())
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			// What cannot be sent now is no reason to end: the next window follows.
			if err := s.turn(p.Publish); err != nil && !errors.Is(err, pubsub.ErrTimeout) {
				return fmt.Errorf("publish statistics: %w", err)
			}
		}
	}
}
