package timerslack

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// own reads the slack of the calling thread from the kernel.
func own(t *testing.T) uint64 {
	t.Helper()
	ns, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_GET_TIMERSLACK, 0, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	return uint64(ns)
}

// patiently asks again where a thread did not get a processor in time to answer.
func patiently(ask func() error) error {
	for end := time.Now().Add(time.Minute); ; {
		if err := ask(); !errors.Is(err, unix.ETIMEDOUT) || time.Now().After(end) {
			return err
		}
	}
}

func get(tid int) (ns uint64, err error) {
	err = patiently(func() (err error) { ns, err = Get(tid); return err })
	return ns, err
}

// A thread that sleeps in the kernel, and one that computes, have what was set.
func TestSet(t *testing.T) {
	for name, idle := range map[string]func(){
		"asleep":    func() { unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil) },
		"computing": func() {},
	} {
		t.Run(name, func(t *testing.T) {
			tid, stop, slack := make(chan int), make(chan struct{}), make(chan uint64)
			go func() {
				runtime.LockOSThread() // for good
				tid <- unix.Gettid()
				for {
					select {
					case <-stop:
						slack <- own(t)
						return
					default:
						idle()
					}
				}
			}()
			id := <-tid
			if ns, err := get(id); err != nil || ns == 123456 {
				t.Errorf("before: %d, %v", ns, err)
			}
			if err := patiently(func() error { return Set(id, 123456) }); err != nil {
				t.Error(err)
			}
			if ns, err := get(id); err != nil || ns != 123456 {
				t.Errorf("after: %d, %v", ns, err)
			}
			close(stop)
			if ns := <-slack; ns != 123456 {
				t.Errorf("the kernel has %d", ns)
			}
		})
	}
	if _, err := Get(1 << 22); !errors.Is(err, unix.ESRCH) {
		t.Errorf("a thread that does not exist: %v", err)
	}
}

// A thread that answers when it is not waited for any more does not answer the next question.
func TestLateAnswer(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := own(t)
	signals := unix.Sigset_t{Val: [16]uint64{1 << 63}} // SIGRTMAX
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &signals, nil); err != nil {
		t.Fatal(err)
	}
	if err := Set(unix.Gettid(), 123456); !errors.Is(err, unix.ETIMEDOUT) {
		t.Errorf("a thread that cannot answer: %v", err)
	}
	id, answered := unix.Gettid(), make(chan error)
	go func() { answered <- Set(id, before) }()
	time.Sleep(100 * time.Millisecond) // for the second question to come; there is nothing to see of it
	if err := unix.PthreadSigmask(unix.SIG_UNBLOCK, &signals, nil); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil && !errors.Is(err, unix.ETIMEDOUT) {
		t.Error(err)
	}
}

// The program's own handling of the signal is back afterwards.
func TestSignalIsGivenBack(t *testing.T) {
	const sigrtmax = unix.Signal(64)
	got := make(chan os.Signal, 1)
	signal.Notify(got, sigrtmax)
	defer signal.Stop(got)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := Set(unix.Gettid(), own(t)); err != nil { // the calling thread itself
		t.Fatal(err)
	}
	if err := unix.Tgkill(unix.Getpid(), unix.Gettid(), sigrtmax); err != nil {
		t.Fatal(err)
	}
	select {
	case <-got:
	case <-time.After(time.Minute):
		t.Error("the signal did not come")
	}
}
