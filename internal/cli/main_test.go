package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

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

// patience is how long a command may take until a test fails.
const patience = 30 * time.Second

// A domain is where the processes of a test see each other and nobody else.
type domain int

func (d domain) env() []string {
	return append(os.Environ(), asCommand+"=1", "ROS_LOCALHOST_ONLY=1", fmt.Sprintf("ROS_DOMAIN_ID=%d", d), "AMENT_PREFIX_PATH=",
		fmt.Sprintf(`CYCLONEDDS_URI=<Domain Id="any"><Discovery><Tag>cli_test_%d</Tag></Discovery></Domain>`, os.Getpid()))
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

// A process is pinion in the background.
type process struct {
	cmd *exec.Cmd
	out lockedBuffer
}

// start starts pinion, which is interrupted when the test ends.
func (d domain) start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0], args...)}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = d.env(), &p.out, &p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Signal(os.Interrupt) // it may have ended
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("pinion %s: %v\n%s", strings.Join(args, " "), err, &p.out)
		}
	})
	return p
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
