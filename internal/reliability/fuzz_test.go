//go:build long

package reliability

import (
	"flag"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

var fuzzTime = flag.Duration("fuzztime", time.Hour, "how long each fuzz target runs at full size")

// progress is what go test says of a target while it runs.
var progress = regexp.MustCompile(`^fuzz: elapsed: \S+, execs: (\d+) .*, new interesting: (\d+) \(total: (\d+)\)`)

// A campaign is a fuzz target that has run.
type campaign struct {
	inputs, found, total string
	processor            time.Duration
}

func fuzzScript(args ...string) *exec.Cmd {
	cmd := exec.Command(".ci/fuzz.sh", args...)
	cmd.Dir = "../.."
	return cmd
}

// fuzz runs a target with one worker.
func fuzz(pkg, target, length string) (c campaign, err error) {
	cmd := fuzzScript(pkg, target, length, "1")
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if m := progress.FindStringSubmatch(line); m != nil {
			c.inputs, c.found, c.total = m[1], m[2], m[3]
		}
	}
	switch {
	case err != nil:
		return c, fmt.Errorf("%w\n%s", err, out)
	case c.inputs == "":
		return c, fmt.Errorf("no input was tried\n%s", out)
	}
	c.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return c, nil
}

// Whoever reads files, arguments or packets withstands whatever is in them. All targets run at the same
// time; the smaller form has one of them only, since the long tests run each by itself.
func TestFuzzing(t *testing.T) {
	table := kept.table(t, "fuzz", "package", "target", "time", "processor time", "inputs tried", "of them reached something new", "inputs kept in all")
	out, err := fuzzScript("list").Output()
	if err != nil {
		t.Fatal(err)
	}
	targets := strings.Split(strings.TrimSpace(string(out)), "\n")
	length := fuzzTime.String()
	if !*full {
		targets, length = targets[:1], "5000x"
	}
	table.rows = make([][]string, len(targets))
	var all sync.WaitGroup
	for i, target := range targets {
		all.Go(func() {
			pkg, name, _ := strings.Cut(target, " ")
			c, err := fuzz(pkg, name, length)
			if err != nil {
				t.Errorf("%s: %v", target, err)
				return
			}
			table.rows[i] = cells(strings.TrimPrefix(pkg, "github.com/pinion-ros/pinion/"), name, length, c.processor.Round(time.Second), c.inputs, c.found, c.total)
		})
	}
	all.Wait()
}
