package executor

import (
	"sync"

	"github.com/pinion-ros/pinion/pubsub"
)

// NewLoop returns an executor that spins as rclgo does, to compare with: a wait in a system call, as
// through cgo, then the callbacks of all subscriptions that are ready, each for one message, one after
// the other on one goroutine, in the order in which a Go map gave them when the wait set was built. It
// is built when Run starts, and anew when subscriptions come or go. Lanes and workers of the plan do
// not count.
func NewLoop(options ...Option) (*Executor, error) {
	return build(options, func(e *Executor) (server, error) {
		e.warnPlan()
		s, err := newSingle(e)
		if err != nil {
			return nil, err
		}
		l := &loop{single: s, members: map[*pubsub.Receiver]bool{}}
		l.turn = l.spin
		return l, nil
	})
}

// A loop is a single thread that serves in the order of its wait set.
type loop struct {
	*single
	set []*pubsub.Receiver // the wait set

	mu      sync.Mutex
	members map[*pubsub.Receiver]bool // whether they are ready
	changed bool
}

func (l *loop) add(r *pubsub.Receiver, stats *topicStats) (pubsub.Placement, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.members[r], l.changed = false, true
	return l.single.add(r, stats)
}

func (l *loop) remove(r *pubsub.Receiver) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.members, r)
	l.changed = true
}

func (l *loop) spin() bool {
	l.mark()
	served := false
	for _, r := range l.set {
		if l.over() {
			break
		}
		if l.take(r) {
			l.dispatch(r)
			served = true
		}
	}
	return served
}

// mark notes what is ready, in a wait set that is up to date.
func (l *loop) mark() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed {
		l.changed = false
		l.set = l.set[:0]
		for r := range l.members {
			l.set = append(l.set, r)
		}
	}
	for n := l.queue.Pop(l.ready[:]); n > 0; n = l.queue.Pop(l.ready[:]) {
		for _, r := range l.ready[:n] {
			if _, ok := l.members[r.Receiver]; ok {
				l.members[r.Receiver] = true
			}
		}
	}
}

// take tells whether r is ready, once.
func (l *loop) take(r *pubsub.Receiver) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	ready := l.members[r]
	if ready {
		l.members[r] = false
	}
	return ready
}
