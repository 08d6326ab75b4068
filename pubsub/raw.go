package pubsub

import (
	"context"
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/cdr"
)

// RawPublisher publishes messages that are serialized already, of a type known by its name: for
// recorders, bridges and tools.
type RawPublisher struct {
	s   *sender
	min int // bytes of the smallest message
}

// NewRawPublisher creates a publisher for the ROS type name, "std_msgs/msg/String".
func NewRawPublisher(node *Node, topic, typeName string, qos QoS, options ...PublisherOption) (*RawPublisher, error) {
	s, err := newSender(node, topic, typeName, nil, qos, options)
	if err != nil {
		return nil, err
	}
	return &RawPublisher{s, minPayload(typeName)}, nil
}

// Publish sends a message given as encapsulation header and XCDR1 body, as package cdr marshals it
// and a RawSubscription receives it. The header is checked and, of a type that the program knows, that data
// is not shorter than any message. See Publisher.Publish for the rest.
func (p *RawPublisher) Publish(data []byte) error { return p.PublishAt(data, time.Time{}) }

// PublishAt is Publish with a source timestamp of the caller's.
func (p *RawPublisher) PublishAt(data []byte, source time.Time) error {
	if err := checkHeader(data); err != nil {
		return p.s.wrap(err)
	}
	if len(data) < p.min {
		return p.s.wrap(fmt.Errorf("%d bytes are no %s, which takes %d at least", len(data), p.s.typeName, p.min))
	}
	loan, err := p.s.reserve(len(data))
	if err != nil {
		return p.s.wrap(err)
	}
	copy(loan.Payload(), data)
	if err := loan.Write(p.s.sourceTime(source), !p.s.onPath()); err != nil {
		return p.s.wrap(err)
	}
	return nil
}

// minPayload returns the size of the smallest message of a type, 0 where the type is not known.
func minPayload(typeName string) int {
	t := cdr.Lookup(typeName)
	if t == nil {
		return 0
	}
	s, err := t.Schema()
	if err != nil {
		return 0
	}
	return cdr.HeaderSize + s.MinSize
}

// checkHeader tells whether data begins with an encapsulation header of plain CDR (RTPS 2.2, 10.2.1.2).
func checkHeader(data []byte) error {
	if len(data) < 5 {
		return fmt.Errorf("%d bytes are no message: a header of 4 bytes and at least one more are needed", len(data))
	}
	if data[0] != 0 || data[1] > 1 {
		return fmt.Errorf("encapsulation header %x is not plain CDR (0000 or 0001)", data[:2])
	}
	return nil
}

// QoS returns the profile in force.
func (p *RawPublisher) QoS() QoS { return p.s.qos }

// GUID returns what subscriptions see as MessageInfo.Publisher.
func (p *RawPublisher) GUID() GUID { return p.s.GUID() }

// EventCounts tells what has happened to the publisher.
func (p *RawPublisher) EventCounts() EventCounts { return p.s.events.counts() }

// Topic returns the full name of the topic after remapping.
func (p *RawPublisher) Topic() string { return p.s.topic }

// Subscribers returns how many subscriptions the publisher is matched with.
func (p *RawPublisher) Subscribers() int { return p.s.matched.count() }

// WaitForSubscribers is like that of Publisher.
func (p *RawPublisher) WaitForSubscribers(ctx context.Context, n int) error {
	return waitError(p.s.topic, "subscribers", p.s.matched.wait(ctx, n))
}

// Flush sends what waits in a batch, see Publisher.Flush.
func (p *RawPublisher) Flush() error { return p.s.flush() }

// Batching returns how far batching reaches that is in force for the publisher.
func (p *RawPublisher) Batching() Batching { return p.s.batching() }

// WaitForAcknowledgements is like that of Publisher.
func (p *RawPublisher) WaitForAcknowledgements(ctx context.Context) error {
	return p.s.waitForAcknowledgements(ctx)
}

// Close closes the publisher.
func (p *RawPublisher) Close() error { return p.s.close() }

// RawSubscription receives messages in serialized form, of a type known by its name.
type RawSubscription struct {
	r    *Receiver
	poll *poll
}

// NewRawSubscription creates a subscription for the ROS type name, "std_msgs/msg/String". callback
// gets encapsulation header and body, up to 3 bytes of padding included, valid until it returns, not
// to be written to. With a nil callback Take fetches the messages.
func NewRawSubscription(node *Node, topic, typeName string, qos QoS, callback func([]byte, *MessageInfo), options ...SubscriptionOption) (*RawSubscription, error) {
	r, p, err := newReceiver(node, topic, typeName, nil, qos, func() *slot {
		var data []byte
		return &slot{
			decode: func(payload []byte) error { data = payload; return checkHeader(payload) },
			call:   func(info *MessageInfo) { callback(data, info) },
		}
	}, callback == nil, options)
	if err != nil {
		return nil, err
	}
	return &RawSubscription{r, p}, nil
}

// Take appends the oldest message that was not fetched yet to buf, or returns ErrNoMessage. info may
// be nil.
func (s *RawSubscription) Take(buf []byte, info *MessageInfo) ([]byte, error) {
	err := s.r.take(s.poll, info, decoder{message: func(payload []byte) error {
		buf = append(buf, payload...)
		return checkHeader(payload)
	}})
	return buf, err
}

// QoS returns the profile in force.
func (s *RawSubscription) QoS() QoS { return s.r.qos }

// GUID returns the subscription's GUID.
func (s *RawSubscription) GUID() GUID { return s.r.GUID() }

// EventCounts tells what has happened to the subscription.
func (s *RawSubscription) EventCounts() EventCounts { return s.r.events.counts() }

// Topic returns the full name of the topic after remapping.
func (s *RawSubscription) Topic() string { return s.r.topic }

// Stats returns counters since the subscription was created.
func (s *RawSubscription) Stats() ReceiverStats { return s.r.Stats() }

// WaitForPublishers is like that of Subscription.
func (s *RawSubscription) WaitForPublishers(ctx context.Context, n int) error {
	return waitError(s.r.topic, "publishers", s.r.matched.wait(ctx, n))
}

// Close closes the subscription, see Subscription.Close.
func (s *RawSubscription) Close() error { return s.r.close() }
