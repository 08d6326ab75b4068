package executor

import (
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/pinion-ros/pinion/pubsub"
)

// Stats is a snapshot of an executor.
type Stats struct {
	Lanes  []LaneStats
	Topics []TopicStats
	Budget Budget
}

// LaneStats tells what a lane's threads are like. Threads has one entry per domain that the lane
// serves, as read back from the kernel now.
type LaneStats struct {
	Name    string
	Threads []Scheduling
}

// TopicStats counts the callbacks of a subscription. Histograms are in nanoseconds, exact to 1 %,
// up to 68 s.
type TopicStats struct {
	Topic string
	Node  string
	Lane  string // "" for background
	pubsub.ReceiverStats
	// Latency is from the publisher's time stamp to the start of the callback. Between machines it is
	// as good as their clocks agree.
	Latency *hdrhistogram.Histogram
	// Wait is from the arrival at the socket to the start of the callback.
	Wait *hdrhistogram.Histogram
	// Duration is how long the callback took.
	Duration *hdrhistogram.Histogram
	// Strays is how many batches of a lane's topic ran on another thread than the lane's.
	Strays uint64
}

// topicStats watches the callbacks of one subscription.
type topicStats struct {
	receiver                *pubsub.Receiver
	lane                    string
	latency, wait, duration recorder
	strays                  atomic.Uint64
}

func (s *topicStats) Enter(*pubsub.Receiver) {}

func (s *topicStats) Leave(*pubsub.Receiver) {}

func (s *topicStats) Done(_ *pubsub.Receiver, info *pubsub.MessageInfo, begin, end int64) {
	wall := time.Now().UnixNano() - pubsub.Monotonic() // of the monotonic clock's zero
	s.latency.record(time.Duration(begin + wall - info.SourceTime.UnixNano()))
	s.wait.record(time.Duration(begin - info.Arrival))
	s.duration.record(time.Duration(end - begin))
}

func (s *topicStats) snapshot() TopicStats {
	return TopicStats{
		Topic:         s.receiver.Topic(),
		Node:          s.receiver.Node().FullName(),
		Lane:          s.lane,
		ReceiverStats: s.receiver.Stats(),
		Latency:       s.latency.snapshot(),
		Wait:          s.wait.snapshot(),
		Duration:      s.duration.snapshot(),
		Strays:        s.strays.Load(),
	}
}
