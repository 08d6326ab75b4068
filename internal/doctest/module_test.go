package doctest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// newModule makes a module in dir that replaces pinion by this checkout.
func newModule(t *testing.T, dir string) {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := strings.Cut(string(mod), "\n")
	write(t, dir, "go.mod", "module example.com/robot\n"+requires+
		"\nrequire github.com/pinion-ros/pinion v0.0.0\nreplace github.com/pinion-ros/pinion => "+root(t)+"\n")
	sum, err := os.ReadFile(filepath.Join(root(t), "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "go.sum", string(sum))
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// command runs a program in dir and returns what it writes to standard output.
func command(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 30 * time.Second // what runs in the background ends after the shell, on a busy machine later
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

// alone returns an environment in which programs see each other and nobody else.
func alone(t *testing.T) []string {
	t.Helper()
	d := pubsubtest.NewDomain(t).Discovery()
	return []string{fmt.Sprint("ROS_DOMAIN_ID=", d.Domain), "ROS_LOCALHOST_ONLY=1", "CYCLONEDDS_URI=" + d.Config,
		"ROS_DISTRO=", "ROS_AUTOMATIC_DISCOVERY_RANGE=", "ROS_STATIC_PEERS="}
}
