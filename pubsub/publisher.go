package pubsub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/cyclone"
)

// DefaultMaxBlocking is how long a reliable Publish waits for space unless WithMaxBlocking says
// otherwise. ROS 2 waits without end.
const DefaultMaxBlocking = 100 * time.Millisecond

// A PublisherOption changes how a publisher is made.
type PublisherOption func(*publisherOptions)

type publisherOptions struct {
	maxBlocking time.Duration
	events      PublisherEvents
	inputTime   bool
	intra       bool
	batching    bool
	batchSize   int
	hints       []any
	everywhere  bool // see WithPublisherInEveryPart
}

// WithPublisherIntraProcess has subscriptions of this process that are made WithSubscriptionIntraProcess
// get messages of the same Go type as they are, neither serialized nor copied, while all others get
// them over DDS as ever. QoS stays in force: the subscription has a history of its own for what comes
// this way (of at most 1000 messages where it is KEEP_ALL; a reliable publisher then waits for space),
// and lifespan and transient local do what they should. With a deadline, or liveliness by topic,
// everything goes over DDS, and so does what is for inline callbacks of receive paths, whose thread
// belongs to DDS.
//
// Use it with PublishOwned. Publish makes a copy first.
func WithPublisherIntraProcess() PublisherOption {
	return func(o *publisherOptions) { o.intra = true }
}

// WithPublisherEvents sets functions to be called when something happens to the publisher. They see
// everything from its creation on.
func WithPublisherEvents(events PublisherEvents) PublisherOption {
	return func(o *publisherOptions) { o.events = events }
}

// WithMaxBlocking sets how long a reliable Publish waits, when subscriptions are slow to acknowledge,
// before it gives up with ErrTimeout (RELIABILITY max_blocking_time, DDS 1.4, 2.2.3.14).
func WithMaxBlocking(d time.Duration) PublisherOption {
	return func(o *publisherOptions) { o.maxBlocking = max(d, 0) }
}

// sender is what publishers have in common whatever they publish.
type sender struct {
	node     *Node
	topic    string
	typeName string
	asked    QoS
	qos      QoS
	ddsTopic *cyclone.Topic
	writer   *cyclone.Writer
	matched  matchCount
	events   *eventBox
	absent   bool        // see Divider
	refused  atomic.Bool // told that it is absent
	closed   atomic.Bool
	finished chan struct{}

	inputTime bool                           // messages carry the source time of the callback's input
	intra     *intraSender                   // nil unless asked for
	paths     atomic.Pointer[[]*ReceivePath] // with inline callbacks for the topic
}

// newSender creates what publishers have in common; goType is a nil pointer of the message's type, or
// nil for messages that are serialized already.
func newSender(n *Node, topic, typeName string, goType any, qos QoS, options []PublisherOption) (*sender, error) {
	if err := checkNil(n, options); err != nil {
		return nil, fmt.Errorf("create publisher %s: %w", topic, err)
	}
	s := &sender{node: n, typeName: typeName, asked: qos, finished: make(chan struct{})}
	s.intra = &intraSender{sender: s, goType: goType, closing: make(chan struct{})}
	err := qos.validate()
	if err == nil {
		err = s.open(topic, options)
	}
	if err != nil {
		return nil, fmt.Errorf("create publisher %s: %w", topic, err)
	}
	return s, nil
}

