//go:build long

package executor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"golang.org/x/sys/unix"
)

const privilegeVariable = "PINION_TEST_PRIVILEGE"

// A privilege is what an ordinary user's process is given, and what it does with it.
type privilege struct {
	Capabilities []uintptr `json:"-"`
	RTPrio       uint64    `json:"-"`
	MemLock      uint64    `json:"-"`

	Policy     executor.Policy
	BestEffort bool
	Lock       bool
	Within     bool // the monitor thread is quieted from within
}

// A privilegeReport is what came of it.
type privilegeReport struct {
	Error  string
	Thread executor.Scheduling
	Quiet  string // why Go's monitor thread is not quiet, "" if it is
	User   int
}

// What docs/deploying.md says a program needs is enough for a user who is not root, and what is missing
// is named.
func TestPrivileges(t *testing.T) {
	if text := os.Getenv(privilegeVariable); text != "" {
		reportPrivilege(t, text)
		return
	}
	nice := []uintptr{unix.CAP_SYS_NICE}
	const none, unlimited = 8 << 20, uint64(unix.RLIM_INFINITY) // of locked memory
	const missing = "CAP_SYS_NICE"
	for _, tt := range []struct {
		name   string
		given  privilege
		policy executor.Policy // that the lane's thread has in the end
		quiet  string          // what keeps Go's monitor thread from being quiet
		err    string
	}{
		{"normal", privilege{MemLock: none}, executor.Other, missing, ""},
		{"quiet from within", privilege{MemLock: none, Within: true}, executor.Other, "", ""},
		{"fifo without", privilege{MemLock: none, Policy: executor.FIFO}, "", "", missing},
		{"fifo without, best effort", privilege{MemLock: none, Policy: executor.FIFO, BestEffort: true}, executor.Other, missing, ""},
		{"fifo", privilege{MemLock: none, Policy: executor.FIFO, Capabilities: nice}, executor.FIFO, "", ""},
		{"rr", privilege{MemLock: none, Policy: executor.RR, Capabilities: nice}, executor.RR, "", ""},
		{"deadline", privilege{MemLock: none, Policy: executor.Deadline, Capabilities: nice}, executor.Deadline, "", ""},
		{"fifo by rtprio", privilege{MemLock: none, Policy: executor.FIFO, RTPrio: 10}, executor.FIFO, missing, ""},
		{"locked memory without", privilege{MemLock: none, Lock: true}, "", "", "RLIMIT_MEMLOCK"},
		{"locked memory", privilege{MemLock: unlimited, Lock: true}, executor.Other, missing, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := runPrivileged(t, tt.given)
			if got.User == 0 {
				t.Error("it ran as root")
			}
			if tt.err != "" {
				if !strings.Contains(got.Error, tt.err) {
					t.Errorf("%q is not in %q", tt.err, got.Error)
				}
				return
			}
			if got.Error != "" || got.Thread.Policy != tt.policy || !strings.Contains(got.Quiet, tt.quiet) || tt.quiet == "" && got.Quiet != "" {
				t.Errorf("%+v, want %s, and quiet but for %q", got, tt.policy, tt.quiet)
			}
		})
	}
}

// nobody is the id of a user without rights, and of a group.
const nobody = 65534

