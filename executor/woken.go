package executor

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"golang.org/x/sys/unix"
)

// A worker is the thread of a woken lane. It waits for its topics and its timers in one place and runs
// what is due, one callback at a time: in each turn the timers that are due, then one message of the
// topic of the highest priority, and among equals of the one that has been ready for longest.
type worker struct {
	queue  *pubsub.Queue
	thread atomic.Int64 // 0 unless running
	timers timerList

	// What the thread reads is replaced, not locked, so that it never waits for the goroutine that
	// adds a subscription.
	priorities atomic.Pointer[map[*pubsub.Receiver]int]

	until atomic.Int64 // when to stop, whatever is waiting; 0 for not
	done  chan struct{}

	popped [64]pubsub.Ready
	ready  []readyTopic
}

type readyTopic struct {
	receiver *pubsub.Receiver
	priority int
	since    int64
}

func newWorker() (*worker, error) {
	q, err := pubsub.NewThreadQueue()
	if err != nil {
		return nil, err
	}
	w := &worker{queue: q}
	w.priorities.Store(&map[*pubsub.Receiver]int{})
	return w, nil
}

// start returns when prepare has been called on the new thread, with its error.
func (w *worker) start(prepare func(tid int) error) error {
	w.done = make(chan struct{})
	prepared := make(chan error)
	go func() {
		defer close(w.done)
		defer w.thread.Store(0)
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		err := prepare(unix.Gettid())
		prepared <- err
		if err == nil {
			w.serve()
		}
	}()
	return <-prepared
}

func (w *worker) serve() {
	for {
		until := w.until.Load()
		if until != 0 && pubsub.Monotonic() >= until {
			return
		}
		busy := until == 0 && w.timers.runDue()
		w.collect()
		if len(w.ready) > 0 {
			w.dispatch(w.next())
			busy = true
		}
		if !busy && (until != 0 || !w.queue.WaitThread(w.timers.next())) {
			return
		}
	}
}

// collect moves what got ready out of the queue.
func (w *worker) collect() {
	priorities := *w.priorities.Load()
	for n := w.queue.Pop(w.popped[:]); n > 0; n = w.queue.Pop(w.popped[:]) {
		for _, r := range w.popped[:n] {
			w.enqueue(r.Receiver, priorities[r.Receiver], r.Since)
		}
	}
}

func (w *worker) enqueue(r *pubsub.Receiver, priority int, since int64) {
	for i := range w.ready {
		if w.ready[i].receiver == r {
			return
		}
	}
	w.ready = append(w.ready, readyTopic{r, priority, since})
}

// next takes the topic out whose turn it is.
func (w *worker) next() readyTopic {
	best := 0
	for i := range w.ready {
		if a, b := &w.ready[i], &w.ready[best]; a.priority > b.priority || a.priority == b.priority && a.since < b.since {
			best = i
		}
	}
	t, last := w.ready[best], len(w.ready)-1
	w.ready[best] = w.ready[last]
	w.ready[last] = readyTopic{} // lets go of the receiver
	w.ready = w.ready[:last]
	return t
}

func (w *worker) dispatch(t readyTopic) {
	if _, more := t.receiver.Dispatch(1); more {
		w.enqueue(t.receiver, t.priority, pubsub.Monotonic())
	}
}

// prioritise adds a receiver, forget removes it. One goroutine at a time may call them.
func (w *worker) prioritise(r *pubsub.Receiver, priority int) {
	priorities := map[*pubsub.Receiver]int{r: priority}
	for r, p := range *w.priorities.Load() {
		priorities[r] = p
	}
	w.priorities.Store(&priorities)
}

func (w *worker) forget(r *pubsub.Receiver) {
	priorities := map[*pubsub.Receiver]int{}
	for other, p := range *w.priorities.Load() {
		if other != r {
			priorities[other] = p
		}
	}
	w.priorities.Store(&priorities)
}

func (w *worker) add(t *Timer) {
	w.timers.add(t)
	w.queue.Wake()
}

func (w *worker) remove(t *Timer) { w.timers.remove(t) }

// stop returns when the thread has ended.
func (w *worker) stop(drain time.Duration) {
	w.until.Store(max(1, pubsub.Monotonic()+int64(drain)))
	w.queue.Wake()
	if w.done != nil {
		<-w.done
	}
	w.queue.Close()
}

// never is a time that does not come.
const never = math.MaxInt64