func (s *sender) open(topic string, options []PublisherOption) error {
	if err := s.node.begin(); err != nil {
		return err
	}
	defer s.node.end()
	o := publisherOptions{maxBlocking: DefaultMaxBlocking}
	for _, option := range options {
		option(&o)
	}
	if o.batchSize < 0 {
		return fmt.Errorf("batch of %d bytes: want 0, for a packet, or more", o.batchSize)
	}
	ros, dds, err := s.node.resolve(topic)
	if err != nil {
		return err
	}
	s.topic = ros
	s.qos = s.node.session.resolve(s.asked, dds, true)
	here, err := s.node.hasPublisher(ros, &o)
	if err != nil {
		return err
	}
	if !here {
		s.exclude()
		s.node.adopt(s)
		return nil
	}
	typeName, err := ddsTypeName(s.typeName)
	if err != nil {
		return err
	}
	if s.ddsTopic, err = s.node.session.participant.NewTopic(dds, typeName, keyOf(s.typeName)...); err != nil {
		return s.node.session.permit(err, "publishing", dds)
	}
	if s.intra.goType == nil || !o.intra {
		s.intra = nil
	} else {
		s.intra.blocking = o.maxBlocking
	}
	s.watch(dds, o.events)
	userData := typeHash(s.node.session.form, s.typeName)
	s.writer, err = s.ddsTopic.NewWriter(cyclone.WriterConfig{
		QoS:       s.qos.cyclone(o.maxBlocking, userData),
		Batching:  o.batching,
		BatchSize: o.batchSize,
		Event: func(e cyclone.Event) {
			if e.Kind == cyclone.Matched {
				s.matched.set(int(e.Current))
				if s.intra != nil {
					s.intra.matches.Add(1)
				}
			}
			s.events.post(e)
		},
	})
	if err != nil {
		s.ddsTopic.Close()
		return s.node.session.permit(err, "publishing", dds)
	}
	if s.inputTime = o.inputTime || s.node.wantsInputTime(ros); s.inputTime {
		inputs.wanted.Add(1)
	}
	s.events.start(s.writer.Peer)
	s.node.adopt(s)
	s.node.announce(&announced{guid: s.GUID(), writer: true, ddsTopic: dds, typeName: typeName, userData: userData, events: s.events})
	s.node.session.locals.addSender(dds, s)
	return nil
}

// watch prepares for events, which can come before the writer is known.
func (s *sender) watch(dds string, events PublisherEvents) {
	common := &endpointEvents{
		node: s.node, topic: s.topic, typeName: s.typeName, ddsTopic: dds, writer: true, qos: s.qos,
		matched:          events.Matched,
		incompatibleQoS:  events.IncompatibleQoS,
		incompatibleType: events.IncompatibleType,
		deadlineMissed:   events.DeadlineMissed,
	}
	s.events = s.node.session.events.box(s.topic, func(e cyclone.Event) {
		switch {
		case s.closed.Load():
		case e.Kind == cyclone.LivelinessLost:
			call(events.LivelinessLost, CountEvent{int(e.Total), int(e.Change)})
		case e.Kind == cyclone.Matched && s.intra != nil:
			s.intra.recount()
			fallthrough
		default:
			common.handle(e, s.events.peer)
		}
	})
}

// GUID returns the publisher's GUID.
func (s *sender) GUID() GUID {
	if s.absent {
		return GUID{}
	}
	return GUID(s.writer.GUID())
}

// write sends m, which it does not keep. After the system call each return to a caller is slow, so there
// are few of them.
func (s *sender) write(m cdr.Message, source time.Time) error {
	loan, err := s.marshal(m)
	if err != nil {
		return err
	}
	return loan.Write(s.sourceTime(source), !s.onPath())
}

// reserve returns room for a message.
func (s *sender) reserve(size int) (cyclone.Loan, error) {
	if err := s.refuse(); err != nil {
		return cyclone.Loan{}, err
	}
	return s.writer.Reserve(size)
}

func (s *sender) marshal(m cdr.Message) (cyclone.Loan, error) {
	loan, err := s.reserve(cdr.Size(m))
	if err != nil {
		return loan, err
	}
	if _, err := cdr.MarshalTo(loan.Payload(), m); err != nil {
		loan.Discard()
		return loan, err
	}
	return loan, nil
}

// onPath tells whether the caller is a callback on a receive path that waits for the topic's messages. What
// is sent there must not wait for the path: what that does not acknowledge before the callback returns would
// hold it up for the maximum blocking time.
func (s *sender) onPath() bool {
	paths := s.paths.Load()
	return paths != nil && slices.ContainsFunc(*paths, (*ReceivePath).delivering)
}

