package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// asCommand makes the test program behave as pinion, so that commands run in processes of their own.
const asCommand = "PINION_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) == "" {
		os.Exit(pubsubtest.Run(m))
	}
	os.Exit(Main())
}

// patience is how long a command may take until a test fails: well above the 30 s after which a
// participant announces itself again that was not heard the first time.
const patience = 90 * time.Second

// A domain is where the processes of a test see each other and nobody else.
type domain struct{ pubsub.Discovery }

func newDomain(t *testing.T) domain {
	t.Helper()
	return domain{pubsubtest.NewDomain(t).Discovery()}
}

func (d domain) env() []string {
	return append(os.Environ(), asCommand+"=1", "ROS_LOCALHOST_ONLY=1", fmt.Sprintf("ROS_DOMAIN_ID=%d", d.Domain), "AMENT_PREFIX_PATH=",
		"CYCLONEDDS_URI="+d.Config)
}

// result is what a command left.
type result struct {
	stdout, stderr string
	code           int
}

// run runs pinion.
func (d domain) run(t *testing.T, args ...string) result {
	t.Helper()
	return d.runWith(t, nil, args...)
}

func (d domain) runWith(t *testing.T, stdin io.Reader, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = d.env(), stdin, &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
		t.Fatalf("pinion %s: %v\n%s%s", strings.Join(args, " "), err, &stdout, &stderr)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// must is run for commands that succeed.
func (d domain) must(t *testing.T, args ...string) string {
	t.Helper()
	r := d.run(t, args...)
	if r.code != 0 {
		t.Fatalf("pinion %s: status %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// until runs a command that looks at the system again and again until it has seen what it should: how
// long discovery takes, and what arrives within a time, nobody knows on a busy machine.
func (d domain) until(t *testing.T, ok func(result) bool, args ...string) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		r := d.run(t, args...)
		if ok(r) {
			return
		}
		if time.Now().After(end) {
			t.Errorf("pinion %s: status %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
			return
		}
	}
}

// untilMatch is until for commands that succeed and whose whole output matches a pattern.
func (d domain) untilMatch(t *testing.T, pattern string, args ...string) {
	t.Helper()
	re := regexp.MustCompile("^(?:" + pattern + ")$")
	d.until(t, func(r result) bool { return r.code == 0 && re.MatchString(r.stdout) }, args...)
}

// untilJSON is until for commands that print a T as JSON.
func untilJSON[T any](t *testing.T, d domain, ok func(T) bool, args ...string) {
	t.Helper()
	d.until(t, func(r result) bool {
		var v T
		return r.code == 0 && json.Unmarshal([]byte(r.stdout), &v) == nil && ok(v)
	}, args...)
}

// A process is pinion in the background.
type process struct {
	cmd *exec.Cmd
	out lockedBuffer
}

// start starts pinion, which is interrupted when the test ends.
func (d domain) start(t *testing.T, args ...string) *process {
	t.Helper()
	p := d.background(t, "INT", args...)
	t.Cleanup(func() {
		p.interrupt(t)
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("pinion %s: %v\n%s", strings.Join(args, " "), err, &p.out)
		}
	})
	return p
}

// background starts pinion with signals ignored until it asks for them, if it does.
func (d domain) background(t *testing.T, ignored string, args ...string) *process {
	t.Helper()
	script := fmt.Sprintf(`trap "" %s; exec "$0" "$@"`, ignored)
	p := &process{cmd: exec.Command("/bin/sh", append([]string{"-c", script, os.Args[0]}, args...)...)}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = d.env(), &p.out, &p.out
	stdin, err := p.cmd.StdinPipe() // on which nothing comes
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	return p
}

// interrupt interrupts pinion as soon as it handles that, or is over.
func (p *process) interrupt(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); !p.catches(t, syscall.SIGINT); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("interrupts are not handled:\n%s", &p.out)
			break
		}
	}
	_ = p.cmd.Process.Signal(os.Interrupt) // it may have ended
}

var state = regexp.MustCompile(`(?s)\nState:\t(\w).*\nSigCgt:\t([0-9a-f]+)\n`)

// catches tells whether the process has a handler for a signal, or has ended. The Go runtime installs
// none for what is ignored from the beginning.
func (p *process) catches(t *testing.T, s syscall.Signal) bool {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid)) // which stays until Wait
	m := state.FindSubmatch(status)
	if err != nil || m == nil {
		t.Fatalf("%v in %s", err, status)
	}
	caught, err := strconv.ParseUint(string(m[2]), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return string(m[1]) == "Z" || caught>>(s-1)&1 != 0
}

// waitFor waits until the output contains a text.
func (p *process) waitFor(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(p.out.String(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q is not in the output:\n%s", text, &p.out)
		}
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
