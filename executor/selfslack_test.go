package executor

import (
	"errors"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/pinion-ros/pinion/internal/cyclone/timerslack"
	"golang.org/x/sys/unix"
)

// slackless is the kernel for a process without CAP_SYS_NICE.
type slackless struct{ linux }

func (slackless) timerSlack(int) (uint64, error)  { return 0, unix.EPERM }
func (slackless) setTimerSlack(int, uint64) error { return unix.EPERM }

// Without the capability the monitor thread is quiet while Run runs, and as it was after.
func TestUnprivilegedQuiet(t *testing.T) {
	monitor := mustFindMonitor(t)
	slack := func() uint64 {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; {
			ns, err := timerslack.Get(monitor)
			if err == nil {
				return ns
			}
			if !errors.Is(err, unix.ETIMEDOUT) || time.Now().After(end) { // it may wait for a processor
				t.Fatal(err)
			}
		}
	}
	before := slack()
	e, err := New(withKernel(slackless{}), WithUnprivilegedQuiet(), wokenPlan("x"), WithSharedCPUs())
	stop := startExecutor(t, e, err)
	defer e.Close()
	defer stop()
	q := waitForQuiet(e)
	if now := slack(); q.Err != nil || q.Slack != quietSlack || now != uint64(quietSlack) {
		t.Errorf("%+v; the slack is %d", q, now)
	}
	stop()
	if now := slack(); now != before {
		t.Errorf("the slack is left at %d; want %d", now, before)
	}
}

// Threads that are not Go's are left alone.
func TestSelfSlackOfOthers(t *testing.T) {
	k := selfSlack{slackless{}}
	tid, done := make(chan int), make(chan struct{})
	defer close(done)
	go namedThread("other", tid, done)
	id := <-tid
	if _, err := k.timerSlack(id); !errors.Is(err, unix.EPERM) {
		t.Errorf("the slack of a thread with another name: %v", err)
	}
	if err := k.setTimerSlack(id, 1000); !errors.Is(err, unix.EPERM) {
		t.Errorf("set it: %v", err)
	}
}

// namedThread is a thread until done is closed, not the first one, whose name is the program's.
func namedThread(name string, tid chan<- int, done <-chan struct{}) {
	runtime.LockOSThread() // for good
	if unix.Gettid() == unix.Getpid() {
		defer runtime.UnlockOSThread()
		go namedThread(name, tid, done) // on another thread, as long as this one is locked
		<-done
		return
	}
	text, err := unix.BytePtrFromString(name)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(text)), 0, 0, 0)
	}
	if err != nil {
		panic(err)
	}
	tid <- unix.Gettid()
	<-done
}