func (s *sender) assertLiveliness() error {
	err := s.refuse()
	if err == nil {
		err = s.writer.AssertLiveliness()
	}
	if err != nil {
		return s.wrap(err)
	}
	return nil
}

// wrap names the topic and turns what Cyclone DDS returns into the errors of this package.
func (s *sender) wrap(err error) error {
	switch {
	case errors.Is(err, cyclone.ErrTimeout):
		err = ErrTimeout
	case errors.Is(err, cyclone.ErrAlreadyDeleted):
		err = ErrClosed
	}
	return fmt.Errorf("publish on %s: %w", s.topic, err)
}

func (s *sender) waitForAcknowledgements(ctx context.Context) error {
	const slice = 10 * time.Millisecond // the call into C cannot be interrupted
	if err := s.refuse(); err != nil {
		return waitError(s.topic, "acknowledgements", err)
	}
	err := error(ErrInDelivery)
	if !inDelivery() {
		if err = ctx.Err(); err == nil {
			err = s.writer.Flush()
		}
		for err == nil {
			if err = s.writer.WaitForAcks(slice); err == nil {
				return nil
			}
			if errors.Is(err, cyclone.ErrTimeout) {
				err = ctx.Err()
			}
		}
	}
	if errors.Is(err, cyclone.ErrAlreadyDeleted) {
		err = ErrClosed
	}
	return waitError(s.topic, "acknowledgements", err)
}

// close may be called from anywhere but an inline callback, where it leaves the rest to another goroutine.
func (s *sender) close() error {
	if !s.closed.Swap(true) {
		s.matched.close()
		if s.intra != nil {
			close(s.intra.closing)
		}
		go s.finish()
	}
	if !inDelivery() {
		<-s.finished
	}
	return nil
}

func (s *sender) finish() {
	defer close(s.finished)
	defer s.node.forget(s)
	if s.absent {
		return
	}
	if s.inputTime {
		inputs.wanted.Add(-1)
	}
	s.node.retract(s.GUID())
	s.node.session.locals.removeSender(MangleTopic(s.topic), s)
	s.writer.Close()
	s.ddsTopic.Close()
}

// Publisher publishes messages of type T on a topic. Its methods may be called from any goroutine
// and from any callback.
type Publisher[T any] struct {
	s       *sender
	message func(*T) cdr.Message
}

// NewPublisher creates a publisher. T is a generated message type; topic is expanded and remapped as
// ROS 2 does. P is inferred.
func NewPublisher[T any, P interface {
	*T
	cdr.Message
}](node *Node, topic string, qos QoS, options ...PublisherOption) (*Publisher[T], error) {
	s, err := newSender(node, topic, P(new(T)).CDRType().Name, (*T)(nil), qos, options)
	if err != nil {
		return nil, err
	}
	return &Publisher[T]{s, func(m *T) cdr.Message { return P(m) }}, nil
}

// Publish sends a message. It does not keep m and, for messages of fixed size, allocates nothing. A
// reliable publisher may block for its maximum blocking time and then returns ErrTimeout, the message
// not sent. One with best effort waits where the network is slower than the program, but not on the
// thread of a lane (in an inline callback, or one that waits in Queue.WaitThread): there it returns
// ErrTimeout instead, unless the message alone is larger than the socket's buffer. A message that its type does not allow (a bound is exceeded) is an error, as is a closed
// publisher (ErrClosed).
func (p *Publisher[T]) Publish(m *T) error { return p.PublishAt(m, time.Time{}) }

// PublishAt is Publish with a source timestamp of the caller's: when the message's content was true.
func (p *Publisher[T]) PublishAt(m *T, source time.Time) error {
	if m == nil {
		return p.s.wrap(errNilMessage)
	}
	if p.s.intra == nil {
		if err := p.s.write(p.message(unescaped(m)), source); err != nil {
			return p.s.wrap(err)
		}
		return nil
	}
	own, err := cloneMessage(unescaped(m), p.message)
	if err != nil {
		return p.s.wrap(err)
	}
	return p.PublishOwnedAt(own, source)
}

