package demo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pinion-ros/pinion/internal/wrap"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// The robot is this test binary with the environment saying so: its domain and how long it plays.
const robotEnv = "PINION_TEST_ROBOT"

func TestMain(m *testing.M) {
	os.Unsetenv("CYCLONEDDS_URI")
	if arg := os.Getenv(robotEnv); arg != "" {
		var domain uint32
		var d time.Duration
		_, err := fmt.Sscan(arg, &domain, (*int64)(&d))
		if err == nil {
			err = RunRobot(context.Background(), domain, d, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(pubsubtest.Run(m))
}

func robotTest(ctx context.Context, domain uint32, d time.Duration) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", robotEnv, domain, d))
	cmd.Stderr = os.Stderr
	return cmd
}

func TestDemo(t *testing.T) {
	var out bytes.Buffer
	err := Run(context.Background(), Config{Domain: pubsubtest.NewDomain(t).Discovery().Domain, Duration: 1500 * time.Millisecond,
		Work: 20 * time.Microsecond, Out: &out, Robot: robotTest})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	var lost, of int
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > wrap.Width {
			t.Errorf("%d columns: %s", n, line)
		}
		if rest, ok := strings.CutPrefix(line, "joint states, 1 kHz lost"); ok {
			cells := strings.Fields(rest)
			lost, of = number(t, cells[3]), number(t, cells[5])
		}
	}
	if lost >= of { // how many, a busy machine decides
		t.Errorf("the lane lost %d of %d\n%s", lost, of, out.String())
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A robot that does not come up ends the demo with the reason.
func TestRobotFails(t *testing.T) {
	var out bytes.Buffer
	err := Run(context.Background(), Config{Domain: pubsubtest.NewDomain(t).Discovery().Domain, Duration: time.Second, Out: &out,
		Robot: func(ctx context.Context, _ uint32, _ time.Duration) *exec.Cmd {
			return exec.CommandContext(ctx, "false")
		}})
	if err == nil || !strings.Contains(err.Error(), "robot") {
		t.Errorf("got %v", err)
	}
}
