package pubsub

import (
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A loop is the scheduler of nodes that have none: it runs all callbacks one after the other, on one
// thread, as the single-threaded executor of ROS 2 does.
type loop struct {
	queue  *Queue
	thread atomic.Int64
	done   chan struct{}
}

func newLoop() (*loop, error) {
	q, err := NewQueue()
	if err != nil {
		return nil, err
	}
	l := &loop{queue: q, done: make(chan struct{})}
	go l.run()
	return l, nil
}

func (l *loop) Place(*Receiver) (Placement, error) { return Placement{Queue: l.queue}, nil }

func (l *loop) Remove(*Receiver) {}

// run takes one message of each ready subscription in turn, so that none starves another.
func (l *loop) run() {
	defer close(l.done)
	runtime.LockOSThread()
	l.thread.Store(int64(unix.Gettid()))
	ready := make([]Ready, 16)
	for l.queue.Wait() {
		for n := l.queue.Pop(ready); n > 0; n = l.queue.Pop(ready) {
			for _, r := range ready[:n] {
				if _, more := r.Receiver.Dispatch(1); more {
					r.Receiver.Requeue()
				}
			}
		}
	}
	l.queue.Free()
}

// close ends the loop, whose subscriptions are closed. It waits unless a callback calls it.
func (l *loop) close() {
	l.queue.Close()
	if int64(unix.Gettid()) != l.thread.Load() {
		<-l.done
	}
}
