package executor

import (
	"math"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestNewBudget(t *testing.T) {
	for _, tt := range []struct{ lanes, workers, spare, need int }{
		{0, 1, 0, 2},
		{1, 1, 4, 8},
		{2, 1, 4, 10},
		{1, 2, 0, 4},
	} {
		b := newBudget(tt.lanes, tt.workers, tt.spare)
		if b.Need() != tt.need || b.Collector*4 < b.Need() {
			t.Errorf("%+v needs %d, want %d, a quarter of it for the collector", b, b.Need(), tt.need)
		}
	}
	if _, err := New(WithSpareProcs(-1)); err == nil || !strings.Contains(err.Error(), "-1 spare") {
		t.Error(err)
	}
}

func TestCounts(t *testing.T) {
	buckets := []float64{math.Inf(-1), 0, 1e-6, 1e-4, 1e-3, 1e-2, math.Inf(1)}
	counts := counts{}
	var sum [6]uint64
	for _, tt := range []struct {
		name         string
		added        [6]uint64
		p99, longest time.Duration
		violated     bool
	}{
		{"nothing", [6]uint64{}, 0, 0, false},
		{"short waits", [6]uint64{0, 900, 100}, time.Microsecond, time.Microsecond, false},
		{"exactly 1 %", [6]uint64{0, 990, 0, 0, 10}, 0, time.Millisecond, false},
		{"more than 1 %", [6]uint64{0, 980, 0, 0, 10, 10}, time.Millisecond, 10 * time.Millisecond, true},
		{"few waits, and those long", [6]uint64{0, 0, 0, 0, 3}, time.Millisecond, time.Millisecond, false},
		{"a stall", [6]uint64{0, 0, 0, 0, 0, 1}, 10 * time.Millisecond, 10 * time.Millisecond, true},
		{"nothing again", [6]uint64{}, 0, 0, false},
	} {
		for i := range sum {
			sum[i] += tt.added[i]
		}
		p99, longest, violated := counts.next(&metrics.Float64Histogram{Counts: sum[:], Buckets: buckets})
		if p99 != tt.p99 || longest != tt.longest || violated != tt.violated {
			t.Errorf("%s: %v, %v, %v; want %v, %v, %v", tt.name, p99, longest, violated, tt.p99, tt.longest, tt.violated)
		}
	}
}

func TestIntervals(t *testing.T) {
	var v intervals
	for i := range int64(recentIntervals + 10) {
		v.add(10*i, 10*i+5)
	}
	for _, tt := range []struct {
		begin, end int64
		want       uint64
	}{
		{0, 99, 0}, // forgotten
		{100, 100, 1},
		{106, 109, 0},
		{104, 111, 2},
		{105, 110, 2},
		{0, math.MaxInt64, recentIntervals},
	} {
		if n := v.overlapping(tt.begin, tt.end); n != tt.want {
			t.Errorf("%d to %d: %d, want %d", tt.begin, tt.end, n, tt.want)
		}
	}
}

// More goroutines that compute than there are processors show in the statistics, and in the log once;
// so do the cycles of the collector.
func TestWatch(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	core, logs := observer.New(zap.WarnLevel)
	e, err := New(WithSpareProcs(0), WithLogger(zap.New(core)))
	stop := startExecutor(t, e, err)
	defer e.Close()
	defer stop()
	var end atomic.Bool
	defer end.Store(true)
	for range 8 {
		go func() {
			for !end.Load() {
			}
		}()
	}
	for range 8 {
		go func() {
			for !end.Load() {
				time.Sleep(time.Millisecond)
			}
		}()
	}
	var r Runtime
	for deadline := time.Now().Add(time.Minute); (r.Violations < 2 || r.Pauses == 0 || r.Collecting == 0) && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		runtime.GC()
		r = e.Stats().Runtime
	}
	if r.Violations < 2 || r.Seconds < r.Violations || r.Wait < longWait || r.LongestWait < r.Wait {
		t.Errorf("%+v", r)
	}
	if r.Collections == 0 || r.Pauses <= 0 || r.LongestPause <= 0 || r.Collecting <= 0 || r.Collecting > 1 {
		t.Errorf("collector: %+v", r)
	}
	if n := logs.FilterMessageSnippet("wait for processors").Len(); n != 1 {
		t.Errorf("%d warnings", n)
	}
}
