package executor

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The thread that is found is the one that the runtime started as its monitor: there is one, it is
// always the same, it runs no goroutine, and it polls.
func TestFindMonitor(t *testing.T) {
	s := system{linux{}}
	tid := mustFindMonitor(t)
	for range 20 {
		if again := mustFindMonitor(t); again != tid {
			t.Errorf("found %d, then %d", tid, again)
		}
	}
	for range 100 {
		done := make(chan int)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			done <- unix.Gettid()
		}()
		if id := <-done; id == tid {
			t.Errorf("thread %d runs goroutines", id)
		}
	}
	before, err := s.switches(tid)
	if err != nil {
		t.Fatal(err)
	}
	after := before
	for end := time.Now().Add(time.Minute); after == before && err == nil && time.Now().Before(end); {
		for pause := time.Now().Add(20 * time.Millisecond); time.Now().Before(pause); {
		}
		after, err = s.switches(tid)
	}
	if err != nil || after == before {
		t.Errorf("thread %d slept through a minute of work of a goroutine, %v", tid, err)
	}
}

// mustFindMonitor gives the thread time to get a processor.
func mustFindMonitor(t *testing.T) int {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		tid, err := (system{linux{}}).findMonitor()
		if err == nil {
			return tid
		}
		if !errors.Is(err, errNoMonitor) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// blindKernel cannot see what threads do.
type blindKernel struct{ kernel }

func (blindKernel) blockedIn(int) (uintptr, error) { return 0, nil }

func TestFindMonitorNot(t *testing.T) {
	if tid, err := (system{blindKernel{linux{}}}).findMonitor(); !errors.Is(err, errNoMonitor) {
		t.Errorf("found %d, %v", tid, err)
	}
}

func TestQuieter(t *testing.T) {
	monitor := mustFindMonitor(t)
	const child, other = 1 << 23, 1<<23 + 1 // threads that do not exist otherwise
	k := &fakeKernel{
		kernel: linux{},
		slacks: map[int]uint64{monitor: 50_000, child: 50_000, other: 1000},
		counts: map[int]uint64{},
	}
	findable := struct{ kernel }{k}
	q := newQuieter(system{realThreads{findable}})
	if q.state.Err != nil || q.state.Thread != monitor {
		t.Fatalf("%+v", q.state)
	}
	q.at = q.at.Add(-time.Second)
	k.counts[monitor] = 4000
	q.quiet()
	if q.state.Err != nil || k.slacks[monitor] != uint64(quietSlack) || q.state.Before < 3000 || q.state.Before > 4001 {
		t.Errorf("quieted: %+v, slack %d", q.state, k.slacks[monitor])
	}

	k.slacks[child] = uint64(quietSlack) // inherited
	q.at = q.at.Add(-time.Second)
	k.counts[monitor] += 400
	q.check([]int{monitor, child, other}, 0)
	if !q.state.Working || q.state.Slack != quietSlack || q.state.Now > 401 {
		t.Errorf("after a quiet second: %+v", q.state)
	}
	if k.slacks[child] != uint64(normalSlack) || k.slacks[other] != 1000 || k.slacks[monitor] != uint64(quietSlack) {
		t.Errorf("slacks %v", k.slacks)
	}

	q.at = q.at.Add(-time.Second)
	k.counts[monitor] += 1300
	q.check(nil, 1000)
	if !q.state.Working {
		t.Errorf("after a second of callbacks that wake it: %+v", q.state)
	}

	q.at = q.at.Add(-time.Second)
	k.counts[monitor] += 4000
	q.check(nil, 1000)
	if q.state.Working || q.state.Err != nil {
		t.Errorf("after a noisy second: %+v", q.state)
	}

	k.slacks[monitor] = 50_000 // by the end of another executor
	q.check(nil, 0)
	if q.state.Working || k.slacks[monitor] != uint64(quietSlack) {
		t.Errorf("it is not set again: %+v", q.state)
	}
	q.end()
	if k.slacks[monitor] != 50_000 {
		t.Errorf("it is left at %d", k.slacks[monitor])
	}
}

// busyKernel sees threads that do not sleep until it is idle.
type busyKernel struct {
	kernel
	idle *bool
}

func (k busyKernel) blockedIn(tid int) (uintptr, error) {
	if !*k.idle {
		return 0, nil
	}
	return k.kernel.blockedIn(tid)
}

// A monitor thread that always waits for a processor when it is looked at is found later, and no problem
// before that.
func TestQuieterFindsLate(t *testing.T) {
	monitor := mustFindMonitor(t)
	k := &fakeKernel{kernel: linux{}, slacks: map[int]uint64{monitor: 50_000}, counts: map[int]uint64{}}
	idle := false
	q := newQuieter(system{busyKernel{realThreads{k}, &idle}})
	if !errors.Is(q.state.Err, errNoMonitor) || q.problem() != nil {
		t.Fatalf("before it can be found: %v, a problem: %v", q.state.Err, q.problem())
	}
	idle = true
	for end := time.Now().Add(time.Minute); k.slacks[monitor] != uint64(quietSlack) && time.Now().Before(end); {
		q.quiet()
		q.check(nil, 0)
	}
	if q.state.Thread != monitor || q.problem() != nil || k.slacks[monitor] != uint64(quietSlack) {
		t.Errorf("%+v, slack %d", q.state, k.slacks[monitor])
	}

	q = newQuieter(system{blindKernel{realThreads{k}}})
	for range maxMissed {
		q.check(nil, 0)
	}
	if !errors.Is(q.problem(), errNoMonitor) {
		t.Errorf("never found: %v", q.problem())
	}
}

// waitForQuiet returns what Run says of the monitor thread when it has found it, which takes longer where
// the thread has to wait for a processor, and has seen whether it is quiet.
func waitForQuiet(e *Executor) (q Quiet) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		q = e.Stats().Runtime.Quiet
		if q.Slack != 0 || q.Err != nil && !errors.Is(q.Err, errNoMonitor) || time.Now().After(end) {
			return q
		}
	}
}

