package pubsub

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"

	"github.com/pinion-ros/pinion/cdr"
	"golang.org/x/sys/unix"
)

// A SubscriptionOption changes how a subscription is made.
type SubscriptionOption func(*subscriptionOptions)

type subscriptionOptions struct {
	events SubscriptionEvents
	hint   any
	intra  bool
	states bool
	limit  int // bytes, 0 for none
}

// defaultHistoryLimit is what waits at the most where WithHistoryLimit says nothing: much more than a
// robot's messages of some seconds, and little enough for its memory.
const defaultHistoryLimit = 256 << 20

// WithHistoryLimit limits how many bytes of messages, as they are on the wire, wait in a history of
// KeepAll; 0 is for no limit. By default it is 256 MiB. What comes when that many wait is dropped and
// counted, see ReceiverStats.Rejected: a callback that stands still would otherwise take all memory, of
// which the process dies. Publishers do not wait: for them a message has arrived.
//
// It does not count what comes from publishers of the process as it is (WithSubscriptionIntraProcess),
// of which at most 1000 wait. Cyclone DDS 11 has no such limit.
func WithHistoryLimit(bytes int) SubscriptionOption {
	return func(o *subscriptionOptions) { o.limit = bytes }
}

// WithSubscriptionIntraProcess has the subscription get messages from publishers of this process as
// they are, see WithPublisherIntraProcess. Callbacks run where they would otherwise. They share the
// messages and must not write to them.
func WithSubscriptionIntraProcess() SubscriptionOption {
	return func(o *subscriptionOptions) { o.intra = true }
}

// WithHint tells the node's scheduler something about the subscription that the scheduler understands,
// such as the callback groups of package executor. Other schedulers ignore it.
func WithHint(hint any) SubscriptionOption {
	return func(o *subscriptionOptions) { o.hint = hint }
}

// WithSubscriptionEvents sets functions to be called when something happens to the subscription. They
// see everything from its creation on.
func WithSubscriptionEvents(events SubscriptionEvents) SubscriptionOption {
	return func(o *subscriptionOptions) { o.events = events }
}

// Subscription receives messages of type T from a topic. Its methods may be called from any
// goroutine.
type Subscription[T any] struct {
	r       *Receiver
	poll    *poll
	message func(*T) cdr.Message
}

