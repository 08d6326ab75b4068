package top

import (
	"strings"
	"testing"
)

func TestLanes(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	view := newView(80, 24, false)
	view.onLanes = true
	view.update(&Frame{Metrics: []Metric{
		{Source: "arm /joint_states", Name: "callback_duration", Unit: "ms", Mean: v(0.0415), Max: v(0.14), Count: v(1000), trend: []float64{1, 2}},
		{Source: "arm /joint_states", Name: "deadline_misses", Unit: "1", Count: v(1), total: 7},
		{Source: "arm /joint_states", Name: "drops", Unit: "1", Count: v(0), total: 3},
		{Source: "arm /joint_states", Name: "message_age", Unit: "ms", Mean: v(0.2), Max: v(3)},
		{Source: "arm /joint_states", Name: "message_period", Unit: "ms", Mean: v(1), StdDev: v(0.05)},
		{Source: "arm /joint_states", Name: "queue_wait", Unit: "ms", Mean: v(0.012), Max: v(0.5)},
		{Source: "arm chain reflex", Name: "end_to_end", Unit: "ms", Mean: v(2.5), Max: v(4), trend: []float64{1, 1}},
		{Source: "arm lane control", Name: "callback_duration", Unit: "ms", Mean: v(0.05), Max: v(0.2)},
		{Source: "arm lane control", Name: "overruns", Unit: "1", Count: v(0), total: 12},
		{Source: "arm lane control", Name: "wakeup_jitter", Unit: "ms", Mean: v(0.01), Max: v(0.02)},
		{Source: "arm timer step", Name: "wakeup_jitter", Unit: "ms", Mean: v(0.03), Max: v(0.04)},
		{Source: "vision", Name: "callback_duration", Unit: "us", Mean: v(8000)},
		{Source: "vision", Name: "cpu_usage", Unit: "percent", Mean: v(12)},
	}})
	lines := shown(view)
	for i, want := range []string{
		"SOURCE▾                   AGE  JITTER     MAX    CALL     MAX  MISS  OVER TREND",
		"arm lane control            -  10.0µs  20.0µs  50.0µs   200µs     -    12",
		"arm timer step              -  30.0µs  40.0µs       -       -     -     -",
		"arm chain reflex       2.50ms       -       -       -       -     -     -     ██",
		"arm /joint_states       200µs  12.0µs   500µs  41.5µs   140µs     7     -     ▅█",
		"vision                      -       -       -  8.00ms       -     -     -",
	} {
		if got := strings.TrimRight(lines[i+1], " "); got != want {
			t.Errorf("line %d:\n%s\n%s", i, got, want)
		}
	}
	for _, step := range []struct{ column, first, detail string }{
		{"AGE", "arm chain reflex", "age at most 4.00ms"},
		{"JITTER", "arm timer step", ""},
		{"MAX", "arm /joint_states", "drops 3, age at most 3.00ms, message_period 1.00ms ± 50.0µs"},
		{"CALL", "vision", "cpu_usage 12.0 percent"},
		{"MAX", "arm lane control", ""},
		{"MISS", "arm /joint_states", "drops 3, age at most 3.00ms, message_period 1.00ms ± 50.0µs"},
		{"OVER", "arm lane control", ""},
	} {
		view.press('s')
		view.press('g')
		if got, detail := view.lanes.rows[0].source, view.laneDetail(); got != step.first || detail != step.first+"  "+step.detail {
			t.Errorf("sorted by %s, %s comes first with %q, want %s with %q", step.column, got, detail, step.first, step.detail)
		}
	}
}
