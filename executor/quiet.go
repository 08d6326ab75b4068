package executor

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// WithNoisyRuntime leaves Go's monitor thread as it is. By default Run quiets it where there are lanes
// and the process has CAP_SYS_NICE, and Stats tells whether that worked. WithUnprivilegedQuiet does
// without the capability.
//
// The monitor thread (sysmon in the sources of the Go runtime, proc.go) polls every 20 µs and slows down
// to 10 ms only while it finds nothing to do. The P of a thread that calls Go from C, or that sleeps in
// system calls and runs no other goroutine, is something to do in every poll. Each poll is a timer
// interrupt, and takes the P away from the lane. A timer slack of 2 ms on that one thread lets its polls
// be 2 ms apart.
//
// The cost to the rest of the program: a goroutine that computes is preempted after 10 to 12 ms rather
// than 10, and the P of a goroutine that blocks in C or in a system call is handed to others up to 2 ms
// later than after 20 µs. A budget with spare Ps makes up for that.
func WithNoisyRuntime() Option {
	return func(e *Executor) error {
		e.noisy = true
		return nil
	}
}

const (
	// quietDelay is for how long its wake-ups are counted before: lanes are disturbed meanwhile.
	quietDelay = 20 * time.Millisecond
	// quietSlack is how late the monitor thread may wake up.
	quietSlack = 2 * time.Millisecond
	// normalSlack is what Linux gives a thread unless told otherwise.
	normalSlack = 50 * time.Microsecond
	// quietPolls is how often per second the monitor thread polls at the most when it is quiet, with a
	// tenth to spare for counting.
	quietPolls = 1.1 * float64(time.Second/quietSlack)
	// maxMissed is how often the monitor thread is looked for before that is a problem.
	maxMissed = 5
)

// Quiet tells about the quieting of Go's monitor thread.
type Quiet struct {
	// Thread is its id, 0 if it was not found.
	Thread int
	// Slack is its timer slack, as read back from the kernel.
	Slack time.Duration
	// Before is how often per second it woke up before Run changed it, Now how often it has lately.
	Before, Now float64
	// Working tells that it has not woken up more often than it can when it is quiet. Besides its polls,
	// each callback of a lane may wake it, when nothing else ran in the program before.
	Working bool
	// Err says why it is not quiet, nil if it is or is not wanted.
	Err error
}

// A quieter keeps the monitor thread quiet.
type quieter struct {
	sys   system
	state Quiet
	was   uint64 // its slack before

	switches uint64
	at       time.Time
	missed   int // how often the thread was not found

	// Threads that were found not to have its slack, or have it no more; then those of the time before.
	checked, before map[int]bool
}

// newQuieter finds the monitor thread and starts counting.
func newQuieter(sys system) *quieter {
	q := &quieter{sys: sys, checked: map[int]bool{}, before: map[int]bool{}}
	q.find()
	return q
}

func (q *quieter) find() {
	q.state.Thread, q.state.Err = q.sys.findMonitor()
	switch {
	case q.state.Err == nil:
		_, q.state.Err = q.rate()
	case errors.Is(q.state.Err, errNoMonitor):
		q.missed++
	}
}

// problem says why it is not quiet. A thread that was not found is none yet: on a machine with too much to
// do it may have waited for a processor each time.
func (q *quieter) problem() error {
	if errors.Is(q.state.Err, errNoMonitor) && q.missed < maxMissed {
		return nil
	}
	return q.state.Err
}

// rate returns the wake-ups per second since the last call.
func (q *quieter) rate() (float64, error) {
	n, err := q.sys.switches(q.state.Thread)
	if err != nil {
		return 0, fmt.Errorf("count the wake-ups of Go's monitor thread: %w", err)
	}
	now := time.Now()
	rate := float64(n-q.switches) / now.Sub(q.at).Seconds()
	q.switches, q.at = n, now
	return rate, nil
}

// quiet sets the slack.
func (q *quieter) quiet() {
	if q.state.Err != nil {
		return
	}
	if q.state.Before, q.state.Err = q.rate(); q.state.Err != nil {
		return
	}
	var err error
	if q.was, err = q.sys.timerSlack(q.state.Thread); err != nil {
		q.state.Err = slackError("read", err)
		return
	}
	q.state.Err = q.set()
}

