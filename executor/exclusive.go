package executor

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// WithSharedCPUs leaves the other threads of the process on the CPUs of lanes. By default Run moves them
// to the other CPUs, those that are started later too, and Stats tells how many it had to move.
//
// The default costs the rest of the program these CPUs, and a look at its threads four times per second.
// It is there because a thread with a real-time policy must not share its CPU with another thread of the
// same Go program: the Go runtime spins and yields while it waits for its own locks, and a real-time
// thread that does so never lets the lock's holder run. Stalls of up to a second were measured, which
// the kernel ended by its throttling of real-time threads.
func WithSharedCPUs() Option {
	return func(e *Executor) error {
		e.sharedCPUs = true
		return nil
	}
}

// exclusiveCPUs keeps all threads but the lanes' off the lanes' CPUs. A nil one does nothing.
type exclusiveCPUs struct {
	sys  system
	cpus []int // of the lanes
	rest []int // for all others

	mu    sync.Mutex
	kept  map[int]bool // lanes' threads
	moved map[int]move
	total uint64 // moves
	tids  []int
	set   unix.CPUSet // of the thread at hand
}

// A move is what a thread may run on before and after.
type move struct{ from, to []int }

func newExclusiveCPUs(sys system, cpus, rest []int) *exclusiveCPUs {
	return &exclusiveCPUs{sys: sys, cpus: cpus, rest: rest, kept: map[int]bool{}, moved: map[int]move{}}
}

// claim makes a thread one of a lane's; the lane says so before it pins the thread.
func (x *exclusiveCPUs) claim(tid int) {
	if x != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.kept[tid] = true
	}
}

// disclaim is for threads that have ended, or are about to.
func (x *exclusiveCPUs) disclaim(tid int) {
	if x != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.kept, tid)
	}
}

// sweep moves all threads that are not lanes'.
func (x *exclusiveCPUs) sweep() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var err error
	if x.tids, err = x.sys.threads(x.tids); err != nil {
		return fmt.Errorf("list threads in /proc/self/task: %w", err)
	}
	var errs []error
	for _, tid := range x.tids {
		if x.kept[tid] || x.sys.getAffinity(tid, &x.set) != nil || !slices.ContainsFunc(x.cpus, x.set.IsSet) {
			continue // or gone
		}
		if err := x.move(tid); err != nil && !errors.Is(err, unix.ESRCH) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// moves returns how often threads had to be moved.
func (x *exclusiveCPUs) moves() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.total
}

func (x *exclusiveCPUs) move(tid int) error {
	from, err := x.sys.affinity(tid)
	if err != nil {
		return err
	}
	to := without(from, x.cpus)
	if len(to) == 0 {
		to = x.rest
	}
	if err := x.sys.setAffinity(tid, to); err != nil {
		return err
	}
	if _, again := x.moved[tid]; !again {
		x.moved[tid] = move{from, to}
	}
	x.total++
	return nil
}

// release lets the threads run where they could before, unless somebody else has moved them since.
// Threads that were started by moved ones keep what they inherited.
func (x *exclusiveCPUs) release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for tid, m := range x.moved {
		if now, err := x.sys.affinity(tid); err == nil && slices.Equal(now, m.to) {
			// The thread may be gone, or the process may have been moved to other CPUs meanwhile.
			_ = x.sys.setAffinity(tid, m.from)
		}
	}
}

// reserveCPUs decides which CPUs are the lanes' own, and refuses plans that leave none for the rest. Others
// are lanes that the plan does not have.
func (e *Executor) reserveCPUs(others []Lane) error {
	if e.sharedCPUs {
		return nil
	}
	available, err := e.sys.affinity(0) // without the isolated CPUs
	if err != nil {
		return err
	}
	own, elsewhere := e.plan.divide(self.name)
	own = append(others, own...)
	if err := checkRealtime(own, available); err != nil {
		if !e.bestEffort {
			return err
		}
		e.log.Warn("the lanes run with policy other", zap.Error(err))
		e.noRealtime = true
	}
	share, err := e.plan.Background.share(own, elsewhere, available)
	switch {
	case err != nil:
		return err
	case len(share.lanes) == 0:
		return nil
	case len(share.rest) == 0:
		e.log.Warn("lanes use all CPUs; they share them with the rest of the process", zap.Ints("cpus", available))
		return nil
	}
	e.plan.Background.CPUs = share.background
	e.exclusive = newExclusiveCPUs(e.sys, share.lanes, share.rest)
	return nil
}
