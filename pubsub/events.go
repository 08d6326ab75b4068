package pubsub

import (
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// An eventLoop carries what happens to endpoints from Cyclone DDS's threads, which must not be held
// up, to a goroutine. It keeps the last event of each kind and endpoint and so never grows.
type eventLoop struct {
	mu      sync.Mutex
	pending []*eventBox
	wake    chan struct{}
	done    chan struct{}
	thread  atomic.Int64
	closed  bool
}

// An eventBox collects the events of one endpoint.
type eventBox struct {
	loop   *eventLoop
	handle func(cyclone.Event)
	last   [cyclone.EventKinds]cyclone.Event
	set    uint32 // bit per kind
	queued bool
}

func newEventLoop() *eventLoop {
	l := &eventLoop{wake: make(chan struct{}, 1), done: make(chan struct{})}
	go l.run()
	return l
}

func (l *eventLoop) box(handle func(cyclone.Event)) *eventBox {
	return &eventBox{loop: l, handle: handle}
}

// post is called by Cyclone DDS's threads.
func (b *eventBox) post(e cyclone.Event) {
	l := b.loop
	l.mu.Lock()
	if b.set&(1<<e.Kind) != 0 { // the changes of the one that is replaced still count
		e.Change += b.last[e.Kind].Change
		e.CurrentChange += b.last[e.Kind].CurrentChange
	}
	b.last[e.Kind] = e
	b.set |= 1 << e.Kind
	if !b.queued {
		b.queued = true
		l.pending = append(l.pending, b)
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *eventLoop) run() {
	defer close(l.done)
	runtime.LockOSThread()
	l.thread.Store(int64(unix.Gettid()))
	for range l.wake {
		for b := l.next(); b != nil; b = l.next() {
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

func (l *eventLoop) next() *eventBox {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.pending) == 0 {
		return nil
	}
	b := l.pending[0]
	l.pending = l.pending[1:]
	b.queued = false
	return b
}

func (b *eventBox) deliver() {
	for kind := range cyclone.EventKinds {
		b.loop.mu.Lock()
		e, ok := b.last[kind], b.set&(1<<kind) != 0
		b.set &^= 1 << kind
		b.loop.mu.Unlock()
		if ok {
			b.handle(e)
		}
	}
}

// close ends the goroutine after what is pending; no endpoint may post any more. It waits for that
// unless a handler calls it.
func (l *eventLoop) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
	if int64(unix.Gettid()) != l.thread.Load() {
		<-l.done
	}
}