func (q *quieter) set() error {
	if err := q.sys.setTimerSlack(q.state.Thread, uint64(quietSlack)); err != nil {
		return slackError("set", err)
	}
	return nil
}

// slackError says what to do: the timer slack of another thread is for those with a capability, even to read.
func slackError(what string, err error) error {
	err = fmt.Errorf("%s the timer slack of Go's monitor thread: %w", what, err)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		err = fmt.Errorf("%w: give the program CAP_SYS_NICE (setcap cap_sys_nice+ep FILE), or do it from within with WithUnprivilegedQuiet, or accept the noise with WithNoisyRuntime", err)
	}
	return err
}

// check looks after a while whether it works; calls is how many callbacks of lanes there were. Threads that
// the monitor thread started have its slack too, which would make the sleeps of the runtime long in all of
// them; they get the normal one.
func (q *quieter) check(tids []int, calls uint64) {
	switch {
	case errors.Is(q.state.Err, errNoMonitor):
		q.find()
		return
	case q.state.Err != nil:
		return
	case q.was == 0: // found late
		q.quiet()
		return
	}
	since := q.at
	if q.state.Now, q.state.Err = q.rate(); q.state.Err != nil {
		return
	}
	most := quietPolls + float64(calls)/q.at.Sub(since).Seconds()
	slack, err := q.sys.timerSlack(q.state.Thread)
	if err != nil {
		q.state.Err = slackError("read", err)
		return
	}
	q.state.Slack = time.Duration(slack)
	if q.state.Slack != quietSlack { // another executor has ended
		q.state.Err = q.set()
	}
	q.state.Working = q.state.Slack == quietSlack && q.state.Now <= most
	q.repair(tids)
}

func (q *quieter) repair(tids []int) {
	q.checked, q.before = q.before, q.checked
	clear(q.checked)
	for _, tid := range tids {
		if tid == q.state.Thread {
			continue
		}
		q.checked[tid] = true
		if q.before[tid] {
			continue
		}
		if slack, err := q.sys.timerSlack(tid); err == nil && time.Duration(slack) == quietSlack {
			// It may have ended.
			_ = q.sys.setTimerSlack(tid, uint64(normalSlack))
		}
	}
}

// end puts the slack back.
func (q *quieter) end() {
	if q.was != 0 {
		// It was possible to change it.
		_ = q.sys.setTimerSlack(q.state.Thread, q.was)
	}
}

var errNoMonitor = errors.New("the monitor thread of Go was not found: it never sleeps, or this release of Go is built in another way than those known")

// findMonitor returns the thread that runs runtime.sysmon: the only one with a return address in that
// function on its stack. The thread sleeps most of the time, two or three calls further down.
func (s system) findMonitor() (int, error) {
	var tids []int
	for range 100 {
		var err error
		if tids, err = s.threads(tids); err != nil {
			return 0, fmt.Errorf("look for Go's monitor thread: %w", err)
		}
		for _, tid := range tids {
			sp, err := s.blockedIn(tid)
			if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) {
				continue // ended
			}
			if err != nil {
				return 0, fmt.Errorf("look for Go's monitor thread: %w", err)
			}
			if sp != 0 && s.runs("runtime.sysmon", sp) {
				return tid, nil
			}
		}
		time.Sleep(200 * time.Microsecond)
	}
	return 0, errNoMonitor
}

// runs tells whether one of the innermost frames of a sleeping thread belongs to a function.
func (s system) runs(function string, sp uintptr) bool {
	const word = unsafe.Sizeof(uintptr(0))
	var stack [128]uintptr
	n, err := s.peek(sp, unsafe.Slice((*byte)(unsafe.Pointer(&stack)), len(stack)*int(word)))
	if err != nil {
		return false // woken up and gone
	}
	for _, pc := range stack[:n/int(word)] {
		if f := runtime.FuncForPC(pc); f != nil && f.Name() == function && pc != f.Entry() {
			return true
		}
	}
	return false
}
