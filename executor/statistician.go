package executor

import (
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/pinion-ros/pinion/msgs/statistics_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// A statistician publishes what happened since its last turn.
type statistician struct {
	executor *Executor
	node     string
	turned   int64 // monotonic

	// Where the recorders and the counters stood then. What has gone is in neither after the next turn.
	windows map[metric]*window
	counts  map[metric]uint64
}

// A metric is one of a subscription, a timer or a chain.
type metric struct {
	of   any
	name string
}

func newStatistician(e *Executor, node string) *statistician {
	s := &statistician{executor: e, node: node}
	// Nothing can fail: what was before the first window is not published.
	_ = s.turn(func(*statistics_msgs.MetricsMessage) error { return nil })
	return s
}

// turn ends a window and begins the next. Windows are as long as they were, whatever was done to the wall
// clock meanwhile.
func (s *statistician) turn(publish func(*statistics_msgs.MetricsMessage) error) error {
	now, stop := pubsub.Monotonic(), s.executor.wall()
	r := &round{statistician: s, windows: map[metric]*window{}, counts: map[metric]uint64{}, lanes: map[string]*laneWindow{}, publish: publish,
		start: stop.Add(time.Duration(s.turned - now)), stop: stop}
	topics, timers := s.executor.members()
	for _, l := range s.executor.allLanes() {
		r.lanes[l.plan.Name] = new(laneWindow)
	}
	for _, t := range topics {
		r.topic(t)
	}
	for _, t := range timers {
		r.timer(t)
	}
	for _, name := range slices.Sorted(maps.Keys(r.lanes)) {
		r.lane(name, r.lanes[name])
	}
	for _, c := range s.executor.chains {
		r.chain(c)
	}
	s.windows, s.counts, s.turned = r.windows, r.counts, now
	return errors.Join(r.errs...)
}

// members lists what has callbacks.
func (e *Executor) members() (topics []*topicStats, timers []*Timer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Values(e.topics)), slices.Collect(maps.Values(e.timers))
}

// A round is one turn under way.
type round struct {
	*statistician
	windows map[metric]*window
	counts  map[metric]uint64
	lanes   map[string]*laneWindow
	start   time.Time
	stop    time.Time
	publish func(*statistics_msgs.MetricsMessage) error
	errs    []error
}

// A laneWindow sums up a lane's topics and timers.
type laneWindow struct {
	jitter, duration        summary
	drops, misses, overruns uint64
	deadline, budget        bool // something has one
}

func (r *round) topic(t *topicStats) {
	source := t.receiver.Node().Name() + " " + t.receiver.Topic()
	wait, duration := r.window(t, "queue_wait", &t.wait), r.window(t, "callback_duration", &t.duration)
	r.times(source, "message_age", r.window(t, "message_age", &t.latency))
	r.times(source, "message_period", r.window(t, "message_period", &t.period))
	r.times(source, "queue_wait", wait)
	r.times(source, "callback_duration", duration)
	stats := t.receiver.Stats()
	drops := r.count(t, "drops", stats.Lost+stats.Overwritten+stats.Malformed)
	misses, overruns := r.count(t, "deadline_misses", t.misses.Load()), r.count(t, "overruns", t.overruns.count.Load())
	deadline, budget := t.plan.Deadline > 0, t.plan.Budget > 0
	r.events(source, "drops", drops, true)
	r.events(source, "deadline_misses", misses, deadline)
	r.events(source, "overruns", overruns, budget)
	if l := r.lanes[t.laneName()]; l != nil {
		l.jitter.add(wait)
		l.duration.add(duration)
		l.drops, l.misses, l.overruns = l.drops+drops, l.misses+misses, l.overruns+overruns
		l.deadline, l.budget = l.deadline || deadline, l.budget || budget
	}
}

