//go:build long

package reliability

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// A stream is messages with the numbers from 1 to Count, between a publisher and a subscriber. Number 0
// is for those that are sent until the subscriber has heard the publisher: only then do both know each
// other, and nothing may be lost.
type stream struct {
	Discovery pubsub.Discovery
	Topic     string
	QoS       pubsub.QoS
	Count     int
	Size      int           // bytes of data, at least 8
	Rate      float64       // messages per second, 0 for as fast as they are taken
	Limit     time.Duration // for the acknowledgements at the end
}

// sent is what a publisher tells about its stream.
type sent struct {
	Refused int           // attempts that ended with ErrTimeout, and were repeated
	Longest time.Duration // attempt
	Took    time.Duration // from the first message to the last acknowledgement
	Times   []int64       // at which each message was published the first time, CLOCK_MONOTONIC
}

// publishStream is the role of a publisher. It says "ready", hears "go" and says "sent".
func publishStream(c *console) error {
	var s stream
	if err := c.hear("config", &s); err != nil {
		return err
	}
	node, err := pubsub.NewNode("publisher", pubsub.WithDiscovery(s.Discovery), pubsub.WithRosout(false))
	if err != nil {
		return err
	}
	defer node.Close()
	p, err := pubsub.NewPublisher[std_msgs.UInt8MultiArray](node, s.Topic, s.QoS)
	if err != nil {
		return err
	}
	if err := errors.Join(c.say("ready", nil), s.introduce(c, p)); err != nil {
		return err
	}
	r, err := s.send(p)
	if err != nil {
		return err
	}
	if err := c.say("sent", r); err != nil {
		return err
	}
	return untilEOF(c)
}

