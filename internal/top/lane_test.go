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
		{Source: "arm /joint_states", Name: "message_age", Unit: "ms", Mean: v(0.2), Max: v(3)},
		{Source: "arm /joint_states", Name: "message_period", Unit: "ms", Mean: v(1), StdDev: v(0.05)},
		{Source: "arm /joint_states", Name: "queue_wait", Unit: "ms", Mean: v(0.012)},
		{Source: "vision", Name: "callback_duration", Unit: "us", Mean: v(8000)},
		{Source: "vision", Name: "cpu_usage", Unit: "percent", Mean: v(12)},
	}})
	lines := shown(view)
	for i, want := range []string{
		"SOURCE▾                 AGE     MAX    WAIT    CALL     MAX  JITTER  MISS TREND",
		"arm /joint_states     200µs  3.00ms  12.0µs  41.5µs   140µs  50.0µs     7     ▅█",
		"vision                    -       -       -  8.00ms       -       -     -",
	} {
		if got := strings.TrimRight(lines[i+1], " "); got != want {
			t.Errorf("line %d:\n%s\n%s", i, got, want)
		}
	}
	for range 4 {
		view.press('s')
	}
	if got := view.lanes.rows[0].source; got != "vision" {
		t.Errorf("sorted by the time of callbacks, %s comes first", got)
	}
	if got := view.laneDetail(); got != "vision  callback_duration 8.00ms, cpu_usage 12.0 percent" {
		t.Errorf("detail: %s", got)
	}
}
