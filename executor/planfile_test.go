package executor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

func TestParsePlan(t *testing.T) {
	got, err := ParsePlan("p.yaml", []byte(`
lanes:
  control: {cpus: [3], policy: fifo, priority: 80, topics: [/left/joint_states], mode: woken, timers: [balance]}
  slow:
    mode: woken
    isolate: process
    part: eyes
    topics: [/a, /b/*/c, /d/**]
  reserved: {policy: deadline, runtime: 1ms, within: 5ms, period: 10ms, topics: [/bumper]}
background: {workers: 2, cpus: [0, 1, 2]}
topics:
  /left/joint_states: {rate: 1000, jitter: 50us, budget: 0.2ms, deadline: 1ms}
  /d/**: {priority: 5}
timers:
  balance: {rate: 500, budget: 300us}
chains:
  reflex: {priority: 80, deadline: 5ms, hop: 50us, topics: [/imu, /left/joint_states, /left/command]}
parts:
  eyes: {restart: on-failure, backoff: 200ms, stop: 3s}
`))
	want := &Plan{
		Lanes: []Lane{
			{Name: "control", CPUs: []int{3}, Policy: FIFO, Priority: 80, Mode: Woken, Topics: []string{"/left/joint_states"}, Timers: []string{"balance"}},
			{Name: "slow", Mode: Woken, Isolate: Process, Part: "eyes", Topics: []string{"/a", "/b/*/c", "/d/**"}},
			{Name: "reserved", Policy: Deadline, Runtime: time.Millisecond, Within: 5 * time.Millisecond, Period: 10 * time.Millisecond, Topics: []string{"/bumper"}},
		},
		Background: Background{Workers: 2, CPUs: []int{0, 1, 2}},
		Topics: []Topic{
			{Name: "/left/joint_states", Rate: 1000, Jitter: 50 * time.Microsecond, Budget: 200 * time.Microsecond, Deadline: time.Millisecond},
			{Name: "/d/**", Priority: 5},
		},
		Timers: []Topic{{Name: "balance", Rate: 500, Budget: 300 * time.Microsecond}},
		Chains: []Chain{{Name: "reflex", Priority: 80, Deadline: 5 * time.Millisecond, Hop: 50 * time.Microsecond,
			Topics: []string{"/imu", "/left/joint_states", "/left/command"}}},
		Parts: []PartPlan{{Name: "eyes", Restart: OnFailure, Backoff: 200 * time.Millisecond, Stop: 3 * time.Second}},
	}
	if err != nil {
		t.Fatal(err)
	}
	got.source = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := want.Validate(); err != nil {
		t.Error(err)
	}
}

