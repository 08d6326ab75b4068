package executor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// A process runs a part: the program once more. It is the server, in the first process, of what is
// there.
type process struct {
	elsewhere
	plan      PartPlan
	log       *zap.Logger
	sys       system
	exclusive *exclusiveCPUs
	cpus      []int // the program's, before lanes took theirs

	started bool
	ending  chan struct{} // closed when the part is not to be started again
	stopped chan struct{} // closed by stop
	done    chan struct{} // closed when it has ended for good
	once    sync.Once     // closes ending

	mu       sync.Mutex     // held while it is being started
	pid      int            // 0 unless it runs
	pipe     *os.File       // to it, while it runs
	passed   syscall.Signal // the last one passed on, 0 for none
	restarts uint64
	last     error // how it ended last
	failure  error // that ends Run
}

func newProcess(plan PartPlan, e *Executor, cpus []int) *process {
	return &process{
		elsewhere: elsewhere{plan.Name},
		plan:      plan, log: e.log.With(zap.String("part", plan.Name)), sys: e.sys, exclusive: e.exclusive, cpus: cpus,
		ending: make(chan struct{}), stopped: make(chan struct{}), done: make(chan struct{}),
	}
}

// running has the names of the parts that this process keeps alive.
var running struct {
	sync.Mutex
	parts []string
}

// start begins to keep the part alive.
func (p *process) start(fail func(error)) error {
	running.Lock()
	defer running.Unlock()
	if slices.Contains(running.parts, p.plan.Name) {
		return fmt.Errorf("part %s is one of another executor, too; give it another name in one of their plans", p.plan.Name)
	}
	running.parts = append(running.parts, p.plan.Name)
	p.started = true
	go p.keep(fail)
	go p.passSignals()
	return nil
}

// keep runs the part until it is not to be started again.
func (p *process) keep(fail func(error)) {
	defer p.ended()
	runtime.LockOSThread() // for good: the kernel ends the part with the thread that started it
	for wait := p.plan.Backoff; ; wait = min(2*wait, maxBackoff) {
		began := time.Now()
		err := p.run()
		p.mu.Lock()
		p.last = err
		p.mu.Unlock()
		if !p.again(err) {
			p.finish(err, fail)
			return
		}
		if time.Since(began) > maxBackoff {
			wait = p.plan.Backoff
		}
		p.log.Warn("the part has ended and is started again", zap.Duration("after", wait), zap.Error(err))
		select {
		case <-time.After(wait):
		case <-p.ending:
			p.finish(p.signalled(), fail)
			return
		}
		p.mu.Lock()
		p.restarts++
		p.mu.Unlock()
	}
}

func (p *process) ended() {
	running.Lock()
	defer running.Unlock()
	running.parts = slices.DeleteFunc(running.parts, func(name string) bool { return name == p.plan.Name })
	close(p.done)
}

func (p *process) again(err error) bool {
	switch {
	case isClosed(p.ending):
		return false
	case err == nil:
		return p.plan.Restart == Always
	}
	return p.plan.Restart != Never
}

