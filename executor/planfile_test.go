package executor

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParsePlan(t *testing.T) {
	got, err := ParsePlan("p.yaml", []byte(`
lanes:
  control: {cpus: [3], policy: fifo, priority: 80, topics: [/left/joint_states]}
  slow:
    topics: [/a, /b]
background: {workers: 2, cpus: [0, 1, 2]}
`))
	want := &Plan{
		Lanes: []Lane{
			{Name: "control", CPUs: []int{3}, Policy: FIFO, Priority: 80, Topics: []string{"/left/joint_states"}},
			{Name: "slow", Topics: []string{"/a", "/b"}},
		},
		Background: Background{Workers: 2, CPUs: []int{0, 1, 2}},
	}
	if err != nil {
		t.Fatal(err)
	}
	got.source = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParsePlanErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"lanes:\n  a: {topics: [/x], cpu: [1]}", `p.yaml:2: lane a has no key "cpu"`},
		{"lane: {}", `p.yaml:1: the plan has no key "lane"`},
		{"lanes:\n  a: {topics: [/x]}\n  a: {topics: [/y]}", `p.yaml:3: lanes has the key "a" twice`},
		{"lanes:\n  a: {topics: [/x]}\n  b: {topics: [/x]}", "topic /x is on lane a and on lane b"},
		{"lanes:\n  a: {topics: [/x], policy: fifo}", "p.yaml:2: lane a: priority 0"},
		{"lanes:\n  a: {topics: [/x], priority: 3}", "needs policy fifo"},
		{"lanes:\n  a: {topics: [/x], policy: idle}", `policy "idle" is unknown`},
		{"lanes:\n  a: {topics: /x}", "p.yaml:2: a list of names expected"},
		{"lanes:\n  a: {topics: []}", "no topics"},
		{"background:\n  workers: many", "p.yaml:2: a number expected"},
		{"background: [1]", "p.yaml:1: background must be a mapping"},
		{"lanes: [", "p.yaml"},
	} {
		_, err := ParsePlan("p.yaml", []byte(tt.text))
		if !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestRecorder(t *testing.T) {
	for v := uint64(0); v < 1<<20; v++ {
		if b := bucket(v); v > 0 && b < bucket(v-1) || b >= buckets {
			t.Fatalf("bucket(%d) = %d", v, b)
		}
	}
	var r recorder
	for range 100_000 {
		d := time.Duration(rand.Uint64N(uint64(longest)) >> rand.IntN(topBits))
		b := bucket(uint64(d))
		if got := time.Duration(value(b)); got < d-d/64-1 || got > d+d/64+1 {
			t.Fatalf("%d is recorded as %d", d, got)
		}
		r.record(d)
	}
	r.record(-1)
	r.record(longest + 1)
	if h := r.snapshot(); h.TotalCount() != 100_002 || h.Min() > 0 {
		t.Errorf("count %d, min %d", h.TotalCount(), h.Min())
	}
}
