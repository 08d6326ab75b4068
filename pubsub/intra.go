package pubsub

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/cyclone"
)

// An intraSender hands a publisher's messages to subscriptions of the process as they are, beside DDS.
//
// DDS gets to know of all matches as ever. Only where every matched subscription is one of those that
// get the messages directly is nothing serialized and written. Nobody can ask for the past of a
// volatile publisher; one that is transient local writes in any case, and its history in DDS serves
// late subscriptions of all kinds.
type intraSender struct {
	sender   *sender
	goType   any           // a nil pointer of the message's type
	closing  chan struct{} // closed when the publisher is
	blocking time.Duration
	matches  atomic.Uint64 // counts changes of what the writer is matched with

	mu        sync.Mutex
	links     []*Receiver
	covered   uint64 // the count of matches for which links are all that is matched
	published uint64
	written   uint64 // of them to DDS
}

// publish hands over a message. m is v as a message. It is sent to all or, on an error, to none.
func (i *intraSender) publish(v any, m cdr.Message, source time.Time) error {
	source = i.sender.sourceTime(source)
	giveUp := time.Time{}
	for {
		full, err := i.try(v, m, source)
		if full == nil {
			return err
		}
		if giveUp.IsZero() {
			giveUp = time.Now().Add(i.blocking)
		}
		if err := i.wait(full, giveUp); err != nil {
			return err
		}
	}
}

// try is publish without waiting for space in an inbox; it returns the one that has none.
func (i *intraSender) try(v any, m cdr.Message, source time.Time) (full *inbox, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.sender.closed.Load() {
		return nil, ErrClosed
	}
	for n, r := range i.links {
		if !r.inbox.reserve() {
			i.unreserve(n)
			return r.inbox, nil
		}
	}
	if i.sender.qos.Durability == TransientLocal || i.covered != i.matches.Load() {
		if err := i.sender.write(m, source); err != nil {
			i.unreserve(len(i.links))
			return nil, err
		}
		i.written++
	}
	i.published++
	now := time.Now()
	if source.IsZero() {
		source = now
	}
	message := intraMessage{v, MessageInfo{
		SourceTime: source, Arrival: monotonicAt(now), Sequence: i.published, Publisher: i.sender.GUID(), IntraProcess: true,
	}, expiry(i.sender.qos.Lifespan, source, now), sealed(m)}
	for _, r := range i.links {
		if r.inbox.push(message) {
			r.missed(0, 1)
		}
		r.Requeue()
	}
	return nil, nil
}

func (i *intraSender) unreserve(n int) {
	for _, r := range i.links[:n] {
		r.inbox.unreserve()
	}
}

// wait returns when there may be space in the inbox.
func (i *intraSender) wait(full *inbox, giveUp time.Time) error {
	left := time.Until(giveUp)
	if left <= 0 || inDelivery() {
		return cyclone.ErrTimeout
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-full.spaceAfter():
		return nil
	case <-i.closing:
		return ErrClosed
	case <-timer.C:
		return cyclone.ErrTimeout
	}
}

// direct tells whether the subscription can get messages without DDS. Where the QoS has DDS watch what
// is written and received, it must be.
func (i *intraSender) direct(r *Receiver) bool {
	offered, asked := i.sender.qos, r.qos
	switch {
	case r.inbox == nil || r.goType != i.goType || len(incompatible(offered, asked)) > 0 || keyOf(r.typeName) != nil:
		return false // with a key each instance has a history of its own
	case offered.Deadline != 0 || asked.Deadline != 0 || offered.Liveliness == ManualByTopic:
		return false
	}
	// The past of a publisher reaches other participants some time later, behind what is new.
	return r.placement.Path == nil || offered.Durability != TransientLocal
}

func (i *intraSender) link(r *Receiver) {
	i.mu.Lock()
	i.links = append(i.links, r)
	r.inbox.expect(i.sender.GUID(), i.written)
	i.mu.Unlock()
	i.recount()
}

// cloneMessage copies a message.
func cloneMessage[T any](m *T, message func(*T) cdr.Message) (*T, error) {
	if c, ok := any(m).(interface{ Clone() *T }); ok { // as generated types have it
		return c.Clone(), nil
	}
	data, err := cdr.Marshal(message(m))
	if err != nil {
		return nil, err
	}
	own := new(T)
	return own, cdr.Unmarshal(data, message(own))
}

func (i *intraSender) unlink(r *Receiver) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.links = slices.DeleteFunc(i.links, func(x *Receiver) bool { return x == r })
}

// recount looks whether the links are all that is matched. It is called after each change of either.
func (i *intraSender) recount() {
	matches := i.matches.Load()
	peers := i.sender.writer.Readers()
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, p := range peers {
		if !slices.ContainsFunc(i.links, func(r *Receiver) bool { return r.GUID() == GUID(p) }) {
			return
		}
	}
	i.covered = matches
}