func (r *round) timer(t *Timer) {
	source := r.node + " timer " + t.name
	jitter, duration := r.window(t, "wakeup_jitter", &t.jitter), r.window(t, "callback_duration", &t.duration)
	r.times(source, "wakeup_jitter", jitter)
	r.times(source, "callback_duration", duration)
	misses, overruns := r.count(t, "deadline_misses", t.misses.Load()), r.count(t, "overruns", t.overruns.Load())
	r.events(source, "skips", r.count(t, "skips", t.skips.Load()), true)
	r.events(source, "deadline_misses", misses, t.plan.Deadline > 0)
	r.events(source, "overruns", overruns, true)
	if l := r.lanes[t.lane]; l != nil {
		l.jitter.add(jitter)
		l.duration.add(duration)
		l.misses, l.overruns = l.misses+misses, l.overruns+overruns
		l.deadline, l.budget = l.deadline || t.plan.Deadline > 0, true
	}
}

func (r *round) lane(name string, l *laneWindow) {
	source := r.node + " lane " + name
	r.times(source, "wakeup_jitter", l.jitter)
	r.times(source, "callback_duration", l.duration)
	r.events(source, "drops", l.drops, true)
	r.events(source, "deadline_misses", l.misses, l.deadline)
	r.events(source, "overruns", l.overruns, l.budget)
}

// chain takes the last topic that has a subscription here for the end.
func (r *round) chain(c *chain) {
	var end summary
	for _, s := range c.stages {
		if w := r.window(s, "end_to_end", &s.latency); s.subscriptions.Load() > 0 {
			end = w
		}
	}
	source := r.node + " chain " + c.plan.Name
	r.times(source, "end_to_end", end)
	r.events(source, "deadline_misses", r.count(c, "deadline_misses", c.misses.Load()), c.plan.Deadline > 0)
}

// window ends the one of a recorder.
func (r *round) window(of any, name string, from *recorder) summary {
	m := metric{of, name}
	w := r.statistician.windows[m]
	if w == nil {
		w = new(window)
	}
	r.windows[m] = w
	return w.advance(from)
}

// count returns how much a counter grew.
func (r *round) count(of any, name string, total uint64) uint64 {
	m := metric{of, name}
	r.counts[m] = total
	return total - r.statistician.counts[m]
}

// times publishes about durations.
func (r *round) times(source, name string, s summary) {
	mean, least, most, deviation := s.mean, s.min, s.max, s.stddev()
	if s.count == 0 {
		mean, least, most, deviation = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	}
	ms := func(kind uint8, ns float64) statistics_msgs.StatisticDataPoint {
		return statistics_msgs.StatisticDataPoint{DataType: kind, Data: ns / 1e6}
	}
	r.send(source, name, "ms",
		ms(statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_AVERAGE, mean),
		ms(statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_MAXIMUM, most),
		ms(statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_MINIMUM, least),
		samples(s.count),
		ms(statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_STDDEV, deviation))
}

// events publishes how often something happened, if that means something.
func (r *round) events(source, name string, n uint64, meant bool) {
	if meant {
		r.send(source, name, "1", samples(n))
	}
}

func samples(n uint64) statistics_msgs.StatisticDataPoint {
	return statistics_msgs.StatisticDataPoint{DataType: statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_SAMPLE_COUNT, Data: float64(n)}
}

func (r *round) send(source, name, unit string, points ...statistics_msgs.StatisticDataPoint) {
	m := &statistics_msgs.MetricsMessage{MeasurementSourceName: source, MetricsSource: name, Unit: unit, Statistics: points}
	m.WindowStart.Sec, m.WindowStart.Nanosec = stamp(r.start)
	m.WindowStop.Sec, m.WindowStop.Nanosec = stamp(r.stop)
	if err := r.publish(m); err != nil {
		r.errs = append(r.errs, err)
	}
}

// stamp splits a time as builtin_interfaces/Time does.
func stamp(t time.Time) (sec int32, nanosec uint32) {
	return int32(t.Unix()), uint32(t.Nanosecond())
}
