package pubsub

import (
	"github.com/pinion-ros/pinion/internal/cyclone"
)

// A Scheduler decides on which thread the callbacks of subscriptions run. Package executor has the
// schedulers of this module; everything they use is exported here.
type Scheduler interface {
	// Place is called while a subscription is being created, before anything can arrive, and tells
	// how its messages reach the scheduler.
	Place(r *Receiver) (Placement, error)

	// Remove is called when a subscription that was placed is gone or could not be created: no
	// callback of it runs any more.
	Remove(r *Receiver)
}

// Placement is a scheduler's decision about one subscription. Exactly one of Path without Queue
// (callbacks inline, on the thread that reads the sockets) and Queue (the scheduler pops the
// subscription and calls Dispatch) must be chosen; with both, messages come in on the path and the
// callbacks run where the queue is consumed.
type Placement struct {
	Path     *ReceivePath
	Queue    *Queue
	Observer Observer // nil for none

	// Paused keeps the messages of an inline subscription in its history until Receiver.Resume.
	Paused bool

	// Panicked is called with what a callback panicked with, on the callback's thread and stack
	// (debug.Stack shows where); after it returns the next callback may start. If it is nil, the program
	// ends with a PanicError.
	Panicked func(r *Receiver, value any)

	// Concurrency is how many callbacks of the subscription may run at once, 0 for one. Inline
	// callbacks come one at a time always.
	Concurrency int
}

// An Observer watches callbacks from the thread they run on. Its methods must be quick and must not
// block.
type Observer interface {
	// Enter is called on the thread before the first callbacks of a batch, Leave after the last.
	Enter(r *Receiver)
	Leave(r *Receiver)
	// Done is called after each callback with the time (Monotonic) of its begin and end.
	Done(r *Receiver, info *MessageInfo, begin, end int64)
}

// Queue collects subscriptions that have messages, each once, in the order in which they got ready.
// The threads that receive fill it without entering Go; one goroutine consumes it.
type Queue struct {
	q     *cyclone.Queue
	ready [64]cyclone.Ready
}

// Ready is an entry of a Queue.
type Ready struct {
	Receiver *Receiver
	Since    int64 // when it got ready, see Monotonic
}

// NewQueue returns a queue. Close it, and after its last subscription is closed Free it.
func NewQueue() (*Queue, error) {
	q, err := cyclone.NewQueue()
	if err != nil {
		return nil, err
	}
	return &Queue{q: q}, nil
}

// NewThreadQueue returns a queue that WaitThread waits for, and Wait does not.
func NewThreadQueue() (*Queue, error) {
	q, err := cyclone.NewThreadQueue()
	if err != nil {
		return nil, err
	}
	return &Queue{q: q}, nil
}

// Wait blocks, without holding a thread, until a subscription was added since the last Wait, or Wake
// was called. After Close it returns false.
func (q *Queue) Wait() bool { return q.q.Wait() }

// WaitThread is Wait for a queue of NewThreadQueue. It blocks the calling thread, to which the goroutine
// should be locked, and returns at the latest when CLOCK_MONOTONIC reaches until (in ns, see Monotonic;
// math.MaxInt64 for never). It may return early for no reason. What the thread publishes with best effort
// does not wait for the network, see Publish.
func (q *Queue) WaitThread(until int64) bool { return q.q.WaitThread(until) }

// Wake lets Wait or WaitThread return.
func (q *Queue) Wake() { q.q.Wake() }

// Pop moves the oldest entries into out and returns how many; 0 means that the queue is empty. The
// receivers must be dispatched; new messages put them into the queue again.
func (q *Queue) Pop(out []Ready) int {
	n := q.q.Pop(q.ready[:min(len(out), len(q.ready))])
	for i, r := range q.ready[:n] {
		out[i] = Ready{r.Owner.(*Receiver), r.Since}
	}
	return n
}

// Close ends Wait and WaitThread for good.
func (q *Queue) Close() { q.q.Close() }

// Free gives the queue's memory back. Its subscriptions must be closed and its consumer gone.
func (q *Queue) Free() { q.q.Free() }
