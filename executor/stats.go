package executor

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/pinion-ros/pinion/pubsub"
)

// Stats is a snapshot of an executor.
type Stats struct {
	Lanes  []LaneStats
	Topics []TopicStats
	Chains []ChainStats
	Timers []TimerStats
	// Parts are the other processes of the program, in the first one. Each of them has statistics of its own.
	Parts  []PartStats
	Budget Budget
	// Runtime is looked at once per second while Run runs.
	Runtime Runtime
}

// LaneStats tells what a lane's threads are like and sums up the topics that it serves now. Threads
// has one entry per domain that the lane serves, as read back from the kernel now.
type LaneStats struct {
	Name    string
	Mode    Mode
	Threads []Scheduling
	// Receiving are the threads that wake a woken lane, one per domain.
	Receiving []Scheduling
	// Paused is how many callbacks a pause of the garbage collector may have delayed: between the
	// arrival of the message and the end, as far as the last 4096 callbacks of each second go. A
	// cycle's two pauses count as one at the place of the second.
	Paused uint64
	Load
}

// TopicStats tells about one subscription.
type TopicStats struct {
	Topic string
	Node  string
	Lane  string // "" for background
	Load
}

// Load counts messages and callbacks since the subscription was created. Histograms are in
// nanoseconds, exact to 1 %, up to 68 s.
type Load struct {
	pubsub.ReceiverStats
	// Rate is the mean number of callbacks per second since the first.
	Rate float64
	// Latency is from the publisher's time stamp to the start of the callback. Between machines it is
	// as good as their clocks agree. Where publishers hand on the source time of their input, as in
	// chains, it counts from there.
	Latency *hdrhistogram.Histogram
	// Skewed is how many messages had a source time that cannot be right: later than their arrival, which
	// then counts for it, or more than 68 s before, in which case Latency and chains leave them out. Either
	// the clocks of publisher and subscription do not agree, or one was set while the message was under
	// way, or it was kept for late subscriptions.
	Skewed uint64
	// Period is the time between the arrivals of two messages in turn.
	Period *hdrhistogram.Histogram
	// Wait is from the arrival, which is when a thread read the message from the socket
	// (pubsub.MessageInfo.Arrival), to the start of the callback. How long it was in the socket, as while
	// another callback of an inline lane runs, is in Latency only.
	Wait *hdrhistogram.Histogram
	// Duration is how long the callback took.
	Duration *hdrhistogram.Histogram
	// DeadlineMisses is how many callbacks ended later after the arrival than the plan's deadline. Time in
	// the socket does not count, and neither do messages that do not come.
	DeadlineMisses uint64
	// Overruns is how many callbacks took longer than the plan's budget.
	Overruns uint64
	// Panics is how many callbacks panicked, see WithContainedPanics.
	Panics uint64
	// Strays is how many batches of a lane's topic ran on another thread than the lane's.
	Strays uint64
}

// topicStats watches the callbacks of one subscription.
type topicStats struct {
	receiver *pubsub.Receiver
	plan     Topic
	lane     atomic.Pointer[string] // nil for background
	stages   []*stage               // of the chains through the topic

	latency, period, wait, duration recorder
	wall                            func() time.Time
	wallZero, wallRead              atomic.Int64 // see zero
	first, last                     atomic.Int64 // begin of the first callback, arrival of the last message
	misses, panics, strays, skewed  atomic.Uint64
	overruns                        excess
}

func newTopicStats(r *pubsub.Receiver, plan Topic, chains []*chain, wall func() time.Time) *topicStats {
	s := &topicStats{receiver: r, plan: plan, wall: wall}
	for _, c := range chains {
		if i := c.plan.stage(r.Topic()); i >= 0 {
			s.stages = append(s.stages, c.stages[i])
		}
	}
	return s
}

func (s *topicStats) Enter(*pubsub.Receiver) {}

func (s *topicStats) Leave(*pubsub.Receiver) {}

func (s *topicStats) Done(_ *pubsub.Receiver, info *pubsub.MessageInfo, begin, end int64) {
	way, known := s.way(info, end)
	if known {
		s.latency.record(way + time.Duration(begin-info.Arrival))
	}
	s.wait.record(time.Duration(begin - info.Arrival))
	s.duration.record(time.Duration(end - begin))
	if last := s.last.Swap(info.Arrival); last != 0 {
		s.period.record(time.Duration(info.Arrival - last))
	} else {
		s.first.Store(begin)
	}
	for _, stage := range s.stages {
		stage.record(way+time.Duration(end-info.Arrival), known)
	}
	if d := s.plan.Deadline; d > 0 && time.Duration(end-info.Arrival) > d {
		s.misses.Add(1)
	}
	s.overruns.note(s.plan.Budget, time.Duration(end-begin))
}