func TestEmptyPlans(t *testing.T) {
	for _, text := range []string{"", "# nothing", "{}"} {
		if p, err := ParsePlan("p.yaml", []byte(text)); err != nil || len(p.Lanes) != 0 {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
}

// A file without end is not read to its end.
func TestEndlessPlan(t *testing.T) {
	if _, err := ReadPlan("/dev/zero"); !errors.Is(err, ErrPlan) {
		t.Error(err)
	}
}

func TestParsePlanErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"lanes:\n  a: {topics: [/x], cpu: [1]}", `p.yaml:2: lane a has no key "cpu"; there are cpus, isolate, mode,`},
		{"lanes: {}\n---\nlanes: {}", "p.yaml:2: a second YAML document"},
		{"lanes: {}\n---\nlanes: {", "p.yaml: yaml: line"},
		{"lane: {}", `p.yaml:1: the plan has no key "lane"`},
		{"lanes:\n  a: {topics: [/x]}\n  a: {topics: [/y]}", `p.yaml:3: lanes has the key "a" twice`},
		{"lanes:\n  a: {topics: [/x]}\n  b:\n    topics:\n      - /y\n      - /x", "p.yaml:6: topic /x is on lane a and on lane b"},
		{"lanes:\n  a: {topics: [/x,\n /x]}", "p.yaml:3: topic /x is on lane a twice"},
		{"lanes:\n  a: {topics: [/x], mode: inline,\n timers: [t]}", "p.yaml:3: lane a: timers need mode woken"},
		{"lanes:\n  a: {timers: [t]}\n  b: {timers: [t]}", "p.yaml:3: timer t is on lane a and on lane b"},
		{"lanes:\n  a: {topics: [/x], policy: fifo}", "p.yaml:2: lane a: priority 0"},
		{"lanes:\n  a: {topics: [/x],\n priority: 3}", "p.yaml:3: lane a: priority 3 needs policy fifo"},
		{"lanes:\n  a: {topics: [/x], policy: idle}", `p.yaml:2: lane a: policy "idle" is unknown`},
		{"lanes:\n  a: {topics: [/x], mode: sleepy}", `p.yaml:2: lane a: mode "sleepy" is unknown`},
		{"lanes:\n  a: {topics: [/x], isolate: jail}", `p.yaml:2: lane a: isolate "jail" is unknown`},
		{"lanes:\n  a: {topics: [/x], policy: deadline, runtime: 2ms, within: 1ms}", "runtime <= within"},
		{"lanes:\n  a: {topics: [/x], policy: deadline, runtime: 1ms, within: 2ms,\n cpus: [1]}", "p.yaml:3: lane a: policy deadline and a set of CPUs exclude each other"},
		{"lanes:\n  a: {topics: [/x], runtime: 1ms}", "need policy deadline"},
		{"lanes:\n  a: {topics: [/x], cpus: [1, 1]}", "p.yaml:2: lane a: CPU 1 is listed twice"},
		{"lanes:\n  a: {topics: /x}", "p.yaml:2: lane a: topics: a list of names expected"},
		{"lanes:\n  a: {topics: []}", "no topics"},
		{"lanes:\n  a: {topics: [x]}", "has to start with"},
		{"lanes:\n  a: {topics: [/x//y]}", "repeats the one before"},
		{"lanes:\n  a: {topics: [/x**]}", "whole parts"},
		{"lanes:\n  a: {topics: [/x?]}", "is not allowed, use"},
		{"lanes:\n  a: {topics: [/1x]}", "start it with a letter"},
		{"lanes:\n  a: {topics: [null]}", "p.yaml:2: lane a: topics: a name expected"},
		{"lanes:\n  a:", "p.yaml:2: lane a must be a mapping"},
		{"background:\n  workers: many", "p.yaml:2: background: workers: a number expected"},
		{"background:\n  workers: -1", "p.yaml:2: background: -1 workers"},
		{"background: [1]", "p.yaml:1: background must be a mapping"},
		{"topics:\n  /x: {rate: -1}", "p.yaml:2: topic /x: rate -1"},
		{"topics:\n  /x: {rate: .nan}", "p.yaml:2: topic /x: rate NaN"},
		{"topics:\n  /x: {budget: 5}", "p.yaml:2: topic /x: budget: a time with its unit expected"},
		{"topics:\n  /x: {budget: -5ms}", "p.yaml:2: topic /x: budget -5ms is negative"},
		{"topics:\n  /x: {priority: 100}", "p.yaml:2: topic /x: priority 100 is not in 0 to 99"},
		{"timers:\n  a b: {}", "p.yaml:2: timers: timer"},
		{"chains:\n  c: {topics: [/x]}", "p.yaml:2: chain c: 1 topics"},
		{"chains:\n  c: {topics: [/x, /y, /x]}", "p.yaml:2: chain c: topic /x is there twice"},
		{"chains:\n  c: {topics: [/x, /y/*]}", "p.yaml:2: chain c: /y/* is a pattern"},
		{"lanes:\n  a: {policy: fifo, priority: 10, topics: [/x]}\nchains:\n  c:\n    priority: 20\n    topics: [/x, /y]", "p.yaml:6: chain c: topic /x is on lane a, whose priority 10 is below the chain's 20"},
		{"lanes:\n  a: {topics: [/x],\n part: p}", "p.yaml:3: lane a: part p needs isolate process"},
		{"lanes:\n  a: {topics: [/x], isolate: process,\n part: 'a b'}", `p.yaml:3: lane a: part "a b": a name without spaces`},
		{"lanes:\n  a b: {topics: [/x], isolate: process}", `p.yaml:2: lane a b: part "a b": a name without spaces`},
		{"lanes:\n  a: {topics: [/x], isolate: process}\nparts:\n  b: {}", "p.yaml:4: part b: no lane is isolated in it"},
		{"lanes:\n  a: {topics: [/x]}\nparts:\n  a: {}", "p.yaml:4: part a: no lane is isolated in it"},
		{"lanes:\n  a: {topics: [/x], isolate: process}\nparts:\n  a:\n    restart: sometimes", `p.yaml:5: part a: restart "sometimes" is unknown`},
		{"lanes:\n  a: {topics: [/x], isolate: process}\nparts:\n  a:\n    backoff: 1s", "p.yaml:5: part a: backoff needs restart"},
		{"lanes:\n  a: {topics: [/x], isolate: process}\nparts:\n  a: {restart: always,\n    backoff: 1h}", "p.yaml:5: part a: backoff 1h0m0s is more than 30s"},
		{"lanes:\n  a: {topics: [/x], isolate: process}\nparts:\n  a:\n    stop: -1s", "p.yaml:5: part a: stop -1s is negative"},
		{"lanes:\n  a: {topics: [/x], isolate: process}\nparts:\n  a: {tries: 3}", `p.yaml:4: part a has no key "tries"`},
		{"lanes:\n  a: {topics: [/x], isolate: process}\nparts: [a]", "p.yaml:3: parts must be a mapping"},
		{"lanes: [", "p.yaml"},
	} {
		_, err := ParsePlan("p.yaml", []byte(tt.text))
		if !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// All faults are reported at once, and each can be taken apart.
func TestFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.yaml")
	text := "lanes:\n  a: {topics: [x], mode: y}\n  b: {topics: [/z], cpus: [-1]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := ReadPlan(file)
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 3 {
		t.Fatalf("got %v, want three faults", err)
	}
	var f *Fault
	if !errors.As(err, &f) || f.File != file || f.Line != 2 {
		t.Errorf("got %+v", f)
	}
}