// realThreads lists the threads there are.
type realThreads struct{ kernel }

func (realThreads) threads(tids []int) ([]int, error) { return linux{}.threads(tids) }

// Without the permission, which the kernel wants for reading too, Run goes on, and Stats says why it is
// not quiet.
func TestQuietNotPermitted(t *testing.T) {
	for _, k := range []kernel{slackless{}, &fakeKernel{kernel: linux{}, slacks: map[int]uint64{}, setSlackErr: unix.EPERM}} {
		quietNotPermitted(t, k)
	}
}

func quietNotPermitted(t *testing.T, k kernel) {
	e, err := New(withKernel(realThreads{k}), wokenPlan("x"), WithSharedCPUs())
	stop := startExecutor(t, e, err)
	defer e.Close()
	defer stop()
	q := waitForQuiet(e)
	if q.Err == nil || q.Working || !strings.Contains(q.Err.Error(), "CAP_SYS_NICE") {
		t.Errorf("%+v", q)
	}
}

// With it, what is in force can be read, and is gone afterwards.
func TestQuietPermitted(t *testing.T) {
	monitor := mustFindMonitor(t)
	k := &fakeKernel{kernel: linux{}, slacks: map[int]uint64{monitor: 50_000}}
	e, err := New(withKernel(realThreads{k}), wokenPlan("x"), WithSharedCPUs())
	stop := startExecutor(t, e, err)
	defer e.Close()
	q := waitForQuiet(e)
	if q.Err != nil || q.Slack != quietSlack || q.Thread == 0 {
		t.Errorf("%+v", q)
	}
	stop()
	if slack := k.slacks[monitor]; slack != 50_000 {
		t.Errorf("the slack is left at %d", slack)
	}
}