// NewSubscription creates a subscription. T is a generated message type; topic is expanded and
// remapped as ROS 2 does. P is inferred.
//
// The node's scheduler decides on which thread callback runs; it may be called before NewSubscription
// returns. The message is valid until callback
// returns: its primitive sequences may lie in the memory the sample came in, so what is kept must be
// cloned. With a nil callback messages wait in the history until Take, TakeInto or All fetches them.
func NewSubscription[T any, P interface {
	*T
	cdr.Message
}](node *Node, topic string, qos QoS, callback func(*T, *MessageInfo), options ...SubscriptionOption) (*Subscription[T], error) {
	s := &Subscription[T]{message: func(m *T) cdr.Message { return P(m) }}
	var err error
	s.r, s.poll, err = newReceiver(node, topic, P(new(T)).CDRType().Name, (*T)(nil), qos, func() *slot {
		if callback == nil {
			return new(slot)
		}
		m, decoded := (*T)(nil), new(T)
		return &slot{
			decode: func(payload []byte) error {
				m = decoded
				return cdr.UnmarshalView(payload, P(m))
			},
			decodeKey: func(key []byte) error {
				m = new(T)
				return decodeKey(key, P(m))
			},
			share: func(message any) { m = message.(*T) },
			call:  func(info *MessageInfo) { callback(m, info) },
		}
	}, callback == nil, options)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// newReceiver creates what subscriptions have in common; poll is nil unless polled. goType is as for
// newSender.
func newReceiver(n *Node, topic, typeName string, goType any, qos QoS, newSlot func() *slot, polled bool, options []SubscriptionOption) (*Receiver, *poll, error) {
	if err := checkNil(n, options); err != nil {
		return nil, nil, fmt.Errorf("create subscription %s: %w", topic, err)
	}
	r := &Receiver{node: n, typeName: typeName, goType: goType, newSlot: newSlot, finished: make(chan struct{})}
	r.idle.L = &r.mu
	r.options.limit = defaultHistoryLimit
	for _, option := range options {
		option(&r.options)
	}
	if r.options.limit < 0 {
		return nil, nil, fmt.Errorf("create subscription %s: a history limit of %d bytes is negative", topic, r.options.limit)
	}
	if r.options.states && (goType == nil || keyOf(typeName) == nil) {
		return nil, nil, fmt.Errorf("create subscription %s: instance states of %s: %w", topic, typeName, ErrNoKey)
	}
	var p *poll
	r.asked = qos
	err := qos.validate()
	if err == nil {
		p, err = r.start(topic, polled)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("create subscription %s: %w", topic, err)
	}
	return r, p, nil
}

func (r *Receiver) start(topic string, polled bool) (p *poll, err error) {
	if err := r.node.begin(); err != nil {
		return nil, err
	}
	defer r.node.end()
	ros, dds, err := r.node.resolve(topic)
	if err != nil {
		return nil, err
	}
	r.topic = ros
	r.qos = r.node.session.resolve(r.asked, dds, false)
	here, err := r.node.hasSubscription(r)
	if err != nil {
		return nil, err
	}
	scheduler := r.node.scheduler
	switch {
	case polled:
		p, err = newPoll()
		scheduler = p
	case scheduler == nil:
		scheduler, err = r.node.session.defaultLoop()
	}
	if err != nil {
		return nil, err
	}
	if !here {
		r.exclude(scheduler)
	} else if err := r.schedule(scheduler, dds); err != nil {
		return nil, err
	}
	r.node.adopt(r)
	return p, nil
}

// A poll is the scheduler of one subscription whose owner fetches the messages.
type poll struct {
	queue *Queue
	mu    sync.Mutex // one waits, the others wait for it
	ready [1]Ready
}

func newPoll() (*poll, error) {
	q, err := NewQueue()
	if err != nil {
		return nil, err
	}
	return &poll{queue: q}, nil
}

// Place lets any number of goroutines take at once.
func (p *poll) Place(*Receiver) (Placement, error) {
	return Placement{Queue: p.queue, Concurrency: math.MaxInt}, nil
}

func (p *poll) Remove(*Receiver) {
	p.queue.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue.Free()
}

// ErrNoMessage is returned by Take and TakeInto when no message is there.
var ErrNoMessage = errors.New("no message")

// Take returns the oldest message that was not fetched yet, or ErrNoMessage. The message is the
// caller's. It is for subscriptions without a callback.
func (s *Subscription[T]) Take() (*T, *MessageInfo, error) {
	m, info := new(T), new(MessageInfo)
	if err := s.TakeInto(m, info); err != nil {
		return nil, nil, err
	}
	return m, info, nil
}

// TakeInto is Take into memory of the caller, whose sequences it uses again. info may be nil.
func (s *Subscription[T]) TakeInto(m *T, info *MessageInfo) error {
	if m == nil {
		return fmt.Errorf("take from %s: %w", s.r.topic, errNilMessage)
	}
	return s.r.take(s.poll, info, decoder{
		message: func(payload []byte) error { return cdr.Unmarshal(payload, s.message(m)) },
		key: func(key []byte) error {
			*m = *new(T)
			return decodeKey(key, s.message(m))
		},
		shared: func(message any) error {
			own, err := cloneMessage(message.(*T), s.message)
			if err == nil {
				*m = *own
			}
			return err
		},
	})
}

// A decoder fills the message that take fetches: from what DDS has, from the key of an instance without
// a message, or from a message of a publisher of the process.
type decoder struct {
	message, key func([]byte) error
	shared       func(any) error
}

// take fetches one message.
func (r *Receiver) take(p *poll, info *MessageInfo, d decoder) error {
	if p == nil {
		return fmt.Errorf("take from %s: the subscription has a callback", r.topic)
	}
	if r.absent && !r.closed.Load() {
		return fmt.Errorf("take from %s: %w: %w", r.topic, ErrNoMessage, ErrOtherPart)
	}
	s := r.acquire(unix.Gettid())
	if s == nil {
		return fmt.Errorf("take from %s: %w", r.topic, ErrClosed)
	}
	defer r.release(s)
	var err error
	if r.inbox == nil {
		err = r.takeReader(s, d)
	} else {
		err = r.takeBoth(s, d)
	}
	switch {
	case errors.Is(err, ErrNoMessage):
		return ErrNoMessage
	case err != nil:
		return fmt.Errorf("take from %s: %w", r.topic, err)
	}
	r.stats.received.Add(1)
	if info != nil {
		*info = s.info
	}
	return nil
}

// takeReader is take for what comes from DDS.
func (r *Receiver) takeReader(s *slot, d decoder) error {
	for {
		sample := &s.samples[0]
		r.mu.Lock()
		n, err := r.reader.Take(s.samples[:1])
		r.mu.Unlock()
		r.track(s.samples[:n])
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNoMessage
		}
		s.info.set(sample)
		payload, decode := sample.Payload(), d.message
		if payload == nil && r.options.states {
			payload, decode = sample.Key(), d.key
		}
		if payload == nil || r.inbox.has(sample) {
			sample.Release()
			continue
		}
		if len(payload) > r.buffer {
			r.tooBig(sample)
		}
		err = decode(payload)
		sample.Release()
		if err == nil {
			return nil
		}
		r.malformed(&s.info, err)
	}
}

