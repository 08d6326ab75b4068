package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A terminal is a window of tmux of 80 columns and 24 lines, in which pinion runs.
type terminal struct {
	t      *testing.T
	socket string
}

func (d domain) terminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	term := &terminal{t, filepath.Join(t.TempDir(), "tmux")}
	// Whatever the shell is, the environment reaches the command by tmux -e.
	new := []string{"-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24"}
	for _, v := range d.env() {
		if name, _, _ := strings.Cut(v, "="); name == asCommand || strings.HasPrefix(name, "ROS_") || name == "CYCLONEDDS_URI" {
			new = append(new, "-e", v)
		}
	}
	// The shell stays, so that what the command leaves can be seen.
	term.tmux(append(new, fmt.Sprintf("%s %s; echo status $?; exec sleep 100", os.Args[0], strings.Join(args, " ")))...)
	t.Cleanup(func() { term.tmux("kill-server") })
	return term
}

func (term *terminal) tmux(args ...string) string {
	term.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", term.socket}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		term.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// press sends keys by the names that tmux has for them.
func (term *terminal) press(keys ...string) { term.tmux(append([]string{"send-keys"}, keys...)...) }

// waitFor waits until the screen matches a pattern, in which . matches line breaks too.
func (term *terminal) waitFor(pattern string) {
	term.t.Helper()
	re, screen := regexp.MustCompile("(?s)"+pattern), ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if screen = term.tmux("capture-pane", "-p"); re.MatchString(screen) {
			return
		}
	}
	term.t.Fatalf("%s does not come up in\n%s", pattern, screen)
}

func TestTop(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	d.start(t, "topic", "pub", "-p", "0", "-r", "100", "/fast", "std_msgs/msg/Header", "stamp: now")
	d.start(t, "topic", "pub", "-p", "0", "-r", "10", "--qos-reliability", "best_effort", "/scan", "std_msgs/msg/String", "data: scan")
	d.start(t, "topic", "echo", "/scan", "std_msgs/msg/String", "--qos-reliability", "reliable")
	d.start(t, "topic", "pub", "-p", "0", "-r", "20", "/statistics", "statistics_msgs/msg/MetricsMessage",
		"{measurement_source_name: control /fast, metrics_source: callback_duration, unit: ms, statistics: [{data_type: 1, data: 0.0415}, {data_type: 3, data: 0.14}]}")

	d.start(t, "topic", "pub", "-p", "0", "-r", "20", "/statistics", "statistics_msgs/msg/MetricsMessage",
		"{measurement_source_name: arm lane control, metrics_source: deadline_misses, unit: '1', statistics: [{data_type: 5, data: 1}]}")

	top := d.terminal(t, "top", "--interval", "0.2")
	top.waitFor(fmt.Sprintf("^pinion top  domain %d  ", d.Domain) + `3 topics .*1 with warnings\nTOPIC▾ +HZ.*\n/fast +\d+.*s +.*█.*\n/scan .* 1\n/statistics `)
	top.press("Down")
	top.waitFor(`QoS: /_pinion_\d+ offers less than /_pinion_\d+ asks for: RELIABILITY\nq quit`)
	top.press("s")
	top.waitFor(`HZ▾.*\n/fast .*\n/statistics .*\n/scan `)
	top.press("r")
	top.waitFor(`HZ▾.*\n/scan .*\n/statistics .*\n/fast `)
	top.press("?")
	top.waitFor(`any key goes back`)
	top.press("x", "l")
	top.waitFor(`SOURCE▾.*\narm lane control +- +- +- +- +- +\d+ +- *\ncontrol /fast +- +- +- +41\.5µs +140µs +- +- .*█`)
	top.press("s", "s", "s", "s", "g") // by the time of callbacks
	top.waitFor(`CALL▾.*\ncontrol /fast .*\narm lane control .*\ncontrol /fast *\nq quit`)
	top.tmux("resize-window", "-x", "60", "-y", "10")
	top.waitFor(`\nq quit.{54,56}\n$`)
	top.press("Space")
	top.waitFor(`PAUSED`)
	top.press("q")
	top.waitFor(`^status 0`) // and nothing of the table is left

	d.untilMatch(t, `(?s)TOPIC .*\n/scan .*\n  ! QoS: .*\n\nSOURCE .*\narm lane control .*\ncontrol /fast .*`, "top", look, "--once", "/scan")
	type frame struct {
		Topics []struct {
			Name     string
			Rate     float64
			Latency  *struct{ P50 int64 }
			Warnings []string
		}
		Metrics []struct{ Mean float64 }
	}
	untilJSON(t, d, func(frame frame) bool {
		return len(frame.Topics) == 3 && frame.Topics[0].Rate > 0 && frame.Topics[0].Latency != nil && len(frame.Topics[1].Warnings) == 1 &&
			len(frame.Metrics) == 2 && frame.Metrics[1].Mean == 0.0415
	}, "top", look, "--json", "-n", "1")
}

func TestTopOfNothing(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	none := fmt.Sprintf("domain %d has no topics\n", d.Domain)
	if got := d.must(t, "top", "--once", "--interval", "0.1"); got != none+"\n" {
		t.Errorf("%q", got)
	}
	top := d.terminal(t, "top")
	top.waitFor(`0 topics.*\n` + none + `q quit`)
	top.press("l")
	top.waitFor(`nobody publishes statistics_msgs/msg/MetricsMessage`)
	top.press("q")
	top.waitFor(`^status 0`)
}

func TestTopBadCommandLines(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	for args, want := range map[string]string{"--interval 0.01": "--interval", "[": "is not allowed, use letters", "-n -1": "--times"} {
		r := d.run(t, append([]string{"top"}, strings.Fields(args)...)...)
		if r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", args, r)
		}
	}
}
