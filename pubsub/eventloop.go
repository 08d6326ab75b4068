package pubsub

import (
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// The kinds of events that this package finds out by itself.
const (
	incompatibleType cyclone.EventKind = cyclone.EventKinds + iota
	messagesLost

	eventKinds = cyclone.EventKinds + 2
)

// An eventLoop carries what happens to endpoints from Cyclone DDS's threads, which must not be held
// up, to a goroutine. It keeps the last event of each kind and endpoint and so never grows.
type eventLoop struct {
	mu          sync.Mutex
	first, last *eventBox
	wake        chan struct{}
	done        chan struct{}
	thread      atomic.Int64
	closed      bool
}

// An eventBox collects the events of one endpoint, from before it is created.
type eventBox struct {
	loop   *eventLoop
	topic  string
	handle func(cyclone.Event)
	peer   func(handle uint64) cyclone.GUID // nil until the endpoint is created
	newest [eventKinds]cyclone.Event
	set    uint32 // bit per kind that handle was not called for
	queued bool
	next   *eventBox
}

func newEventLoop() *eventLoop {
	l := &eventLoop{wake: make(chan struct{}, 1), done: make(chan struct{})}
	go l.run()
	return l
}

func (l *eventLoop) box(topic string, handle func(cyclone.Event)) *eventBox {
	return &eventBox{loop: l, topic: topic, handle: handle}
}

// post may be called by Cyclone DDS's threads.
func (b *eventBox) post(e cyclone.Event) {
	l := b.loop
	l.mu.Lock()
	old := &b.newest[e.Kind]
	if e.Kind >= cyclone.EventKinds { // Cyclone DDS sums up its own
		e.Total = old.Total + uint32(e.Change)
	}
	if b.set&(1<<e.Kind) != 0 { // the changes of the one that is replaced still count
		e.Change += old.Change
		e.CurrentChange += old.CurrentChange
	}
	*old = e
	b.set |= 1 << e.Kind
	b.enqueue()
	l.mu.Unlock()
	l.signal()
}

// start has handle called from now on, for what is there already too.
func (b *eventBox) start(peer func(uint64) cyclone.GUID) {
	b.loop.mu.Lock()
	b.peer = peer
	b.enqueue()
	b.loop.mu.Unlock()
	b.loop.signal()
}

func (b *eventBox) enqueue() {
	l := b.loop
	if b.queued || b.set == 0 || b.peer == nil {
		return
	}
	b.queued, b.next = true, nil
	if l.last == nil {
		l.first = b
	} else {
		l.last.next = b
	}
	l.last = b
}

func (l *eventLoop) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// status returns the last event of a kind.
func (b *eventBox) status(kind cyclone.EventKind) cyclone.Event {
	b.loop.mu.Lock()
	defer b.loop.mu.Unlock()
	return b.newest[kind]
}

func (l *eventLoop) run() {
	defer close(l.done)
	runtime.LockOSThread()
	l.thread.Store(int64(unix.Gettid()))
	for range l.wake {
		for b := l.pop(); b != nil; b = l.pop() {
			b.deliver()
		}
		l.mu.Lock()
		closed := l.closed
		l.mu.Unlock()
		if closed {
			return
		}
	}
}

func (l *eventLoop) pop() *eventBox {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.first
	if b == nil {
		return nil
	}
	if l.first = b.next; l.first == nil {
		l.last = nil
	}
	b.queued = false
	return b
}

func (b *eventBox) deliver() {
	for kind := range eventKinds {
		b.loop.mu.Lock()
		e, ok := b.newest[kind], b.set&(1<<kind) != 0
		b.set &^= 1 << kind
		b.loop.mu.Unlock()
		if ok {
			b.call(e)
		}
	}
}

// call sees to it that a panic names the topic.
func (b *eventBox) call(e cyclone.Event) {
	returned := false
	defer func() {
		if !returned {
			panic(newPanic(b.topic, recover()))
		}
	}()
	b.handle(e)
	returned = true
}

// inside tells whether the caller is a handler.
func (l *eventLoop) inside() bool { return int64(unix.Gettid()) == l.thread.Load() }

// close ends the goroutine after what is pending; no endpoint may post any more. It waits for that
// unless a handler calls it.
func (l *eventLoop) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.signal()
	if !l.inside() {
		<-l.done
	}
}
