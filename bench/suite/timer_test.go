package suite

import (
	"testing"

	"github.com/pinion-ros/pinion/bench/contender"
)

func TestCountStalls(t *testing.T) {
	const ms = 1_000_000
	own := []contender.Stall{{At: 0, Nanoseconds: 4 * ms}, {At: 10 * ms, Nanoseconds: 6 * ms}, {At: 50 * ms, Nanoseconds: 7 * ms}, {At: 90 * ms, Nanoseconds: 8 * ms}}
	probe := []contender.Stall{{At: 15 * ms, Nanoseconds: 2 * ms}, {At: 57 * ms, Nanoseconds: 9 * ms}, {At: 91 * ms, Nanoseconds: 6 * ms}}
	if got, want := *countStalls(own, probe), (StallCount{Long: 3, Unexplained: 1, Probe: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	runs := []*Run{{Stalls: countStalls(own, probe)}, {}, {Stalls: countStalls(own, nil), Error: "x"}, {Stalls: countStalls(own, nil)}}
	if got, want := *allStalls(runs), (StallCount{Long: 6, Unexplained: 4, Probe: 2}); got != want {
		t.Errorf("all: %+v, want %+v", got, want)
	}
	if got := allStalls([]*Run{{}}); got != nil {
		t.Errorf("without a probe: %+v", got)
	}
}
