package cyclone

// #include "queue.h"
import "C"

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Ready is a reader that has, or may have, data.
type Ready struct {
	Owner any   // of the reader's configuration
	Since int64 // CLOCK_MONOTONIC in ns when it got ready
}

// Queue collects readers that have data, each once, in the order in which they got ready. One
// goroutine consumes it; readers' listeners fill it without entering Go.
type Queue struct {
	c      *C.pn_queue
	event  *os.File // nil for a queue that is waited for on its word
	buf    [64]C.pn_ready
	closed atomic.Bool
	once   sync.Once
}

// NewQueue creates a queue whose consumer waits in Go's network poller: no thread is spent on it.
func NewQueue() (*Queue, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create eventfd: %w", err)
	}
	c := C.pn_queue_new(C.int(fd))
	if c == nil {
		unix.Close(fd)
		return nil, ErrOutOfResources
	}
	return &Queue{c: c, event: os.NewFile(uintptr(fd), "ready")}, nil
}

// Wait blocks until something was put into the queue since the last Wait, or Wake or Close was
// called; after Close it returns false.
func (q *Queue) Wait() bool {
	var counter [8]byte
	if _, err := q.event.Read(counter[:]); err != nil {
		return false
	}
	return !q.closed.Load()
}

// Pop moves entries into out and returns how many. A reader that leaves data behind must be put
// back with Requeue.
func (q *Queue) Pop(out []Ready) int {
	max := min(len(out), len(q.buf))
	if max == 0 {
		return 0
	}
	n, k := int(C.pn_queue_pop(q.c, &q.buf[0], C.uint32_t(max))), 0
	for _, r := range q.buf[:n] {
		e := endpoints.lookup(uint64(r.token))
		if e == nil || e.owner == nil {
			continue // closed since
		}
		out[k] = Ready{e.owner, int64(r.since)}
		k++
	}
	return k
}

// Wake makes Wait return without an entry.
func (q *Queue) Wake() { C.pn_queue_kick(q.c) }

// Close ends Wait. Free must follow when no reader uses the queue any more.
func (q *Queue) Close() {
	if !q.closed.Swap(true) {
		q.Wake()
	}
}

// Free gives the memory back. The queue's readers must be closed and its consumer gone.
func (q *Queue) Free() {
	q.once.Do(func() {
		q.event.Close()
		C.pn_queue_free(q.c)
	})
}
