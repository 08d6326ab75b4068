package executor

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// A lane is the running form of Lane: per domain one receive path, on whose receive thread the
// callbacks run.
type lane struct {
	plan       Lane
	log        *zap.Logger
	bestEffort bool

	mu        sync.Mutex
	paths     map[uint32]*path // by domain
	receivers map[*pubsub.Receiver]*path
	running   bool
	warned    bool
}

// A path is a lane's thread in one domain.
type path struct {
	*pubsub.ReceivePath
	users  int
	thread atomic.Int64 // id of the thread that has the lane's scheduling
}

func newLane(plan Lane, bestEffort bool, log *zap.Logger) *lane {
	return &lane{plan: plan, log: log, bestEffort: bestEffort, paths: map[uint32]*path{}, receivers: map[*pubsub.Receiver]*path{}}
}

// add places a subscription on the lane.
func (l *lane) add(r *pubsub.Receiver, stats *topicStats) (pubsub.Placement, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, err := l.path(r.Node())
	if err != nil {
		return pubsub.Placement{}, fmt.Errorf("lane %s: %w", l.plan.Name, err)
	}
	p.users++
	stats.lane.Store(&l.plan.Name)
	l.receivers[r] = p
	return pubsub.Placement{Path: p.ReceivePath, Observer: laneObserver{stats, p}, Paused: !l.running}, nil
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
	for _, t := range p.Threads() {
		if t.Name != pubsub.ReceiveThreadName {
			continue
		}
		if err := l.schedule(p, t.ID); err != nil {
			p.Close()
			return nil, err
		}
	}
	l.paths[n.Domain()] = p
	return p, nil
}

// schedule gives a thread the lane's scheduling and notes it as the path's.
func (l *lane) schedule(p *path, tid int) error {
	err := setAffinity(tid, l.plan.CPUs)
	if err == nil {
		err = setPolicy(tid, l.plan.Policy, l.plan.Priority)
	}
	if err != nil {
		if !l.bestEffort {
			return fmt.Errorf("%w; WithBestEffort goes on without", err)
		}
		if !l.warned {
			l.log.Warn("the lane runs without the scheduling of its plan", zap.String("lane", l.plan.Name), zap.Error(err))
			l.warned = true
		}
	}
	p.thread.Store(int64(tid))
	return nil
}

func (l *lane) threads() (lanes, workers int) { return 1, 0 }

func (l *lane) free() {}

// exclusion is the lane's thread in the subscription's domain.
func (l *lane) exclusion(r *pubsub.Receiver) any {
	return struct {
		*lane
		domain uint32
	}{l, r.Node().Domain()}
}

// start lets the callbacks run: those for what has arrived already on the calling goroutine, before
// the lane's thread goes on.
func (l *lane) start(func(error)) error {
	l.mu.Lock()
	l.running = true
	receivers := slices.Collect(maps.Keys(l.receivers))
	l.mu.Unlock()
	for _, r := range receivers {
		r.Resume()
	}
	return nil
}

// stop ends the callbacks. None waits for its turn on a lane.
func (l *lane) stop(time.Duration) {
	l.mu.Lock()
	l.running = false
	receivers := slices.Collect(maps.Keys(l.receivers))
	l.mu.Unlock()
	for _, r := range receivers {
		if err := r.Pause(); err != nil {
			l.log.Error("stop the lane", zap.String("lane", l.plan.Name), zap.Error(err))
		}
	}
}

// remove gives up a subscription and with the last one the path.
func (l *lane) remove(r *pubsub.Receiver) {
	l.mu.Lock()
	p := l.receivers[r]
	delete(l.receivers, r)
	if p != nil {
		if p.users--; p.users > 0 {
			p = nil
		} else {
			delete(l.paths, r.Node().Domain())
		}
	}
	l.mu.Unlock()
	if p == nil {
		return
	}
	if err := p.Close(); err != nil {
		l.log.Error("close the lane's receive path", zap.String("lane", l.plan.Name), zap.Error(err))
	}
}

// A laneObserver also watches that the callbacks run where they should.
type laneObserver struct {
	*topicStats
	path *path
}

func (o laneObserver) Enter(*pubsub.Receiver) {
	if int64(unix.Gettid()) != o.path.thread.Load() {
		o.strays.Add(1)
	}
}

func (l *lane) stats() LaneStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := LaneStats{Name: l.plan.Name}
	for _, p := range l.paths {
		if sched, err := scheduling(int(p.thread.Load())); err == nil {
			s.Threads = append(s.Threads, sched)
		}
	}
	return s
}
