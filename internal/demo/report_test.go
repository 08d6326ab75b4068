package demo

import (
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/bench/machine"
)

func joint(p99, slowest time.Duration, lost uint64) outcome {
	return outcome{Name: "x", Joints: figures{Received: 1000 - lost, Sent: 1000, P50: p99 / 4, P99: p99, Max: slowest}}
}

func late(o outcome, n uint64) outcome {
	o.Late = n
	return o
}

func rest(o outcome, p99 time.Duration, lost uint64) outcome {
	o.Background = figures{Received: 1000 - lost, Sent: 1000, P99: p99}
	return o
}

// The verdict follows the figures, also where the lane loses.
func TestVerdict(t *testing.T) {
	ms := time.Millisecond
	for _, tt := range []struct {
		name         string
		shared, lane outcome
		want         []string
		never        []string
	}{
		{"lane wins", joint(2*ms, 30*ms, 0), joint(100*time.Microsecond, ms, 0),
			[]string{"within 100 µs", "20.0 times sooner than the 2000 µs", "1000 µs against 30000 µs", "none was lost"}, []string{"did not help"}},
		{"lane loses", joint(ms, 2*ms, 0), joint(3*ms, 40*ms, 0),
			[]string{"3.0 times later than the 1000 µs", "did not help"}, []string{"sooner"}},
		{"equal", joint(ms, ms, 0), joint(ms, ms, 0), []string{"no different", "did not help"}, []string{"sooner", "later"}},
		{"lane drops", joint(2*ms, 2*ms, 1), joint(ms, ms, 5), []string{"but the lane lost more of them (5 against 1)"}, nil},
		{"shared drops", joint(2*ms, 2*ms, 7), joint(ms, ms, 0), []string{"the lane lost 0 against 7"}, []string{"but"}},
		{"robot late", late(joint(3*ms, 3*ms, 0), 2), late(joint(4*ms, 4*ms, 0), 11), []string{"sent up to 1.1 % of them more than 1000 µs late"}, []string{"did not help"}},
		{"robot a little late", joint(3*ms, 3*ms, 0), late(joint(4*ms, 4*ms, 0), 10), []string{"did not help"}, []string{"the robot sent"}},
		{"rest slower", rest(joint(2*ms, ms, 0), ms, 5), rest(joint(ms, ms, 0), 2*ms, 5),
			[]string{"The background messages had the worse of it with the lane: 99 % within 2000 µs against 1000 µs, 5 lost against 5."}, []string{"gamepad"}},
		{"rest lost", rest(joint(2*ms, ms, 0), ms, 5), rest(joint(ms, ms, 0), ms, 6), []string{"6 lost against 5"}, nil},
		{"rest better", rest(joint(2*ms, ms, 0), 2*ms, 6), rest(joint(ms, ms, 0), ms, 5), nil, []string{"worse"}},
		{"nothing came", joint(0, 0, 1000), joint(ms, ms, 0), []string{"No verdict"}, []string{"times"}},
	} {
		got := verdict(tt.shared, tt.lane)
		for _, w := range tt.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is not in %q", tt.name, w, got)
			}
		}
		for _, w := range tt.never {
			if strings.Contains(got, w) {
				t.Errorf("%s: %q is in %q", tt.name, w, got)
			}
		}
	}
}

func TestTable(t *testing.T) {
	got := table(joint(2*time.Millisecond, 30*time.Millisecond, 3), joint(time.Millisecond, time.Millisecond, 0))
	for _, want := range []string{"2000 µs", "30000 µs", "3 of 1000", "0 of 1000"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestDisturbances(t *testing.T) {
	quiet := machine.Machine{Virtualised: "no", Cores: 4, Before: machine.Load{Average: [3]float64{0.5}}, After: &machine.Load{}}
	if got := disturbances(&quiet, time.Second); len(got) != 0 {
		t.Errorf("a quiet machine: %q", got)
	}
	busy := machine.Machine{Virtualised: "QEMU", Cores: 4, Before: machine.Load{Average: [3]float64{3.14}, Steal: 1}, After: &machine.Load{Steal: 1.5}}
	got := strings.Join(disturbances(&busy, 10*time.Second), "\n")
	for _, want := range []string{"virtual machine", "took 1.2 %", "a load of 3.1"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
