package executor

import (
	"runtime"
	"sync"

	"github.com/pinion-ros/pinion/pubsub"
	"golang.org/x/sys/unix"
)

// A pool runs the callbacks of background subscriptions on a fixed number of threads. What is ready
// waits once per subscription, the longest wait first; the messages themselves wait in the
// subscriptions' histories.
type pool struct {
	queue *pubsub.Queue
	plan  Background

	mu      sync.Mutex
	work    sync.Cond
	ready   []*task // in the order in which they got ready
	stopped bool
	tasks   map[*pubsub.Receiver]*task
}

// A task is a background subscription.
type task struct {
	receiver *pubsub.Receiver
	stats    *topicStats
	waiting  bool // in ready
	running  bool
	again    bool // got ready while running
}

func newPool(plan Background) (*pool, error) {
	q, err := pubsub.NewQueue()
	if err != nil {
		return nil, err
	}
	p := &pool{queue: q, plan: plan, tasks: map[*pubsub.Receiver]*task{}}
	p.work.L = &p.mu
	return p, nil
}

func (p *pool) workers() int { return max(p.plan.Workers, 1) }

func (p *pool) add(r *pubsub.Receiver, stats *topicStats) pubsub.Placement {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks[r] = &task{receiver: r, stats: stats}
	return pubsub.Placement{Queue: p.queue, Observer: stats}
}

func (p *pool) remove(r *pubsub.Receiver) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tasks, r)
}

// collect moves what the receive threads put into the queue to the workers, until the queue is closed.
func (p *pool) collect() {
	var ready [64]pubsub.Ready
	for p.queue.Wait() {
		for n := p.queue.Pop(ready[:]); n > 0; n = p.queue.Pop(ready[:]) {
			p.mu.Lock()
			for _, r := range ready[:n] {
				if t := p.tasks[r.Receiver]; t != nil {
					p.enqueue(t)
				}
			}
			p.mu.Unlock()
		}
	}
}

// enqueue is called with the lock held.
func (p *pool) enqueue(t *task) {
	switch {
	case t.waiting:
	case t.running:
		t.again = true
	default:
		t.waiting = true
		p.ready = append(p.ready, t)
		p.work.Signal()
	}
}

// next waits for a task and marks it running; nil means that the pool has stopped.
func (p *pool) next() *task {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.ready) == 0 && !p.stopped {
		p.work.Wait()
	}
	if p.stopped {
		return nil
	}
	t := p.ready[0]
	copy(p.ready, p.ready[1:])
	p.ready = p.ready[:len(p.ready)-1]
	t.waiting, t.running = false, true
	return t
}

// done puts a task that has more to do behind the others, so that none starves.
func (p *pool) done(t *task, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.running = false
	if t.again || more {
		t.again = false
		if p.tasks[t.receiver] == t {
			p.enqueue(t)
		}
	}
}

// serve is one worker, on a thread of its own.
func (p *pool) serve() error {
	runtime.LockOSThread() // for good: the thread ends with the goroutine, its affinity goes with it
	if err := setAffinity(unix.Gettid(), p.plan.CPUs); err != nil {
		return err
	}
	for t := p.next(); t != nil; t = p.next() {
		_, more := t.receiver.Dispatch(1)
		p.done(t, more)
	}
	return nil
}

func (p *pool) stop() {
	p.mu.Lock()
	p.stopped = true
	p.work.Broadcast()
	p.mu.Unlock()
}