// takeBoth is take where messages come from publishers of the process too.
func (r *Receiver) takeBoth(s *slot, d decoder) error {
	turn := r.inbox.next()
	if turn.reader {
		err := r.takeReader(s, d)
		if !errors.Is(err, ErrNoMessage) {
			return err
		}
		r.inbox.readerEmpty(turn)
	}
	if m, ok := r.popInbox(); ok {
		s.info = m.info
		return d.shared(m.message)
	}
	if turn.reader {
		return ErrNoMessage
	}
	return r.takeReader(s, d)
}

// wait blocks until a message may be there.
func (r *Receiver) wait(ctx context.Context, p *poll) error {
	if inDelivery() {
		return ErrInDelivery
	}
	stop := context.AfterFunc(ctx, p.queue.Wake)
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.closed.Load() {
			return ErrClosed
		}
		if p.queue.Pop(p.ready[:]) > 0 {
			return nil
		}
		p.queue.Wait()
	}
}

// All returns the messages as they come, until ctx ends or the subscription is closed. It is for
// subscriptions without a callback, in one goroutine. A message is valid until the next one.
func (s *Subscription[T]) All(ctx context.Context) iter.Seq2[*T, *MessageInfo] {
	return func(yield func(*T, *MessageInfo) bool) {
		m, info := new(T), new(MessageInfo)
		for s.poll != nil {
			switch err := s.TakeInto(m, info); {
			case err == nil:
				if ctx.Err() != nil || !yield(m, info) {
					return
				}
			case !errors.Is(err, ErrNoMessage) || s.r.wait(ctx, s.poll) != nil:
				return
			}
		}
	}
}

// Topic returns the full name of the topic after remapping.
func (s *Subscription[T]) Topic() string { return s.r.topic }

// QoS returns the profile in force, without system defaults and best available.
func (s *Subscription[T]) QoS() QoS { return s.r.qos }

// AskedQoS returns the profile that the subscription was created with.
func (s *Subscription[T]) AskedQoS() QoS { return s.r.asked }

// GUID returns the subscription's GUID.
func (s *Subscription[T]) GUID() GUID { return s.r.GUID() }

// EventCounts tells what has happened to the subscription.
func (s *Subscription[T]) EventCounts() EventCounts { return s.r.events.counts() }

// Stats returns counters since the subscription was created.
func (s *Subscription[T]) Stats() ReceiverStats { return s.r.Stats() }

// Publishers returns how many publishers, of all processes, the subscription is matched with.
func (s *Subscription[T]) Publishers() int { return s.r.matched.count() }

// WaitForPublishers blocks until at least n publishers are matched, ctx ends, or the subscription is
// closed (ErrClosed).
func (s *Subscription[T]) WaitForPublishers(ctx context.Context, n int) error {
	return waitError(s.r.topic, "publishers", s.r.matched.wait(ctx, n))
}

// Close closes the subscription and returns after its last callback has. Called from its own
// callback it returns at once, and no further callback starts. In an inline callback of another
// subscription it returns ErrInDelivery.
func (s *Subscription[T]) Close() error { return s.r.close() }

var _ Scheduler = (*poll)(nil)
