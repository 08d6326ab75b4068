package executor

import (
	"container/heap"
	"runtime"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// headStart is by how much each step of priority lets a subscription overtake those that have been
// ready for longer. It is what makes the order both prioritised and fair: nothing that gets ready
// later than maxPriority times headStart after something else runs before it.
const headStart = 10 * time.Millisecond

// A pool runs the callbacks of background subscriptions on a fixed number of threads. What is ready
// waits once per subscription; the messages themselves wait in the subscriptions' histories.
type pool struct {
	queue      *pubsub.Queue
	plan       Background
	bestEffort bool
	log        *zap.Logger
	wg         sync.WaitGroup

	mu     sync.Mutex
	work   sync.Cond
	state  poolState
	busy   int // workers that run callbacks
	ready  taskHeap
	tasks  map[*pubsub.Receiver]*task
	timers map[*Timer]*task
	groups map[*Group]*exclusion
	warned bool

	clock poolClock
}

type poolState int

const (
	serving  poolState = iota
	draining           // the queue is to be emptied once more
	drained            // the workers end when nothing is ready
	stopped
)

// A task is something that gets ready again and again: a background subscription or timer.
type task struct {
	run      func() (more bool) // one message or call
	ran      func()             // called when it may be made ready again; nil for none
	gone     bool
	priority int
	limit    int        // callbacks at the same time
	group    *exclusion // nil for none
	key      int64      // order in heaps: when it got ready, less the head start
	queued   bool       // in ready or parked
	running  int
	again    bool // got ready while as many as possible were running
}

// An exclusion is an exclusive group.
type exclusion struct {
	members int
	busy    bool
	parked  taskHeap // ready, but for the group
}

func newPool(plan Background, bestEffort bool, log *zap.Logger) (*pool, error) {
	q, err := pubsub.NewQueue()
	if err != nil {
		return nil, err
	}
	p := &pool{queue: q, plan: plan, bestEffort: bestEffort, log: log, tasks: map[*pubsub.Receiver]*task{},
		timers: map[*Timer]*task{}, groups: map[*Group]*exclusion{}, clock: newPoolClock()}
	p.work.L = &p.mu
	return p, nil
}

func (p *pool) threads() (lanes, workers int) { return 0, max(p.plan.Workers, 1) }

func (p *pool) exclusion(*pubsub.Receiver) any { return p }

func (p *pool) add(r *pubsub.Receiver, stats *topicStats) (pubsub.Placement, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &task{priority: stats.plan.Priority, limit: 1}
	t.run = func() bool {
		_, more := r.Dispatch(1)
		return more
	}
	if g := groupOf(r); g != nil {
		if g.reentrant {
			_, t.limit = p.threads()
		} else {
			t.group = p.join(g)
		}
	}
	p.tasks[r] = t
	return pubsub.Placement{Queue: p.queue, Observer: stats, Concurrency: t.limit}, nil
}

func (p *pool) join(g *Group) *exclusion {
	x := p.groups[g]
	if x == nil {
		x = &exclusion{}
		p.groups[g] = x
	}
	x.members++
	return x
}

func (p *pool) remove(r *pubsub.Receiver) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tasks[r]
	if t == nil {
		return
	}
	t.gone = true
	delete(p.tasks, r)
	if t.group != nil {
		if t.group.members--; t.group.members == 0 {
			delete(p.groups, groupOf(r))
		}
	}
}

func (p *pool) start(fail func(error)) error {
	_, workers := p.threads()
	for range workers {
		p.wg.Go(func() {
			if err := p.serve(); err != nil {
				fail(err)
			}
		})
	}
	p.wg.Go(p.collect)
	p.wg.Go(p.watchClock)
	return nil
}

