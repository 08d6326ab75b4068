package executor

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

const checked = `
lanes:
  fast: {cpus: [1], policy: fifo, priority: 90, topics: [/imu]}
  control:
    cpus: [1]
    policy: fifo
    priority: 80
    topics: [/state, /odom]
  vision: {cpus: [1], policy: fifo, priority: 70, mode: woken, topics: [/image, /cloud], timers: [tick]}
  free: {policy: fifo, priority: 10, topics: [/free]}
  soft: {cpus: [1], topics: [/soft]}
  unknown: {cpus: [0], policy: fifo, priority: 50, topics: [/unknown]}
  below: {cpus: [0], policy: fifo, priority: 40, topics: [/below]}
topics:
  /imu: {rate: 100, budget: 1ms, deadline: 2ms}
  /state: {rate: 100, budget: 2ms, deadline: 5ms}
  /odom: {rate: 50, budget: 3ms, deadline: 4ms}
  /image: {rate: 20, budget: 4ms, priority: 5}
  /cloud: {rate: 10, budget: 5ms}
  /free: {rate: 1, budget: 1ms, deadline: 1s}
  /soft: {rate: 1, budget: 1ms, deadline: 1s}
  /unknown: {rate: 1}
  /below: {rate: 1, budget: 1ms}
  /back: {deadline: 1s}
timers:
  tick: {rate: 20, budget: 1ms}
chains:
  good: {deadline: 20ms, hop: 1ms, topics: [/imu, /state, /command]}
  late: {deadline: 5ms, topics: [/imu, /odom]}
  lost: {topics: [/imu, /back, /state]}
`