// introduce repeats number 0 until the test says "go".
func (s *stream) introduce(c *console, p *pubsub.Publisher[std_msgs.UInt8MultiArray]) error {
	heard := make(chan error, 1)
	go func() { heard <- c.hear("go", nil) }()
	m := s.message()
	for {
		if err := p.Publish(m); err != nil && !errors.Is(err, pubsub.ErrTimeout) {
			return err
		}
		select {
		case err := <-heard:
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *stream) message() *std_msgs.UInt8MultiArray {
	m := std_msgs.NewUInt8MultiArray()
	m.Data = make([]byte, max(s.Size, 8))
	return m
}

func (s *stream) send(p *pubsub.Publisher[std_msgs.UInt8MultiArray]) (*sent, error) {
	m, r, begin := s.message(), &sent{Times: make([]int64, s.Count)}, time.Now()
	for i := range s.Count {
		if s.Rate > 0 {
			time.Sleep(time.Until(begin.Add(time.Duration(float64(i) / s.Rate * float64(time.Second)))))
		}
		binary.LittleEndian.PutUint64(m.Data, uint64(i+1))
		r.Times[i] = pubsub.Monotonic()
		for {
			attempt := time.Now()
			err := p.Publish(m)
			r.Longest = max(r.Longest, time.Since(attempt))
			if err == nil {
				break
			}
			if !errors.Is(err, pubsub.ErrTimeout) {
				return nil, err
			}
			r.Refused++
		}
	}
	if s.QoS.Reliability != pubsub.BestEffort {
		ctx, cancel := context.WithTimeout(context.Background(), s.Limit)
		defer cancel()
		if err := p.WaitForAcknowledgements(ctx); err != nil {
			return nil, err
		}
	}
	r.Took = time.Since(begin)
	return r, nil
}

// untilEOF waits until the test has nothing more to say.
func untilEOF(c *console) error {
	if err := c.hear("", nil); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// received is what a subscriber tells about its stream.
type received struct {
	Received int // numbers from 1 on
	Repeated int // came again, or behind a later one
	Last     uint64
	Gaps     []gap
	Silence  time.Duration // the longest between two messages
	First    uint64        // of the publisher's own numbering, in which number 0 counts too
	Missing  uint64        // in that, behind First
	Stats    pubsub.ReceiverStats
}

// A gap is numbers that were left out, as it turned out at a time of CLOCK_MONOTONIC.
type gap struct {
	From, To uint64
	At       int64
}

// A listener follows a stream.
type listener struct {
	mu       sync.Mutex
	r        received
	sequence uint64
	arrived  int64 // the last one, CLOCK_MONOTONIC
	heard    func()
}

func (l *listener) message(m *std_msgs.UInt8MultiArray, info *pubsub.MessageInfo) {
	now := pubsub.Monotonic()
	if len(m.Data) < 8 {
		return // shows as missing
	}
	number := binary.LittleEndian.Uint64(m.Data)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sequence == 0 {
		l.r.First = info.Sequence
		l.heard()
	} else if info.Sequence > l.sequence {
		l.r.Missing += info.Sequence - l.sequence - 1
	}
	if l.arrived != 0 {
		l.r.Silence = max(l.r.Silence, time.Duration(now-l.arrived))
	}
	l.arrived, l.sequence = now, info.Sequence
	switch {
	case number == 0:
		return
	case number <= l.r.Last:
		l.r.Repeated++
		return
	case number > l.r.Last+1:
		l.r.Gaps = append(l.r.Gaps, gap{l.r.Last + 1, number - 1, now})
	}
	l.r.Last = number
	l.r.Received++
}

// subscribeStream is the role of a subscriber. It says "heard" with the first message, hears "end" and
// says "received" when the last number has come, or nothing for a while.
func subscribeStream(c *console) error {
	var s stream
	if err := c.hear("config", &s); err != nil {
		return err
	}
	node, err := pubsub.NewNode("subscriber", pubsub.WithDiscovery(s.Discovery), pubsub.WithRosout(false))
	if err != nil {
		return err
	}
	defer node.Close()
	l := &listener{heard: func() {
		// That the test is gone shows when it has nothing more to say.
		_ = c.say("heard", nil)
	}}
	sub, err := pubsub.NewSubscription(node, s.Topic, s.QoS, l.message)
	if err != nil {
		return err
	}
	if err := c.hear("end", nil); err != nil {
		return err
	}
	patience := 10 * time.Second
	if s.QoS.Reliability == pubsub.BestEffort {
		patience = time.Second // for what is still on the way
	}
	l.settle(uint64(s.Count), patience)
	r := l.r
	r.Stats = sub.Stats()
	if err := c.say("received", r); err != nil {
		return err
	}
	return untilEOF(c)
}

// settle waits for the last number, for at most so long after the last message.
func (l *listener) settle(last uint64, patience time.Duration) {
	for before, since := uint64(0), time.Now(); ; time.Sleep(10 * time.Millisecond) {
		l.mu.Lock()
		now := l.sequence
		done := l.r.Last >= last
		l.mu.Unlock()
		if now != before {
			before, since = now, time.Now()
		}
		if done || time.Since(since) > patience {
			return
		}
	}
}

// check compares what a subscriber got with what was sent, and returns what is wrong: for a history of
// all messages anything but all of them once and in order, for one of the last depth a message that is
// missing though it was among the last depth all the time, or that nobody counted.
func (r *received) check(q pubsub.QoS, s *sent) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	count := len(s.Times)
	if r.Repeated > 0 {
		fault("%d messages came again or out of order", r.Repeated)
	}
	if r.Stats.Malformed > 0 {
		fault("%d messages were malformed", r.Stats.Malformed)
	}
	// What came before First and was replaced before it was taken is counted as well.
	if counted := r.Stats.Lost + r.Stats.Overwritten; counted < r.Missing || counted >= r.Missing+r.First {
		fault("%d messages are missing, and %d counted: %d lost, %d overwritten", r.Missing, counted, r.Stats.Lost, r.Stats.Overwritten)
	}
	if q.Reliability == pubsub.BestEffort {
		return errors.Join(faults...)
	}
	if r.Last != uint64(count) {
		fault("the last message is number %d of %d", r.Last, count)
	}
	if q.History == pubsub.KeepAll {
		if r.Received != count {
			fault("%d messages came of %d; gaps %v", r.Received, count, r.Gaps)
		}
		return errors.Join(faults...)
	}
	for _, g := range r.Gaps {
		// The latest of a gap is the one with the least excuse.
		if replaced := int(g.To) + q.Depth; replaced > count || s.Times[replaced-1] > g.At {
			fault("number %d is missing, and had not been replaced when number %d came", g.To, g.To+1)
		}
	}
	return errors.Join(faults...)
}