// stop lets callbacks end.
func (p *pool) stop(drain time.Duration) {
	close(p.clock.stop)
	if drain > 0 {
		p.enter(draining)
		p.queue.Wake()
		limit := time.AfterFunc(drain, func() { p.enter(stopped) })
		defer limit.Stop()
	} else {
		p.enter(stopped)
	}
	p.mu.Lock()
	for p.state != stopped {
		p.work.Wait()
	}
	p.mu.Unlock()
	p.queue.Close()
	p.wg.Wait()
}

func (p *pool) free() { p.queue.Free() }

// enter goes on to a later state.
func (p *pool) enter(s poolState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = max(p.state, s)
	p.work.Broadcast()
}

// collect moves what the receive threads put into the queue to the workers, until the queue is closed.
func (p *pool) collect() {
	var ready [64]pubsub.Ready
	for p.queue.Wait() {
		for n := p.queue.Pop(ready[:]); n > 0; n = p.queue.Pop(ready[:]) {
			p.mu.Lock()
			for _, r := range ready[:n] {
				if t := p.tasks[r.Receiver]; t != nil {
					p.enqueue(t, r.Since)
				}
			}
			p.mu.Unlock()
		}
		p.mu.Lock()
		if p.state == draining {
			p.state = drained
			p.work.Broadcast()
		}
		p.mu.Unlock()
	}
}

// enqueue is called with the lock held.
func (p *pool) enqueue(t *task, since int64) {
	if t.queued || t.gone {
		return
	}
	if t.running == t.limit {
		t.again = true
		return
	}
	t.queued = true
	t.key = since - int64(t.priority)*int64(headStart)
	heap.Push(&p.ready, t)
	p.work.Signal()
}

// next waits for a task and marks it running; nil means that the pool has stopped.
func (p *pool) next() *task {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if p.state == stopped {
			return nil
		}
		if t := p.pick(); t != nil {
			return t
		}
		if p.state == drained && p.busy == 0 {
			p.state = stopped
			p.work.Broadcast()
			return nil
		}
		p.work.Wait()
	}
}

// pick returns the first task whose group lets it run.
func (p *pool) pick() *task {
	for len(p.ready) > 0 {
		t := heap.Pop(&p.ready).(*task)
		if t.group != nil {
			if t.group.busy {
				heap.Push(&t.group.parked, t)
				continue
			}
			t.group.busy = true
		}
		t.queued = false
		t.running++
		p.busy++
		if t.running < t.limit {
			p.enqueue(t, pubsub.Monotonic()) // there may be more than one message
		}
		return t
	}
	return nil
}

// done puts a task that has more to do behind the others, so that none starves.
func (p *pool) done(t *task, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	t.running--
	if g := t.group; g != nil {
		g.busy = false
		if len(g.parked) > 0 {
			heap.Push(&p.ready, heap.Pop(&g.parked))
			p.work.Signal()
		}
	}
	if t.again || more {
		t.again = false
		p.enqueue(t, pubsub.Monotonic())
	}
	if p.state == drained {
		p.work.Broadcast()
	}
	if t.ran != nil {
		t.ran()
	}
}

// serve is one worker, on a thread of its own.
func (p *pool) serve() error {
	runtime.LockOSThread() // for good: the thread ends with the goroutine, its affinity goes with it
	if err := p.pin(); err != nil {
		return err
	}
	for t := p.next(); t != nil; t = p.next() {
		p.done(t, t.run())
	}
	return nil
}

func (p *pool) pin() error {
	err := setAffinity(unix.Gettid(), p.plan.CPUs)
	if err == nil || !p.bestEffort {
		return wrap("background worker", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.warned {
		p.log.Warn("the background runs without the CPUs of its plan", zap.Error(err))
		p.warned = true
	}
	return nil
}

// taskHeap has the task with the least key first.
type taskHeap []*task

func (h taskHeap) Len() int           { return len(h) }
func (h taskHeap) Less(i, j int) bool { return h[i].key < h[j].key }
func (h taskHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *taskHeap) Push(t any)        { *h = append(*h, t.(*task)) }
func (h *taskHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return t
}