func TestCheck(t *testing.T) {
	p, err := ParsePlan("p.yaml", []byte(checked))
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Check()
	for _, want := range []string{
		"p.yaml:4: /state on lane control: it may take 6ms, the deadline is 5ms: 2ms for its own callback, 1ms for 1 of /imu (lane fast has priority 90 on CPU 1), 3ms for 1 of /odom (an inline lane goes by arrival)",
		"p.yaml:4: /odom on lane control: it may take 6ms, the deadline is 4ms",
		"p.yaml:29: chain late: it may take 7ms, the deadline is 5ms: /imu is done after 1ms, /odom is done after 7ms",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
	if faults := err.(interface{ Unwrap() []error }).Unwrap(); len(faults) != 3 || !errors.Is(err, ErrPlan) {
		t.Errorf("%d faults", len(faults))
	}
	bounds := map[string]time.Duration{
		"/imu": 1 * ms, "/state": 6 * ms, "/odom": 6 * ms, "tick": 15 * ms, "/image": 25 * ms, "/cloud": 25 * ms,
	}
	unknown := map[string]string{
		"/free": "not pinned to one CPU", "/soft": "policy other is no guarantee", "/unknown": "no budget",
		"/below": "/unknown can delay it", "/back": "the background gives no guarantee",
	}
	for _, r := range a.Responses {
		if bound, ok := bounds[r.Name]; ok && r.Bound != bound {
			t.Errorf("%+v, want bound %v", r, bound)
		}
		if why, ok := unknown[r.Name]; ok && (r.Bound != 0 || !strings.Contains(r.Unknown, why)) {
			t.Errorf("%+v, want %q", r, why)
		}
	}
	if len(a.Responses) != len(bounds)+len(unknown) {
		t.Errorf("%d responses", len(a.Responses))
	}
	for _, c := range a.Chains {
		if c.Name == "lost" && !strings.Contains(c.Unknown, "/back is in the background") {
			t.Errorf("%+v", c)
		}
	}
}

// What is said of each name, and what is wrong: of plans with patterns, with a list of topics and without.
func TestCheckPatterns(t *testing.T) {
	const lane = "lanes:\n  a: {cpus: [1], policy: fifo, priority: 80, mode: woken, "
	for _, tt := range []struct {
		name, plan string
		topics     []string          // nil: not known
		want       map[string]string // by name, of a chain with "chain " before: bound, unknown and late
		faults     []string
	}{
		{name: "known topics alone are too late",
			plan: lane + "topics: [/left/*]}\ntopics:\n  /left/a: {rate: 100, budget: 3ms, deadline: 4ms}\n  /left/b: {rate: 100, budget: 2ms}",
			want: map[string]string{
				"/left/a": "0s|/left/* can delay it, and there " + whichTopics + "|it may take 5ms, the deadline is 4ms: 3ms for its own callback, 2ms for 1 of /left/b (priority 0 on the lane)",
				"/left/b": "0s|/left/* can delay it, and there " + whichTopics + "|",
				"/left/*": "0s|" + whichTopics + "|",
			},
			faults: []string{"p.yaml:2: /left/a on lane a: it may take 5ms"}},
		{name: "closer patterns on other lanes",
			plan:   lane + "topics: [/left/*]}\n  b: {cpus: [2], policy: fifo, priority: 1, topics: [/left/b*]}\ntopics:\n  /**: {rate: 100, budget: 1ms, deadline: 2ms}",
			topics: []string{"/left/a", "/left/b", "/left/b/c"},
			want: map[string]string{"/left/a": "1ms||", "/left/b": "1ms||",
				"/left/b/c": "0s|the background gives no guarantee; put it on a lane|"},
			faults: []string{"p.yaml:5: topic /left/b/c: no bound is known for its deadline of 2ms"}},
		{name: "a lower lane",
			plan: lane + "topics: [/left/*]}\n  b: {cpus: [1], policy: fifo, priority: 1, topics: [/b]}\n  c: {cpus: [1], policy: fifo, priority: 99, topics: [/c]}\n" +
				"topics:\n  /b: {rate: 100, budget: 1ms,\n    deadline: 2ms}\n  /c: {rate: 100, budget: 1ms, deadline: 2ms}",
			want: map[string]string{
				"/left/*": "0s|" + whichTopics + "|", "/b": "0s|/left/* can delay it, and there " + whichTopics + "|", "/c": "1ms||",
			},
			faults: []string{"p.yaml:7: topic /b: no bound"}},
		{name: "timers",
			plan: lane + "timers: [fast*]}\ntimers:\n  fast1: {rate: 500, budget: 1ms, deadline: 2ms}\n  slow: {deadline: 1s}",
			want: map[string]string{
				"fast1": "0s|fast* can delay it, and there " + whichTimers + "|", "fast*": "0s|" + whichTimers + "|",
				"slow": "0s|the background gives no guarantee; put it on a lane|",
			},
			faults: []string{"p.yaml:4: timer fast1: no bound", "p.yaml:5: timer slow: no bound"}},
		{name: "an entry of nobody knows whom",
			plan:   lane + "topics: [/x]}\ntopics:\n  /x: {rate: 1, budget: 1ms}\n  /cam/**: {deadline: 1s}\n  /x/**: {deadline: 1s}",
			want:   map[string]string{"/x": "1ms||", "/cam/**": "0s|" + whichTopics + "|", "/x/**": "0s|" + whichTopics + "|"},
			faults: []string{"p.yaml:5: topic /cam/**: no bound", "p.yaml:6: topic /x/**: no bound"}},
		{name: "a pattern that matches nothing",
			plan:   lane + "topics: [/x/**]}\ntopics:\n  /x/**: {rate: 1, budget: 1ms, deadline: 1s}",
			topics: []string{"/y"},
			want:   map[string]string{"/x/**": "0s|none of the topics matches it|"}},
		{name: "an overload that goes round a chain",
			plan: lane + "topics: [/b]}\n  b: {cpus: [1], policy: fifo, priority: 10, topics: [/a]}\n" +
				"topics:\n  /a: {rate: 1000, budget: 600us}\n  /b: {budget: 600us}\nchains:\n  c: {topics: [/a, /b], deadline: 1s}",
			want: map[string]string{
				"/a":      "0s|it and what goes before it need at least 120.0 % of CPU 1|it and what goes before it need at least 120.0 % of CPU 1",
				"/b":      "0s|/a comes before it in a chain, and there it and what goes before it need 120.0 % of CPU 1|",
				"chain c": "0s|/a comes before it in a chain, and there it and what goes before it need 120.0 % of CPU 1|",
			},
			faults: []string{"p.yaml:3: /a on lane b: it and what", "p.yaml:8: chain c: no bound"}},
		{name: "an overload at the end of chains",
			plan: lane + "topics: [/a]}\n  b: {cpus: [1], policy: fifo, priority: 10, topics: [/b]}\n" +
				"topics:\n  /a: {rate: 1000, budget: 600us}\n  /b: {budget: 600us}\nchains:\n  c: {topics: [/a, /b], deadline: 1s}\n  d: {topics: [/a, /b]}",
			want: map[string]string{"/a": "600µs||",
				"/b":      "0s|it and what goes before it need 120.0 % of CPU 1|it and what goes before it need 120.0 % of CPU 1",
				"chain c": "0s|/b: it and what goes before it need 120.0 % of CPU 1|/b: it and what goes before it need 120.0 % of CPU 1",
				"chain d": "0s|/b: it and what goes before it need 120.0 % of CPU 1|/b: it and what goes before it need 120.0 % of CPU 1",
			},
			faults: []string{"p.yaml:3: /b on lane b: it and what", "p.yaml:8: chain c: /b: it and what"}},
		{name: "a chain that may go on",
			plan: lane + "topics: [/a]}\n  b: {cpus: [2], policy: fifo, priority: 10, topics: [/out/*]}\n" +
				"topics:\n  /a: {rate: 1000, budget: 600us}\nchains:\n  c: {topics: [/a, /out/b], deadline: 1s}",
			want: map[string]string{"/a": "600µs||", "/out/*": "0s|" + whichTopics + "|",
				"chain c": "0s|it goes on if /out/b is subscribed to, on lane b; a list of the program's topics tells (CheckTopics, --topics)|"},
			faults: []string{"p.yaml:7: chain c: no bound"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ParsePlan("p.yaml", []byte(tt.plan))
			if err != nil {
				t.Fatal(err)
			}
			a, err := p.Check()
			if tt.topics != nil {
				a, err = p.CheckTopics(tt.topics)
			}
			got := map[string]string{}
			for _, r := range a.Responses {
				got[r.Name] = fmt.Sprintf("%v|%s|%s", r.Bound, r.Unknown, r.Late)
			}
			for _, c := range a.Chains {
				got["chain "+c.Name] = fmt.Sprintf("%v|%s|%s", c.Bound, c.Unknown, c.Late)
			}
			if !maps.Equal(got, tt.want) {
				t.Errorf("got\n%q, want\n%q", got, tt.want)
			}
			var lines []string
			if err := errors.Join(err, p.Unbounded(a)); err != nil {
				lines = strings.Split(err.Error(), "\n")
			}
			if !slices.EqualFunc(lines, tt.faults, strings.HasPrefix) {
				t.Errorf("faults %q, want %q", lines, tt.faults)
			}
		})
	}
}

// Deadlines that are soft by name, by pattern or as those of a chain are no faults.
func TestUnboundedSoft(t *testing.T) {
	p := &Plan{
		Topics: []Topic{{Name: "/a/b", Deadline: ms}, {Name: "/c", Deadline: ms}},
		Timers: []Topic{{Name: "tick", Deadline: ms}},
		Chains: []Chain{{Name: "flow", Topics: []string{"/a/b", "/c"}, Deadline: ms}},
	}
	a, err := p.Check()
	if err != nil {
		t.Fatal(err)
	}
	for soft, want := range map[string]int{"": 4, "/a/*": 3, "/**": 2, "/** tick flow": 0, "/other": 4} {
		n := 0
		if err := p.Unbounded(a, strings.Fields(soft)...); err != nil {
			n = len(strings.Split(err.Error(), "\n"))
		}
		if n != want {
			t.Errorf("%q soft: %d faults, want %d", soft, n, want)
		}
	}
}
