package pubsub

import (
	"math"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// maxKept is how many messages wait in an inbox whose history is KEEP_ALL.
const maxKept = 1000

// An inbox is the history of what a subscription gets without DDS.
type inbox struct {
	limit   int
	all     bool // KEEP_ALL
	refuses bool // and reliable: the publisher waits

	mu       sync.Mutex
	ring     []intraMessage // as large as was needed
	first, n int
	reserved int
	space    chan struct{} // closed with the next removal; nil where nobody waits
	closed   bool
	turn     turn

	// from tells of the publishers that deliver here how many messages they had written to DDS before:
	// what comes from DDS with a higher number came here already.
	from map[GUID]uint64
	seen int // publishers whose older messages were fetched from DDS, before those here
}

// A turn tells whether DDS is to be asked before the inbox.
type turn struct {
	reader     bool
	publishers int // that have delivered to the inbox
}

// An intraMessage is shared by all subscriptions that get it.
type intraMessage struct {
	message any
	info    MessageInfo
	expires int64 // see expiry
	seal    seal
}

// expiry returns when a message is too old, as Monotonic does, and 0 for never. After that the wall clock
// may be set. A source time that is still to come counts as now.
func expiry(lifespan time.Duration, source, now time.Time) int64 {
	if lifespan == 0 {
		return 0
	}
	const far = math.MaxInt64 / 2
	return monotonicAt(now) + min(int64(lifespan), far) - min(int64(max(now.Sub(source), 0)), far)
}

func newInbox(q QoS) *inbox {
	b := &inbox{limit: q.Depth, from: map[GUID]uint64{}}
	if q.History == KeepAll {
		b.limit, b.all, b.refuses = maxKept, true, q.Reliability == Reliable
	}
	return b
}

// expect prepares for the messages of a publisher that has written so many to DDS.
func (b *inbox) expect(publisher GUID, written uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.from[publisher] = written
}

// has tells whether a sample from DDS came directly too. A subscription without an inbox has a nil one.
func (b *inbox) has(s *cyclone.Sample) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	written, ok := b.from[GUID(s.Writer)]
	return ok && s.Sequence > written
}

// reserve keeps a place for a push, false where that has to wait.
func (b *inbox) reserve() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuses && !b.closed && b.n+b.reserved >= b.limit {
		return false
	}
	b.reserved++
	return true
}

func (b *inbox) unreserve() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved--
	b.removed()
}

// push uses a reserved place and tells whether a message was dropped for it, or itself.
func (b *inbox) push(m intraMessage) (dropped bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved--
	if b.closed {
		return false
	}
	if b.n == b.limit {
		if b.all {
			return true
		}
		b.drop()
		dropped = true
	}
	if b.n == len(b.ring) {
		b.grow()
	}
	b.ring[(b.first+b.n)%len(b.ring)] = m
	b.n++
	return dropped
}

func (b *inbox) grow() {
	ring := make([]intraMessage, min(max(16, 2*len(b.ring)), b.limit))
	for i := range b.n {
		ring[i] = b.ring[(b.first+i)%len(b.ring)]
	}
	b.ring, b.first = ring, 0
}

// drop removes the oldest message.
func (b *inbox) drop() {
	b.ring[b.first] = intraMessage{}
	b.first = (b.first + 1) % len(b.ring)
	b.n--
}

// pop removes the oldest message and tells how many before it were too old.
func (b *inbox) pop() (m intraMessage, ok bool, expired uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.n > 0 && !ok {
		m = b.ring[b.first]
		b.drop()
		if ok = m.expires == 0 || Monotonic() < m.expires; !ok {
			expired++
		}
	}
	b.removed()
	return m, ok, expired
}

func (b *inbox) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n == 0
}

// removed wakes publishers that wait for space.
func (b *inbox) removed() {
	if b.space != nil {
		close(b.space)
		b.space = nil
	}
}

// spaceAfter returns a channel that is closed when there is, or may be, space.
func (b *inbox) spaceAfter() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.space == nil {
		b.space = make(chan struct{})
	}
	space := b.space
	if b.closed || b.n+b.reserved < b.limit {
		b.removed()
	}
	return space
}

// next returns whose turn it is. DDS comes first as long as it may have older messages of a publisher
// that delivers here, and every other time.
func (b *inbox) next() turn {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn = turn{!b.turn.reader || b.seen < len(b.from), len(b.from)}
	return b.turn
}

// readerEmpty notes that DDS has been asked for all it had.
func (b *inbox) readerEmpty(t turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = max(b.seen, t.publishers)
}

func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed, b.n, b.first, b.ring = true, 0, 0, nil
	b.removed()
}
