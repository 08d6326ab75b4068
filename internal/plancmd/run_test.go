package plancmd

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// Each plan in testdata gives its golden output, standard error behind standard output.
func TestGolden(t *testing.T) {
	plans, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(plans) < 3 {
		t.Fatalf("%v, %v", plans, err)
	}
	for _, plan := range plans {
		var out, errs bytes.Buffer
		code := Run([]string{"check", "--cpus=0-2", plan, "--topics", "testdata/topics.txt"}, nil, &out, &errs)
		got := out.String() + "---\n" + errs.String()
		golden := strings.TrimSuffix(plan, ".yaml") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s gives\n%s\nwant\n%s", plan, got, want)
		}
		if wantCode := exitFault; strings.Contains(plan, "good") != (code == exitOK) || code != exitOK && code != wantCode {
			t.Errorf("%s: exit code %d", plan, code)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"check testdata/good.yaml --cpus 0,1-2", exitOK, "chain reflex"},
		{"check testdata/good.yaml --cpus 0,1-2", exitOK, "was not checked; --topics FILE does"},
		{"check testdata/good.yaml --cpus 0-2 --published testdata/topics.txt", exitUsage, "--published needs --topics"},
		{"check testdata/good.yaml --topics - --published -", exitUsage, "standard input"},
		{"check testdata/good.yaml --topics testdata/topics.txt --published testdata/none", exitFault, "--published: open"},
		{"check --topics - testdata/good.yaml --cpus 0-2", exitFault, "no subscription uses topic /imu"},
		{"check testdata/good.yaml --cpus 0-1", exitFault, "testdata/good.yaml:14: background: CPU 2"},
		{"check testdata/good.yaml --cpus 3-1", exitFault, "a list such as 0-3,6"},
		{"check testdata/good.yaml --cpus 9999", exitFault, "a list such as 0-3,6"},
		{"check testdata/good.yaml --topics testdata/none", exitFault, "no such file"},
		{"check testdata/none.yaml", exitFault, "no such file"},
		{"--help", exitOK, "usage: pinion plan check"},
		{"check --help", exitOK, "usage: pinion plan check"},
		{"", exitUsage, "one thing to do"},
		{"draw", exitUsage, "one thing to do"},
		{"check", exitUsage, "a FILE is wanted"},
		{"check a b", exitUsage, "one FILE"},
		{"check a --speed 3", exitUsage, "not defined"},
	} {
		var out bytes.Buffer
		code := Run(strings.Fields(tt.args), strings.NewReader("/other\n"), &out, &out)
		if code != tt.code || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: code %d, %q in\n%s", tt.args, code, tt.want, out.String())
		}
	}
}

// What is not known of a plan does not pass, what is known to be too much is found all the same, and what
// executor.New would refuse is refused.
func TestGate(t *testing.T) {
	const (
		overload = "lanes: {a: {cpus: [1], policy: fifo, priority: 80, topics: [/left/joint*]}}\n" +
			"topics: {/left/joint_states: {rate: 1000, budget: 1100us, deadline: 1ms}}"
		light = "lanes: {a: {cpus: [1], policy: fifo, priority: 80, topics: [/left/**]}}\n" +
			"topics: {/left/joint_states: {rate: 1000, budget: 100us, deadline: 1ms}, /left/**: {rate: 100, budget: 1us}}"
		chain = light + "\nchains: {c: {deadline: 2ms, topics: [/left/joint_states, /left/command]}}"
		soft  = "topics: {/map: {deadline: 1s}}\ntimers: {tick: {deadline: 1s}}"
		all   = "lanes: {a: {cpus: [0, 1], policy: fifo, priority: 80, topics: [/a]}}"
	)
	for _, tt := range []struct {
		name, plan, args, topics string
		code                     int
		want                     []string
	}{
		{"pattern, overloaded", overload, "", "", exitFault, []string{
			"lanes use 110.0 % of CPU 1", "/left/joint_states  deadline 1ms, OVERLOADED: it and what goes before it need at least 110.0 % of CPU 1",
			"/left/joint*        not known: it is not known which topics match", "--topics FILE does"}},
		{"its topics, overloaded", overload, "--topics -", "/left/joint_states\n/other", exitFault, []string{"need 110.0 % of CPU 1"}},
		{"pattern", light, "", "", exitFault, []string{
			"lanes use 10.0 % of CPU 1", "plan.yaml:2: topic /left/joint_states: no bound is known for its deadline of 1ms: /left/** can delay it, and there it is not known which topics match"}},
		{"its topics", light, "--topics -", "/left/joint_states\n/left/goal", exitOK, []string{"/left/joint_states  101µs, deadline 1ms: kept", "/left/goal          101µs"}},
		{"pattern, soft", light, "--soft /left/**", "", exitOK, []string{"deadline 1ms, not known"}},
		{"pattern without topics", light, "--topics -", "/left/joint_states\n/right", exitOK, []string{"100µs, deadline 1ms: kept"}},
		{"chain", chain, "", "", exitFault, []string{"chain c: no bound is known"}},
		{"chain that leaves", chain, "--topics - --published testdata/command.txt", "/left/joint_states", exitOK, []string{"chain c             100µs"}},
		{"chain that does not", chain, "--topics -", "/left/joint_states\n/left/command", exitOK, []string{"/left/command", "chain c             202µs"}},
		{"no lane", soft, "--topics -", "/map", exitFault, []string{
			"plan.yaml:1: topic /map: no bound is known for its deadline of 1s: the background gives no guarantee", "plan.yaml:2: timer tick: no bound"}},
		{"no lane, soft", soft, "--topics - --soft /map,tick", "/map", exitOK, nil},
		{"no CPU left", all, "", "", exitFault, []string{"plan.yaml:1: lanes with real-time policies can take all of the CPUs [0 1]"}},
		{"no CPU left, shared", all, "--shared-cpus", "", exitOK, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "plan.yaml")
			if err := os.WriteFile(file, []byte(tt.plan), 0o666); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			code := Run(append([]string{"check", "--cpus=0-1", file}, strings.Fields(tt.args)...), strings.NewReader(tt.topics), &out, &out)
			if code != tt.code {
				t.Errorf("code %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, out.String())
				}
			}
		})
	}
}

// A plan that is too large for the machine of the tests may be for another.
func TestOtherMachine(t *testing.T) {
	plan := "lanes:\n"
	for i := range runtime.NumCPU() { // each may take any CPU, and none is left
		plan += fmt.Sprintf("  l%d: {policy: fifo, priority: 1, topics: [/t%d]}\n", i, i)
	}
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file, []byte(plan), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		hint bool
	}{{nil, exitFault, true}, {[]string{"--cpus", "0-1023"}, exitOK, false}, {[]string{"--cpus", "0"}, exitFault, false}} {
		var out bytes.Buffer
		code := Run(append([]string{"check", file}, tt.args...), nil, &out, &out)
		if code != tt.code || strings.Contains(out.String(), "another machine") != tt.hint {
			t.Errorf("%q: code %d\n%s", tt.args, code, out.String())
		}
	}
}