// PublishOwned is Publish that takes m over: neither the caller nor anybody else may write to it, or to
// anything it refers to, again, whatever PublishOwned returns. Subscriptions of the process share it
// (see WithPublisherIntraProcess), for as long as they like. In programs built with -race, violations are reported, or
// end in a panic. Bounds that the type sets are checked where the message is serialized for somebody.
func (p *Publisher[T]) PublishOwned(m *T) error { return p.PublishOwnedAt(m, time.Time{}) }

// PublishOwnedAt is PublishOwned with a source timestamp of the caller's.
func (p *Publisher[T]) PublishOwnedAt(m *T, source time.Time) error {
	if m == nil {
		return p.s.wrap(errNilMessage)
	}
	var err error
	if p.s.intra == nil {
		err = p.s.write(p.message(m), source)
	} else {
		err = p.s.intra.publish(m, p.message(m), source)
	}
	if err != nil {
		return p.s.wrap(err)
	}
	return nil
}

// unescaped hides from the compiler that m goes into an interface, so that a message on the caller's
// stack stays there. That is sound because a cdr.Message must not keep itself in these calls.
//
//go:nosplit
func unescaped[T any](m *T) *T {
	p := uintptr(unsafe.Pointer(m))
	return *(**T)(unsafe.Pointer(&p))
}

// Topic returns the full name of the topic after remapping.
func (p *Publisher[T]) Topic() string { return p.s.topic }

// QoS returns the profile in force, without system defaults and best available.
func (p *Publisher[T]) QoS() QoS { return p.s.qos }

// AskedQoS returns the profile that the publisher was created with.
func (p *Publisher[T]) AskedQoS() QoS { return p.s.asked }

// AssertLiveliness shows subscriptions that the publisher is alive, as publishing does. Only one with
// ManualByTopic needs it, within its Lease; when that is over, only publishing makes it alive again.
func (p *Publisher[T]) AssertLiveliness() error { return p.s.assertLiveliness() }

// EventCounts tells what has happened to the publisher.
func (p *Publisher[T]) EventCounts() EventCounts { return p.s.events.counts() }

// GUID returns what subscriptions see as MessageInfo.Publisher.
func (p *Publisher[T]) GUID() GUID { return p.s.GUID() }

// Subscribers returns how many subscriptions, of all processes, the publisher is matched with.
func (p *Publisher[T]) Subscribers() int { return p.s.matched.count() }

// WaitForSubscribers blocks until at least n subscriptions are matched, ctx ends, or the publisher is
// closed (ErrClosed).
func (p *Publisher[T]) WaitForSubscribers(ctx context.Context, n int) error {
	return waitError(p.s.topic, "subscribers", p.s.matched.wait(ctx, n))
}

// Flush sends what waits in a batch, see WithBatching. Without batching nothing does. Where a Publish
// waits for space, so may Flush, and for as long; on a receive path it returns ErrTimeout instead.
func (p *Publisher[T]) Flush() error { return p.s.flush() }

// Batching returns how far batching reaches that is in force for the publisher.
func (p *Publisher[T]) Batching() Batching { return p.s.batching() }

// WaitForAcknowledgements flushes, then blocks until every reliable subscription that is matched has
// acknowledged what was published before the call, or ctx ends.
func (p *Publisher[T]) WaitForAcknowledgements(ctx context.Context) error {
	return p.s.waitForAcknowledgements(ctx)
}

// Close closes the publisher, after it has sent what waits in a batch. Calls that wait for space end
// with an error.
func (p *Publisher[T]) Close() error { return p.s.close() }

func waitError(topic, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("wait for %s on %s: %w", what, topic, err)
}