// finish tells of the end.
func (p *process) finish(err error, fail func(error)) {
	if p.wasPassed(err) {
		// The part had no handler for the signal, or not yet. The rest of the program may have one, and
		// end in order.
		select {
		case <-p.stopped:
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
	if err == nil {
		if !isClosed(p.ending) {
			p.log.Warn("the part has ended with exit code 0 and is not started again")
		}
		return
	}
	p.mu.Lock()
	p.failure = err
	p.mu.Unlock()
	fail(err)
}

// wasPassed tells whether the part was ended by a signal that was passed on to it.
func (p *process) wasPassed(err error) bool {
	var e, passed *PartError
	return errors.As(err, &e) && errors.As(p.signalled(), &passed) && e.Code == passed.Code
}

// signalled returns how a part without a handler ends by the signal that was passed on, nil for none.
func (p *process) signalled() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.passed == 0 {
		return nil
	}
	return &PartError{p.plan.Name, signalCode(p.passed), "signal: " + p.passed.String()}
}

// run runs the part once and returns how it ended, nil for exit code 0.
func (p *process) run() error {
	cmd, err := p.launch()
	if err != nil {
		return err
	}
	if cmd == nil {
		return p.signalled()
	}
	// Reaped only when nobody sends signals to its id any more.
	for err := error(unix.EINTR); err == unix.EINTR; {
		err = unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
	}
	p.mu.Lock()
	p.pid = 0
	p.pipe.Close()
	p.mu.Unlock()
	return p.verdict(cmd.Wait())
}

// launch starts the program, nil when it is to end.
func (p *process) launch() (*exec.Cmd, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if isClosed(p.ending) {
		return nil, nil
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start part %s: %w", p.plan.Name, err)
	}
	defer theirs.Close()
	cmd := p.command(theirs)
	if err := p.untouched(cmd.Start); err != nil {
		ours.Close()
		return nil, fmt.Errorf("start part %s: %w", p.plan.Name, err)
	}
	p.pid, p.pipe = cmd.Process.Pid, ours
	p.log.Info("the part runs", zap.Int("pid", p.pid), zap.Uint64("restarts", p.restarts))
	return cmd, nil
}

// command is this program with its arguments, whatever has become of its file. What the part writes goes
// where this process writes, without a detour: nothing is lost when one of them is killed, and no lane
// waits for a pipe. Standard input stays with the first process. In a group of its own the part gets
// the signals of a terminal from passSignals alone.
func (p *process) command(pipe *os.File) *exec.Cmd {
	return &exec.Cmd{
		Path:        "/proc/self/exe",
		Args:        os.Args,
		Env:         append(os.Environ(), partVariable+"=3:"+p.plan.Name),
		Stdout:      os.Stdout,
		Stderr:      os.Stderr,
		ExtraFiles:  []*os.File{pipe},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
}

// untouched lets a process that f starts inherit what this one has, not what lanes made of its threads.
// It is called on a thread of its own.
func (p *process) untouched(f func() error) error {
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err == nil && time.Duration(slack) == quietSlack { // the monitor thread has started this one
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(normalSlack), 0, 0, 0) // its own, always allowed
	}
	tid := unix.Gettid()
	p.exclusive.claim(tid)
	defer p.exclusive.disclaim(tid)
	if before, err := p.sys.affinity(tid); err == nil {
		// What is not possible any more the part itself finds out, if it needs it.
		_ = p.sys.setAffinity(tid, p.cpus)
		defer func() { _ = p.sys.setAffinity(tid, before) }()
	}
	return f()
}

// verdict turns how the process ended into an error of this package.
func (p *process) verdict(err error) error {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("wait for part %s: %w", p.plan.Name, err)
	}
	if err == nil {
		return nil
	}
	status := exit.Sys().(syscall.WaitStatus)
	code := status.ExitStatus()
	if status.Signaled() {
		code = signalCode(status.Signal())
	}
	return &PartError{p.plan.Name, code, exit.Error()}
}

func signalCode(s syscall.Signal) int { return 128 + int(s) }

// passSignals passes on what asks the program to end, once, to the part and what it has started. A part
// that ends thereupon is not started again.
func (p *process) passSignals() {
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	for {
		select {
		case s := <-signals:
			p.mu.Lock()
			p.passed = s.(syscall.Signal)
			p.mu.Unlock()
			p.end()
			p.kill(s.(syscall.Signal))
		case <-p.done:
			return
		}
	}
}

// end has the part not started again.
func (p *process) end() { p.once.Do(func() { close(p.ending) }) }

// kill sends a signal to the part and what it has started.
func (p *process) kill(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pid != 0 {
		_ = unix.Kill(-p.pid, s) // it may have ended just now
	}
}

// stop has the part's Run end as if its context had, and waits for the process.
func (p *process) stop(drain time.Duration) {
	if !p.started {
		return
	}
	p.end()
	close(p.stopped)
	p.mu.Lock()
	if p.pid != 0 {
		_, _ = p.pipe.Write([]byte{0}) // it may have ended just now
	}
	p.mu.Unlock()
	terminate := time.AfterFunc(drain+p.plan.Stop/2, func() { p.kill(syscall.SIGTERM) })
	defer terminate.Stop()
	kill := time.AfterFunc(drain+p.plan.Stop, func() { p.kill(syscall.SIGKILL) })
	defer kill.Stop()
	<-p.done
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// PartStats tells about another process of the program. It is the first process that knows.
type PartStats struct {
	Name     string
	PID      int // 0 unless it runs
	Restarts uint64
	Last     error // how it ended last, a *PartError as a rule; nil for exit code 0, and at first
}

func (p *process) stats() PartStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return PartStats{p.plan.Name, p.pid, p.restarts, p.last}
}

// failed returns the error that the part has ended with for good.
func (p *process) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}