// runPrivileged runs this test again as another user.
func runPrivileged(t *testing.T, p privilege) (report privilegeReport) {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	program := publicCopy(t)
	cmd := exec.Command(program, "-test.run=^TestPrivileges$")
	cmd.Dir = filepath.Dir(program)
	cmd.Env = []string{privilegeVariable + "=" + string(text)}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential:  &syscall.Credential{Uid: nobody, Gid: nobody},
		AmbientCaps: p.Capabilities,
	}
	out, err := withLimits(p, func() ([]byte, error) { return onAllCPUs(t, cmd.Output) })
	if errors.Is(err, unix.EPERM) {
		t.Skipf("to run as another user and with other limits takes root with CAP_SYS_RESOURCE: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	if err := json.Unmarshal([]byte(line), &report); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return report
}

// onAllCPUs has f start a process that may run on all CPUs. Threads that were started while an executor
// ran keep those that it left them, and so do their processes.
func onAllCPUs(t *testing.T, f func() ([]byte, error)) ([]byte, error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before unix.CPUSet
	if err := errors.Join(unix.SchedGetaffinity(0, &before), unix.SchedSetaffinity(0, executor.EveryCPU())); err != nil {
		t.Fatal(err)
	}
	defer unix.SchedSetaffinity(0, &before)
	return f()
}

// withLimits has f start a process with the limits, which are put back.
func withLimits(p privilege, f func() ([]byte, error)) ([]byte, error) {
	for resource, limit := range map[int]uint64{unix.RLIMIT_RTPRIO: p.RTPrio, unix.RLIMIT_MEMLOCK: p.MemLock} {
		var before unix.Rlimit
		if err := unix.Prlimit(0, resource, &unix.Rlimit{Cur: limit, Max: limit}, &before); err != nil {
			return nil, fmt.Errorf("set limit %d to %d: %w", resource, limit, err)
		}
		defer unix.Prlimit(0, resource, &before, nil)
	}
	return f()
}

// publicCopy copies the test program to where every user may run it.
func publicCopy(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pinion")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	text, err := os.ReadFile(os.Args[0])
	program := filepath.Join(dir, "program")
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// reportPrivilege runs a lane, and prints what came of it.
func reportPrivilege(t *testing.T, text string) {
	var p privilege
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	report := privilegeReport{User: os.Getuid()}
	if err := p.use(t, &report); err != nil {
		report.Error = err.Error()
	}
	line, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(string(line))
}

func (p privilege) use(t *testing.T, report *privilegeReport) error {
	lane := executor.Lane{Name: "lane", Topics: []string{"/in"}, Policy: p.Policy}
	switch p.Policy {
	case executor.FIFO, executor.RR:
		lane.Priority = 5
	case executor.Deadline:
		lane.Runtime, lane.Within, lane.Period = time.Millisecond, 5*time.Millisecond, 10*time.Millisecond
	}
	options := []executor.Option{executor.WithPlan(executor.Plan{Lanes: []executor.Lane{lane}})}
	if p.BestEffort {
		options = append(options, executor.WithBestEffort())
	}
	if p.Within {
		options = append(options, executor.WithUnprivilegedQuiet())
	}
	if p.Lock {
		options = append(options, executor.WithLockedMemory())
	}
	e, err := executor.New(options...)
	if err != nil {
		return err
	}
	defer e.Close()
	heard := make(chan struct{}, 1)
	n := newNode(t, "node", pubsub.WithScheduler(e))
	_, err = pubsub.NewSubscription(n, "in", pubsub.DefaultQoS(), func(*std_msgs.String, *pubsub.MessageInfo) {
		select {
		case heard <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return err
	}
	pub, err := pubsub.NewPublisher[std_msgs.String](n, "in", pubsub.DefaultQoS())
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	ran := make(chan error, 1)
	go func() { ran <- e.Run(ctx) }()
	for {
		select {
		case err := <-ran:
			return err // before anything was heard
		case <-time.After(20 * time.Millisecond):
			if err := pub.Publish(&std_msgs.String{Data: "x"}); err != nil {
				return err
			}
			continue
		case <-heard:
		}
		break
	}
	for s := e.Stats(); ; s = e.Stats() {
		if q := s.Runtime.Quiet; q.Slack != 0 || q.Err != nil && !errors.Is(q.Err, executor.ErrNoMonitor) || ctx.Err() != nil {
			report.Thread = s.Lanes[0].Threads[0]
			if err := errors.Join(q.Err, ctx.Err()); err != nil {
				report.Quiet = err.Error()
			}
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	return <-ran
}
