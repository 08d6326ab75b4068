package executor

import (
	"errors"

	"github.com/pinion-ros/pinion/internal/cyclone/timerslack"
	"golang.org/x/sys/unix"
)

// WithUnprivilegedQuiet has Run quiet Go's monitor thread in processes without CAP_SYS_NICE too: that thread
// changes its own timer slack, which takes no capability, in the handler of a signal that it is sent.
//
// The signal is SIGRTMAX. The program must not use it, nor may a library in C block it in all threads. The
// monitor thread gets one each second, every other thread of the Go runtime one or two when it is new; a
// system call that a signal interrupts may return EINTR there, as with the runtime's own signals.
func WithUnprivilegedQuiet() Option {
	return func(e *Executor) error {
		e.selfQuiet = true
		return nil
	}
}

// selfSlack is a kernel where threads of the Go runtime look after their timer slack themselves if
// somebody else may not.
type selfSlack struct{ kernel }

func (k selfSlack) timerSlack(tid int) (uint64, error) {
	ns, err := k.kernel.timerSlack(tid)
	if k.mayNot(tid, err) {
		return timerslack.Get(tid)
	}
	return ns, err
}

func (k selfSlack) setTimerSlack(tid int, ns uint64) error {
	err := k.kernel.setTimerSlack(tid, ns)
	if k.mayNot(tid, err) {
		return timerslack.Set(tid, ns)
	}
	return err
}

// mayNot leaves threads of others alone: those have names of their own.
func (k selfSlack) mayNot(tid int, err error) bool {
	if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EACCES) {
		return false
	}
	var a, b [32]byte
	name, err := readFile(a[:], "/proc/self/task/", tid, "/comm")
	program, err2 := readFile(b[:], "/proc/self/task/", unix.Getpid(), "/comm")
	return err == nil && err2 == nil && string(name) == string(program)
}
