package executor

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// A lane is the running form of Lane: per domain one receive path, on whose receive thread the
// callbacks run, or which wakes the worker.
type lane struct {
	plan       Lane
	sys        system
	log        *zap.Logger
	bestEffort bool
	lockMemory bool
	exclusive  *exclusiveCPUs
	recent     intervals
	paused     atomic.Uint64 // callbacks that a pause of the collector met

	mu        sync.Mutex
	worker    *worker          // nil for an inline lane, and until it is needed
	paths     map[uint32]*path // by domain
	receivers map[*pubsub.Receiver]*path
	running   bool
	warned    bool
}

// A path is a lane's way in from one domain.
type path struct {
	*pubsub.ReceivePath
	users  int
	thread atomic.Int64 // id of the receive thread
}

func newLane(plan Lane, e *Executor) *lane {
	if e.noRealtime {
		plan.Policy, plan.Priority = Other, 0
	}
	return &lane{
		plan:       plan,
		sys:        e.sys,
		log:        e.log.With(zap.String("lane", plan.Name)),
		bestEffort: e.bestEffort,
		lockMemory: e.lockMemory,
		exclusive:  e.exclusive,
		paths:      map[uint32]*path{},
		receivers:  map[*pubsub.Receiver]*path{},
	}
}

func (l *lane) woken() bool { return l.plan.mode() == Woken }

// add places a subscription on the lane.
func (l *lane) add(r *pubsub.Receiver, stats *topicStats) (pubsub.Placement, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, err := l.path(r.Node())
	if err != nil {
		return pubsub.Placement{}, fmt.Errorf("lane %s: %w", l.plan.Name, err)
	}
	placement := pubsub.Placement{Path: p.ReceivePath}
	thread := &p.thread
	if l.woken() {
		w, err := l.work()
		if err != nil {
			if p = l.release(r.Node().Domain(), p); p != nil {
				err = errors.Join(err, p.Close())
			}
			return pubsub.Placement{}, fmt.Errorf("lane %s: %w", l.plan.Name, err)
		}
		w.prioritise(r, stats.plan.Priority)
		placement.Queue, thread = w.queue, &w.thread
	} else {
		placement.Paused = !l.running
	}
	p.users++
	l.receivers[r] = p
	stats.lane.Store(&l.plan.Name)
	placement.Observer = &laneObserver{topicStats: stats, thread: thread, recent: &l.recent, shallow: l.lockMemory}
	return placement, nil
}

// path returns the lane's path in the node's domain, which it opens for the first subscription.
func (l *lane) path(n *pubsub.Node) (*path, error) {
	if p := l.paths[n.Domain()]; p != nil {
		return p, nil
	}
	rp, err := n.NewReceivePath(l.plan.Name)
	if err != nil {
		return nil, err
	}
	p := &path{ReceivePath: rp}
	if err := l.adopt(p); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	l.paths[n.Domain()] = p
	return p, nil
}

// adopt makes a path's receive thread one of the lane's.
func (l *lane) adopt(p *path) error {
	plan := l.plan
	if l.woken() {
		plan = plan.receiving()
	}
	tid := p.Thread()
	p.thread.Store(int64(tid))
	if err := l.schedule(tid, &plan); err != nil || !l.lockMemory {
		return wrap("receive thread", err)
	}
	return l.sys.prefaultStack(tid)
}

// work returns the lane's worker.
func (l *lane) work() (*worker, error) {
	if l.worker != nil {
		return l.worker, nil
	}
	w, err := newWorker()
	if err != nil {
		return nil, err
	}
	l.worker = w
	if l.running {
		err = w.start(l.prepare)
	}
	return w, err
}

// prepare is called on the worker's thread.
func (l *lane) prepare(tid int) error {
	l.worker.thread.Store(int64(tid))
	if l.lockMemory {
		growStack()
	}
	// A timeout of a thread of the normal policy may come later by its slack, 50 µs by default.
	// It is this thread's own, and 1 ns is always allowed.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return l.schedule(tid, &l.plan)
}

// schedule gives a thread the scheduling of plan.
func (l *lane) schedule(tid int, plan *Lane) error {
	l.exclusive.claim(tid)
	err := l.sys.setAffinity(tid, plan.CPUs)
	if err == nil {
		err = l.sys.setPolicy(tid, plan)
	}
	if err == nil {
		return nil
	}
	if !l.bestEffort {
		return fmt.Errorf("%w; WithBestEffort goes on without", err)
	}
	if !l.warned {
		l.log.Warn("the lane runs without the scheduling of its plan", zap.Error(err))
		l.warned = true
	}
	return nil
}

