package contender

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/pinion-ros/pinion/bench/hosts"
)

// Process is a contender at work.
type Process struct {
	role   Role
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	out    bytes.Buffer
	errs   bytes.Buffer
	exited chan error
}

// A Host is where a process runs.
type Host struct {
	Env       []string // added to the environment
	Namespace *os.File // network namespace; nil for that of this process
}

// Start runs a program with its arguments in a role. The process is killed when ctx ends, and when this
// process does.
func Start(ctx context.Context, program []string, c Config, host Host) (*Process, error) {
	line, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	p := &Process{role: c.Role}
	p.cmd = exec.CommandContext(ctx, program[0], program[1:]...)
	p.cmd.Env = append(os.Environ(), host.Env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.errs
	p.cmd.WaitDelay = time.Second
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.exited, err = hosts.Start(p.cmd, host.Namespace); err != nil {
		return nil, fmt.Errorf("start %s: %w", program[0], err)
	}
	// One that has ended already says why in Result.
	if _, err := p.stdin.Write(append(line, '\n')); err != nil && !errors.Is(err, syscall.EPIPE) {
		p.Kill()
		return nil, fmt.Errorf("configure %s: %w", program[0], err)
	}
	return p, nil
}

// PID returns the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Result waits until the process ends and returns what it printed.
func (p *Process) Result() (*Result, error) {
	err := <-p.exited
	p.exited <- err
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", p.role, err, tail(p.errs.String()))
	}
	var r Result
	if err := json.Unmarshal(p.out.Bytes(), &r); err != nil {
		return nil, fmt.Errorf("%s: its result is not as the contract says: %w: %.200q", p.role, err, p.out.String())
	}
	return &r, nil
}

// End ends the standard input of the process and returns its result. What does not end then is killed.
func (p *Process) End() (*Result, error) {
	p.stdin.Close()
	kill := time.AfterFunc(20*time.Second, func() {
		// It may have ended meanwhile, then there is nothing to kill.
		_ = p.cmd.Process.Kill()
	})
	defer kill.Stop()
	return p.Result()
}

// Kill ends the process and waits for it.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // fails only when it has ended
	err := <-p.exited
	p.exited <- err
}

func tail(s string) string {
	s = strings.TrimSpace(s)
	return s[max(0, len(s)-2000):]
}
