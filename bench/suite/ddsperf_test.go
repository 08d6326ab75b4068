package suite

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// As ddsperf 0.10.2 prints it.
const (
	pings = `[17159] participant vm:17159: new (self)
[17159] 2.000  vm:17158 size 64 mean 99.686us min 8.537us 50% 99.807us 90% 99.449us 99% 99.092us max 7160.133us cnt 33917
[17159] 2.000  rss:7.7MB vcsw:18460 ivcsw:15534 recvUC:10%+21%
[17159] 3.000  vm:17158 size 64 mean 10.000us min 8.542us 50% 8.000us 90% 9.000us 99% 20.000us max 1300.000us cnt 3000
[17159] 4.015  vm:17158 size 64 mean 20.000us min 8.041us 50% 9.000us 90% 10.000us 99% 30.000us max 3236.165us cnt 1000
`
	subscriptions = `[1771] participant vm:1772: new
[1771] 1.000  size 1024 total 322597 lost 0 delta 322597 lost 0 rate 322.57 kS/s 2642.48 Mb/s (32.26 kS/s 264.25 Mb/s)
[1771] 2.000  size 1024 total 536300 lost 5 delta 200000 lost 5 rate 200.00 kS/s 1750.66 Mb/s (53.63 kS/s 439.34 Mb/s)
[1771] 3.001  size 1024 total 1040721 lost 5 delta 400000 lost 0 rate 400.00 kS/s 4130.43 Mb/s (104.03 kS/s 852.19 Mb/s)
`
)

func TestAddPings(t *testing.T) {
	var r Run
	if err := r.addPings(pings); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		{"p50", *r.Figures.P50, 17}, {"p90", *r.Figures.P90, 19}, {"p99", *r.Figures.P99, 50}, {"min", *r.Figures.Min, 16.082},
		{"max", *r.Figures.Max, 6472.33}, {"mean", *r.Figures.Mean, 25}, {"received", float64(r.Received), 4000},
	} {
		if math.Abs(tt.got-tt.want) > 1e-9*tt.want {
			t.Errorf("%s is %g, want %g: the first second left out, and doubled", tt.name, tt.got, tt.want)
		}
	}
	if err := r.addPings("[1] participant vm:1: new (self)\n"); err == nil {
		t.Error("no error without a round trip")
	}
}

func TestAddThroughput(t *testing.T) {
	r := Run{Params: Params{Size: 1024}}
	if err := r.addThroughput(subscriptions); err != nil {
		t.Fatal(err)
	}
	if r.Received != 600_000 || r.Lost != 5 || r.Sent != 600_005 || r.AchievedRate != 300_000 || math.Abs(r.Mbit-2457.6) > 1e-6 {
		t.Errorf("%+v", r)
	}
	if err := r.addThroughput(pings); err == nil {
		t.Error("no error without throughput")
	}
}

// A run of each scenario that the other tests do not run, as small as it gets.
func TestOtherScenarios(t *testing.T) {
	base := Options{Quick: true, Domain: pubsubtest.NewDomain(t).Discovery().Domain, Program: []string{os.Args[0]}, Placement: Free, Sizes: []int{64}, Contenders: []string{"pinion/critical", "c/listener"}}
	for _, tt := range []struct {
		name  string
		run   func(Options) (*Result, error)
		runs  int
		check func(*Run) bool
	}{
		{"matrix", func(o Options) (*Result, error) {
			o.Rates, o.Duration = []float64{200}, 1e9
			return Matrix(t.Context(), o)
		}, 2, func(r *Run) bool { return r.Sent > 0 && r.Sent <= 200 && (r.Sent == 1 || r.LoopRate > 0) }},
		{"perftest", func(o Options) (*Result, error) { o.Duration = 100e6; return Perftest(t.Context(), o) }, 12,
			// Each contender: latency, throughput and throughput in batches, without a key and with one.
			func(r *Run) bool {
				return r.Received > 1 && (r.Variant == Latency) == (r.AchievedRate == 0) && (r.Type == contender.Keyed) == (r.Instances > 0)
			}},
		{"transport", func(o Options) (*Result, error) {
			o.Variants, o.Duration = []string{Local, Within, Late}, 500e6
			return Transport(t.Context(), o)
		}, 5, func(r *Run) bool {
			// On a busy machine who joins late can miss all.
			return r.Sent == 10 && (r.Received > 0 || r.Variant == Late)
		}},
		{"timer", func(o Options) (*Result, error) {
			o.Duration, o.Contenders, o.Rounds = 100e6, nil, 1
			return Timer(t.Context(), o)
		}, 2, func(r *Run) bool { return r.Sent == 100 && r.Histogram.Count() == 100 && r.Stalls != nil }},
		{"footprint", func(o Options) (*Result, error) {
			o.Topics, o.Duration = []int{2}, 100e6
			return RunFootprint(t.Context(), o)
		}, 2, func(r *Run) bool {
			f := r.Footprint
			return f != nil && f.Threads > 1 && f.RSS > 1<<20 && f.FirstMessage > 0 && f.Libraries > 0 && f.CPUPer10000 > 0
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := tt.run(base)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Runs) != tt.runs {
				t.Errorf("%d runs, want %d", len(r.Runs), tt.runs)
			}
			for i := range r.Runs {
				if run := &r.Runs[i]; run.Error != "" || !tt.check(run) {
					t.Errorf("%s %s: %s %+v", run.Contender, run.Mode, run.Error, run)
				}
			}
		})
	}
}

func TestNetworkErrors(t *testing.T) {
	o := Options{Network: "wifi"}
	if _, err := o.network(); err == nil || !strings.Contains(err.Error(), "loopback and hosts") {
		t.Errorf("%v", err)
	}
}