// What is wrong in a file shows together, in the order of its lines, and nothing that only follows from it.
func TestFaultsTogether(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"lanes:\n  a: {polcy: fifo, priority: 80, topics: [/a]}\n  b: {policy: fast, priority: 3, topics: [/b]}\n" +
			"  c: {topics: [/c**, /d]}\n  d: {mode: inline, topics: [/e], timers: [t]}\ntopics:\n  /a: {budget: 5}\n  /b: {rate: -1}",
			[]string{`p.yaml:2: lane a has no key "polcy"`, `p.yaml:3: lane b: policy "fast" is unknown`, "p.yaml:4: lane c: ", "p.yaml:5: lane d: timers need mode woken",
				"p.yaml:7: topic /a: budget", "p.yaml:8: topic /b: rate -1"}},
		{"lanes:\n  a: {policy: deadlin, runtime: 1ms, within: 2ms, topics: [/a]}", []string{`p.yaml:2: lane a: policy "deadlin" is unknown`}},
		{"lanes:\n  a: {isolate: jail, part: p, topics: [/a]}\nparts: {p: {}}", []string{`p.yaml:2: lane a: isolate "jail" is unknown`}},
		{"lanes:\n  a: {cpus: [0, x, 0], policy: fifo, topics: [/a]}", []string{"p.yaml:2: lane a: cpus: a CPU number", "p.yaml:2: lane a: CPU 0 is listed twice", "p.yaml:2: lane a: priority 0"}},
		{"lanes:\n  a:\n    topics:\n      - {}\n      - /a\n      - b", []string{"p.yaml:4: lane a: topics: a name expected", "p.yaml:6: lane a: "}},
		{"lanes:\n  a: {topics: [/a], budget: 1ms}\n  a: {}\n  b: {}", []string{`p.yaml:2: lane a has no key "budget"`, `p.yaml:3: lanes has the key "a" twice`, "p.yaml:4: lane b: it has no topics"}},
	} {
		_, err := ParsePlan("p.yaml", []byte(tt.text))
		if got := strings.Split(fmt.Sprint(err), "\n"); !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
			t.Errorf("%s\ngives\n%s\nwant\n%s", tt.text, err, strings.Join(tt.want, "\n"))
		}
	}
}