// current tells whether the calling thread is the one that runs the callbacks of a woken lane.
func (l *lane) current() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.worker != nil && l.worker.thread.Load() == int64(unix.Gettid())
}

func (l *lane) threads() (lanes, workers int) { return 1, 0 }

func (l *lane) free() {
	if l.worker != nil {
		l.worker.queue.Free()
	}
}

// exclusion is the thread that runs the subscription's callbacks.
func (l *lane) exclusion(r *pubsub.Receiver) any {
	if l.woken() {
		return l
	}
	return struct {
		*lane
		domain uint32
	}{l, r.Node().Domain()}
}

// start lets the callbacks run. Those of an inline lane for what has arrived already run on the calling
// goroutine, before the lane's thread goes on.
func (l *lane) start(func(error)) error {
	l.mu.Lock()
	l.running = true
	if l.woken() {
		defer l.mu.Unlock()
		if l.worker == nil {
			_, err := l.work()
			return err
		}
		return l.worker.start(l.prepare)
	}
	receivers := slices.Collect(maps.Keys(l.receivers))
	l.mu.Unlock()
	for _, r := range receivers {
		r.Resume()
	}
	return nil
}

// stop ends the callbacks. None waits for its turn on an inline lane.
func (l *lane) stop(drain time.Duration) {
	l.mu.Lock()
	l.running = false
	w := l.worker
	receivers := slices.Collect(maps.Keys(l.receivers))
	l.mu.Unlock()
	if l.woken() {
		if w != nil {
			tid := int(w.thread.Load())
			w.stop(drain)
			l.exclusive.disclaim(tid)
		}
		return
	}
	for _, r := range receivers {
		if err := r.Pause(); err != nil {
			l.log.Error("stop the lane", zap.Error(err))
		}
	}
}

// remove gives up a subscription and with the last one the path.
func (l *lane) remove(r *pubsub.Receiver) {
	l.mu.Lock()
	p := l.receivers[r]
	if p == nil {
		l.mu.Unlock()
		return
	}
	delete(l.receivers, r)
	if l.worker != nil {
		l.worker.forget(r)
	}
	p.users--
	p = l.release(r.Node().Domain(), p)
	l.mu.Unlock()
	if p == nil {
		return
	}
	l.exclusive.disclaim(int(p.thread.Load()))
	if err := p.Close(); err != nil {
		l.log.Error("close the lane's receive path", zap.Error(err))
	}
}

// release returns the path if nothing uses it any more; then it must be closed.
func (l *lane) release(domain uint32, p *path) *path {
	if p.users > 0 {
		return nil
	}
	delete(l.paths, domain)
	return p
}

func (l *lane) addTimer(t *Timer) error {
	if !l.woken() {
		return fmt.Errorf("lane %s is inline: its thread waits for messages and has no timers; give it mode woken", l.plan.Name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	w, err := l.work()
	if err == nil {
		t.recent = &l.recent
		w.add(t)
	}
	return err
}

func (l *lane) removeTimer(t *Timer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.worker.remove(t)
}

func (l *lane) stats() LaneStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := LaneStats{Name: l.plan.Name, Mode: l.plan.mode(), Paused: l.paused.Load()}
	read := func(list *[]Scheduling, tid int64) {
		if got, err := l.sys.scheduling(int(tid)); err == nil && tid != 0 {
			*list = append(*list, got)
		}
	}
	receiving := &s.Threads
	if l.woken() {
		receiving = &s.Receiving
	}
	for _, p := range l.paths {
		read(receiving, p.thread.Load())
	}
	if l.worker != nil {
		read(&s.Threads, l.worker.thread.Load())
	}
	return s
}

// A laneObserver also watches that the callbacks run where they should.
type laneObserver struct {
	*topicStats
	thread  *atomic.Int64
	recent  *intervals
	shallow bool // the stack has not been grown yet
}

// Enter also locks the goroutine to its thread, as it is already, for another effect: when the runtime
// needs a new thread, it does not start it from one that is locked in this way, and the new one does not
// inherit the lane's CPUs.
func (o *laneObserver) Enter(r *pubsub.Receiver) {
	runtime.LockOSThread()
	if int64(r.Thread()) != o.thread.Load() {
		o.strays.Add(1)
		return
	}
	if o.shallow {
		o.shallow = false
		growStack()
	}
}

func (o *laneObserver) Leave(*pubsub.Receiver) { runtime.UnlockOSThread() }

func (o *laneObserver) Done(r *pubsub.Receiver, info *pubsub.MessageInfo, begin, end int64) {
	o.topicStats.Done(r, info, begin, end)
	o.recent.add(info.Arrival, end)
}