// way returns how long a message was under way from its source to its arrival, which only wall clocks
// can tell; 0 and false where they say what cannot be.
func (s *topicStats) way(info *pubsub.MessageInfo, now int64) (d time.Duration, known bool) {
	d = info.SourceTime.Sub(time.Unix(0, s.zero(now)+info.Arrival)) // saturates
	switch {
	case d > 0:
		s.skewed.Add(1)
		return 0, true
	case d < -longest:
		s.skewed.Add(1)
		return 0, false
	}
	return -d, true
}

// zero returns the wall clock's time of the monotonic clock's zero, which moves when the former is set.
// To read both for each message would take as long as much of the rest.
func (s *topicStats) zero(now int64) int64 {
	if read := s.wallRead.Load(); read == 0 || now-read > int64(time.Millisecond) {
		s.wallZero.Store(s.readZero())
		s.wallRead.Store(now)
	}
	return s.wallZero.Load()
}

// readZero reads the clocks again where the thread has lost its processor between them: messages would
// seem to come from the future.
func (s *topicStats) readZero() (zero int64) {
	least := int64(math.MaxInt64)
	for range 5 {
		before := pubsub.Monotonic()
		wall := s.wall().UnixNano()
		took := pubsub.Monotonic() - before
		if took < least {
			least, zero = took, wall-before-took/2
		}
		if took < int64(10*time.Microsecond) {
			break
		}
	}
	return zero
}

func (s *topicStats) snapshot() TopicStats {
	return TopicStats{
		Topic: s.receiver.Topic(),
		Node:  s.receiver.Node().FullName(),
		Lane:  s.laneName(),
		Load: Load{
			ReceiverStats:  s.receiver.Stats(),
			Rate:           s.rate(),
			Latency:        s.latency.snapshot(),
			Period:         s.period.snapshot(),
			Wait:           s.wait.snapshot(),
			Duration:       s.duration.snapshot(),
			DeadlineMisses: s.misses.Load(),
			Overruns:       s.overruns.count.Load(),
			Panics:         s.panics.Load(),
			Strays:         s.strays.Load(),
			Skewed:         s.skewed.Load(),
		},
	}
}

func (s *topicStats) laneName() string {
	if name := s.lane.Load(); name != nil {
		return *name
	}
	return ""
}

func (s *topicStats) rate() float64 {
	first := s.first.Load()
	if first == 0 {
		return 0
	}
	return float64(s.receiver.Stats().Received) / time.Duration(pubsub.Monotonic()-first).Seconds()
}

// Add adds the counts and histograms of o, which must be of a snapshot, and its rate.
func (l *Load) Add(o *Load) {
	l.Received += o.Received
	l.Lost += o.Lost
	l.Overwritten += o.Overwritten
	l.Malformed += o.Malformed
	l.Rejected += o.Rejected
	l.Rate += o.Rate
	l.DeadlineMisses += o.DeadlineMisses
	l.Overruns += o.Overruns
	l.Panics += o.Panics
	l.Strays += o.Strays
	l.Skewed += o.Skewed
	l.Latency.Merge(o.Latency)
	l.Period.Merge(o.Period)
	l.Wait.Merge(o.Wait)
	l.Duration.Merge(o.Duration)
}

func newLoad() Load {
	return Load{Latency: newHistogram(), Period: newHistogram(), Wait: newHistogram(), Duration: newHistogram()}
}

// allLanes returns the lanes of the plan in its order, then the others.
func (e *Executor) allLanes() []*lane {
	var lanes []*lane
	for _, l := range e.plan.Lanes {
		if running := e.lanes[l.Name]; running != nil {
			lanes = append(lanes, running)
		}
	}
	if d, ok := e.background.(*dedicated); ok {
		lanes = append(lanes, d.running()...)
	}
	return lanes
}

// Stats returns a snapshot.
func (e *Executor) Stats() Stats {
	e.mu.Lock()
	s := Stats{Budget: e.budget}
	if e.watch != nil {
		s.Runtime = e.watch.snapshot()
	}
	for _, t := range e.topics {
		s.Topics = append(s.Topics, t.snapshot())
	}
	for _, t := range e.timers {
		s.Timers = append(s.Timers, t.stats())
	}
	e.mu.Unlock()
	for _, l := range e.allLanes() {
		lane := l.stats()
		lane.Load = newLoad()
		for i := range s.Topics {
			if s.Topics[i].Lane == lane.Name {
				lane.Add(&s.Topics[i].Load)
			}
		}
		s.Lanes = append(s.Lanes, lane)
	}
	for _, part := range e.plan.AllParts() {
		if p := e.parts[part.Name]; p != nil {
			s.Parts = append(s.Parts, p.stats())
		}
	}
	for _, c := range e.chains {
		s.Chains = append(s.Chains, c.snapshot())
	}
	return s
}
