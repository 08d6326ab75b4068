package cli

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A command whose output gets lost fails and says so.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	for _, args := range []string{"--help", "--version", "help topic", "doctor --measure 0 --listen 0 --fix", "name node_name a", "plan check " + emptyPlan(t),
		"msg show std_msgs/msg/String", "node list --spin-time 0 --json", "completion bash"} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		c := exec.Command(os.Args[0], strings.Fields(args)...)
		c.Env, c.Stdout, c.Stderr = d.env(), full, &stderr
		err = c.Run()
		full.Close()
		if c.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s: %v: %s", args, err, &stderr)
		}
	}
}

func emptyPlan(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file, []byte("background: {workers: 1}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// A recording is complete when its terminal is closed, and goes on under nohup.
func TestHangUp(t *testing.T) {
	t.Parallel()
	// Where the tests themselves run under nohup, their children would ignore it, too.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
	d := newDomain(t)
	bag := filepath.Join(t.TempDir(), "bag")
	d.start(t, "topic", "pub", "-r", "50", "-p", "0", "/chatter", "std_msgs/msg/String")
	record := d.start(t, "bag", "record", "-o", bag, "/chatter")
	record.waitFor(t, "recording")
	if err := record.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	record.waitFor(t, "0 dropped")
	if _, err := os.Stat(filepath.Join(bag, "metadata.yaml")); err != nil {
		t.Error(err)
	}

	kept := d.background(t, "INT HUP", "topic", "echo", "/chatter", "std_msgs/msg/String")
	kept.waitFor(t, "data: ''")
	before := len(kept.out.String())
	if err := kept.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); len(kept.out.String()) < before+1000 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	kept.interrupt(t)
	if err := kept.cmd.Wait(); err != nil || len(kept.out.String()) < before+1000 {
		t.Errorf("after %d bytes, %v", len(kept.out.String()), err)
	}
}

// What a signal keeps from its end says no more than that.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	plan := emptyPlan(t)
	for args, begun := range map[string]string{
		"msg show -":                                         "",
		"topic pub --stdin /x std_msgs/String":               "",
		"plan check --topics - " + plan:                      "",
		"plan init --listen 60":                              "",
		"doctor --measure 60 --listen 0":                     "",
		fmt.Sprint("demo --duration 60 --domain ", d.Domain): "joints",
	} {
		p := d.background(t, "INT", strings.Fields(args)...)
		p.waitFor(t, begun)
		p.interrupt(t)
		if _ = p.cmd.Wait(); p.cmd.ProcessState.ExitCode() != 1 || !strings.HasSuffix(p.out.String(), "interrupted\n") {
			t.Errorf("%s: %v: %s", args, p.cmd.ProcessState, &p.out)
		}
	}
}

// Without a wait for subscriptions, those that are there get the first message all the same.
func TestPubSettles(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	// One of best effort gets it, too, where it has been discovered in time.
	echo := d.start(t, "topic", "echo", "--qos-reliability", "reliable", "/chatter", "std_msgs/msg/String")
	d.waitForTopic(t, "/chatter")
	d.must(t, "topic", "pub", "-1", "-w", "0", "--spin-time", "10", "/chatter", "std_msgs/msg/String", "data: first")
	echo.waitFor(t, "data: first\n---\n")
	d.must(t, "topic", "pub", "-1", "-w", "0", "--spin-time", "0.1", "/nobody", "std_msgs/msg/String", "data: first")
}

// Fingers that know "ros2 interface" find it.
func TestInterface(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	if got, want := d.must(t, "interface", "show", "std_msgs/msg/String"), d.must(t, "msg", "show", "std_msgs/msg/String"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
