package cyclone

// #include "congestion.h"
// #include "queue.h"
import "C"

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

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
	word   futex
	buf    [64]C.pn_ready
	closed atomic.Bool
	hurry  sync.Once    // of the thread that waits
	use    sync.RWMutex // held for reading while Wake uses c
	freed  bool
}

// NewQueue creates a queue whose consumer waits in Go's network poller: no thread is spent on it.
func NewQueue() (*Queue, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create eventfd: %w", err)
	}
	q, err := newQueue(fd)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	q.event = os.NewFile(uintptr(fd), "ready")
	return q, nil
}

// NewThreadQueue creates a queue whose consumer blocks its thread, in WaitThread.
func NewThreadQueue() (*Queue, error) { return newQueue(-1) }

func newQueue(eventfd int) (*Queue, error) {
	c := C.pn_queue_new(C.int(eventfd))
	if c == nil {
		return nil, ErrOutOfResources
	}
	return &Queue{c: c, word: futex{
		word:    (*uint32)(unsafe.Pointer(C.pn_queue_word(c))),
		waiting: (*uint32)(unsafe.Pointer(C.pn_queue_waiting(c))),
	}}, nil
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

// WaitThread is Wait for a queue of NewThreadQueue: the thread sleeps in the kernel, and nothing stands
// between it and the thread that wakes it. It also returns when CLOCK_MONOTONIC reaches until (in ns,
// math.MaxInt64 for never), and may return for no reason. From the first call on, best effort writes of
// the thread fail with ErrTimeout where they would wait for the network.
func (q *Queue) WaitThread(until int64) bool {
	q.hurry.Do(func() { C.pn_hurry(true) })
	if !q.closed.Load() {
		q.word.wait(until)
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

// Wake makes Wait return without an entry. It does nothing after Free.
func (q *Queue) Wake() {
	q.use.RLock()
	defer q.use.RUnlock()
	if !q.freed {
		C.pn_queue_kick(q.c)
	}
}

// Close ends Wait. Free must follow when no reader uses the queue any more.
func (q *Queue) Close() {
	if !q.closed.Swap(true) {
		q.Wake()
	}
}

// Free gives the memory back. The queue's readers must be closed and its consumer gone. Wake and Close
// may still be on their way: the consumer can see what they did before they are done.
func (q *Queue) Free() {
	q.use.Lock()
	defer q.use.Unlock()
	if q.freed {
		return
	}
	q.freed = true
	if q.event != nil {
		q.event.Close()
	}
	C.pn_queue_free(q.c)
}