// Each key of a plan that is misspelt, and each value that cannot be read, is one fault.
func TestOneFaultEach(t *testing.T) {
	const text = `
lanes:
  a: {cpus: [3], policy: fifo, topics: [/a], mode: woken, timers: [t]}
  b: {isolate: process, part: p, policy: deadline, runtime: 1ms, within: 2ms, period: 3ms, topics: [/b]}
  c: {isolate: process, policy: rr, priority: 9, topics: [/c/*]}
  d: {timers: [u]}
background: {workers: 2, cpus: [0, 1]}
topics: {/a: {priority: 1, rate: 2, jitter: 3us, budget: 4us, deadline: 5ms}}
timers: {t: {rate: 2, budget: 4us}}
chains: {f: {priority: 9, deadline: 1s, hop: 1ms, topics: [/a, /c/d, /e]}}
parts: {p: {restart: always, backoff: 1s, stop: 2s}}
`
	check := func(doc *yaml.Node, what string) {
		out, err := yaml.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ParsePlan("p.yaml", out)
		if faults, ok := err.(interface{ Unwrap() []error }); !ok || len(faults.Unwrap()) != 1 {
			t.Errorf("%s: got\n%v, want one fault", what, err)
		}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if _, err := ParsePlan("p.yaml", []byte(text)); err != nil {
		t.Fatal(err)
	}
	n := 0
	var walk func(node *yaml.Node, path string, named bool)
	walk = func(node *yaml.Node, path string, named bool) {
		for i := range node.Content {
			item, where := node.Content[i], fmt.Sprint(path, "/", i)
			switch {
			case node.Kind != yaml.MappingNode:
			case i%2 == 1:
				where = path + "/" + node.Content[i-1].Value
			case named: // a name, not a key
				continue
			default:
				n++
				key := item.Value
				item.Value = key + "x"
				check(&doc, path+"/"+key+" misspelt")
				item.Value = key
				continue
			}
			n++
			node.Content[i] = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{{Kind: yaml.SequenceNode}}}
			check(&doc, where+" not readable")
			node.Content[i] = item
			walk(item, where, strings.Count(where, "/") == 1 && where != "/background")
		}
	}
	walk(doc.Content[0], "", false)
	if n < 80 {
		t.Errorf("%d places", n)
	}
}

func TestMissingCPUs(t *testing.T) {
	p, err := ParsePlan("p.yaml", []byte("lanes:\n  a:\n    topics: [/x]\n    cpus: [0,\n     7]\nbackground:\n  cpus: [0, 8]\n"))
	if err != nil {
		t.Fatal(err)
	}
	err = p.ValidateCPUs([]int{0, 1})
	for _, want := range []string{"p.yaml:5: lane a: CPU 7 does not exist", "p.yaml:7: background: CPU 8 does not exist"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestUnused(t *testing.T) {
	p, err := ParsePlan("p.yaml", []byte("lanes:\n  a: {topics: [/x, /y, /z/*]}\ntopics:\n  /x: {}\n  /w: {}\n  /v/**: {}\nchains:\n  c: {topics: [/x, /command]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	err = p.Unused([]string{"/x"}, []string{"/command"})
	want := "p.yaml:2: lane a: no subscription uses topic /y\np.yaml:5: topics: no subscription uses topic /w"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if err := p.Unused([]string{"/x", "/y", "/w"}, nil); err == nil || !strings.Contains(err.Error(), "chain c: no subscription or publisher uses topic /command") {
		t.Errorf("a command that nobody publishes: %v", err)
	}
}

func FuzzParsePlan(f *testing.F) {
	f.Add([]byte("lanes:\n  a: {cpus: [1], topics: [/x/*], policy: fifo, priority: 3}\nchains: {c: {topics: [/a, /b], hop: 1s}}"))
	f.Add([]byte("topics: {/x: {rate: 1e300, budget: 9000000h}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParsePlan("p.yaml", data)
		if err != nil {
			if !errors.Is(err, ErrPlan) {
				t.Errorf("%v is not an ErrPlan", err)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("valid once, not twice: %v", err)
		}
		for _, check := range []func() (*Analysis, error){p.Check, func() (*Analysis, error) { return p.CheckTopics([]string{"/a", "/x/y"}) }} {
			a, _ := check()
			_ = p.Unbounded(a, "/x/*")
		}
		_ = p.ValidateShares([]int{0, 1})
	})
}

// An executor runs by the plan of a file, and there is none where that cannot be read.
func TestWithPlanFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if _, err := New(WithPlanFile(file)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the file: %v", err)
	}
	if err := os.WriteFile(file, []byte("lanes: {control: {topics: [/a]}}\nbackground: {workers: 3}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	e, err := New(WithPlanFile(file), WithWorkers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if len(e.lanes) != 1 || e.lanes["control"] == nil || e.plan.Background.Workers != 3 {
		t.Errorf("lanes %v, %d workers", e.lanes, e.plan.Background.Workers)
	}
}
