package bag

import (
	"sync"
	"time"
)

// queue takes messages from callbacks, which it never blocks, to the one goroutine that writes them.
// At most limit bytes wait, and as many are being written.
type queue struct {
	limit  int
	ready  chan struct{} // has an element when pending is not empty
	full   chan struct{} // has an element when pending is half full
	closed chan struct{}

	mu      sync.Mutex
	pending batch
	ended   bool
}

func newQueue(limit int) *queue {
	return &queue{limit: limit, ready: make(chan struct{}, 1), full: make(chan struct{}, 1), closed: make(chan struct{})}
}

// push reports whether there was space.
func (q *queue) push(topic int, time int64, data []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	size := q.pending.size() + len(data) + overhead
	if size > q.limit {
		return false
	}
	q.pending.add(topic, time, data)
	notify(q.ready)
	if size > q.limit/2 {
		notify(q.full)
	}
	return true
}

func notify(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// close lets next return at once. Nothing may be pushed any more.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	close(q.closed)
}

// next waits for messages, then until delay is over or the queue is half full, and swaps what has
// come with b, which must be empty. It returns false when the queue is closed and empty.
func (q *queue) next(b *batch, delay time.Duration) bool {
	select {
	case <-q.ready:
		select {
		case <-q.full:
		case <-time.After(delay):
		case <-q.closed:
		}
	case <-q.closed:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pending, *b = *b, q.pending
	return len(b.entries) > 0 || !q.ended
}

// fail gives up what waits and whatever is pushed from now on, and returns how many messages wait.
func (q *queue) fail() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.pending.entries)
	q.pending, q.limit = batch{}, 0
	return n
}
