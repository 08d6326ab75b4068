package executor

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

const (
	// sweepPeriod is how often new threads are looked for.
	sweepPeriod = 250 * time.Millisecond
	// budgetPeriod is how often the budget is looked at.
	budgetPeriod = 4 * sweepPeriod
	// longWait is how long a goroutine that could run may wait for a P before the budget counts as
	// violated.
	longWait = time.Millisecond
	// fewWaits of up to stall do not count: the runtime times one in eight, and machines have hiccups.
	fewWaits = 4
	stall    = 10 * time.Millisecond
)

// Runtime is what the Go runtime does beside the lanes.
type Runtime struct {
	// Violations is in how many of the seconds watched the budget was violated: more than 1 % of the
	// goroutines that got ready waited for longer than 1 ms to run, and it was more than a few or for
	// longer than 10 ms. It takes more goroutines that compute than the budget has spare, or too few
	// CPUs for the threads.
	Violations uint64
	// Seconds is how many were watched.
	Seconds uint64
	// Wait is the 99th percentile of these waits in the last second, LongestWait the greatest of all.
	// Both are to the precision of runtime/metrics.
	Wait, LongestWait time.Duration
	// Collections is how many cycles of the garbage collector ended.
	Collections uint64
	// Collecting is the share of the process's CPU time that the collector took, 0 to 1.
	Collecting float64
	// Pauses is how long the collector stopped the world in all, LongestPause in one cycle.
	Pauses, LongestPause time.Duration
	// Moved is how often threads were moved off the lanes' CPUs, see WithSharedCPUs.
	Moved uint64
	// Quiet is about Go's monitor thread.
	Quiet Quiet
}

// watch looks after the runtime while the executor runs.
type watch struct {
	e     *Executor
	quiet *quieter // nil if not wanted
	end   chan struct{}
	wg    sync.WaitGroup

	tids    []int
	samples []metrics.Sample
	waits   counts
	gc      debug.GCStats
	warned  time.Time // of waits
	failed  time.Time // when it was last told that sweeping fails
	told    bool      // that the monitor thread is not quiet
	calls   uint64    // of lanes so far

	mu    sync.Mutex
	state Runtime
}

// The samples of a watch, in this order.
var sampleNames = []string{"/sched/latencies:seconds", "/cpu/classes/gc/total:cpu-seconds", "/cpu/classes/total:cpu-seconds", "/cpu/classes/idle:cpu-seconds"}

// startWatch puts the measures in force that the options ask for, and watches until stop.
func (e *Executor) startWatch() (*watch, error) {
	w := &watch{e: e, end: make(chan struct{})}
	for _, name := range sampleNames {
		w.samples = append(w.samples, metrics.Sample{Name: name})
	}
	if e.hasLanes() && !e.noisy {
		w.quiet = newQuieter(e.sys)
	}
	if e.exclusive != nil {
		if err := e.exclusive.sweep(); err != nil && !e.bestEffort {
			e.exclusive.release()
			return nil, err
		}
	}
	metrics.Read(w.samples)
	w.waits.next(w.samples[0].Value.Float64Histogram())
	debug.ReadGCStats(&w.gc)
	w.wg.Go(w.run)
	return w, nil
}

func (e *Executor) hasLanes() bool {
	_, dedicated := e.background.(*dedicated)
	return dedicated || len(e.lanes) > 0
}

func (w *watch) stop() {
	close(w.end)
	w.wg.Wait()
	if w.quiet != nil {
		w.quiet.end()
	}
	if w.e.exclusive != nil {
		w.e.exclusive.release()
	}
}

func (w *watch) run() {
	if w.quiet != nil {
		select {
		case <-w.end:
			return
		case <-time.After(quietDelay):
		}
		w.quiet.quiet()
		w.tellQuiet()
	}
	tick := time.NewTicker(sweepPeriod)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-w.end:
			return
		case <-tick.C:
		}
		w.sweep()
		if n%int(budgetPeriod/sweepPeriod) == 0 {
			w.second()
		}
	}
}

func (w *watch) tellQuiet() {
	if err := w.quiet.problem(); err != nil && !w.told {
		w.told = true
		w.e.log.Warn("Go's monitor thread disturbs the lanes", zap.Error(err))
	}
}

// sweep tells that it fails, as it then does time and again, at most once per minute.
func (w *watch) sweep() {
	if w.e.exclusive == nil {
		return
	}
	if err := w.e.exclusive.sweep(); err != nil && time.Since(w.failed) >= time.Minute {
		w.failed = time.Now()
		w.e.log.Error("keep threads off the lanes' CPUs", zap.Error(err))
	}
}

// second looks at what the last one was like.
func (w *watch) second() {
	if w.quiet != nil {
		var err error
		if w.tids, err = w.e.sys.threads(w.tids); err == nil {
			w.quiet.check(w.tids, w.newCalls())
			w.tellQuiet()
		}
	}
	metrics.Read(w.samples)
	p99, longest, violated := w.waits.next(w.samples[0].Value.Float64Histogram())
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &w.state
	s.Seconds++
	s.Wait, s.LongestWait = p99, max(s.LongestWait, longest)
	if busy := w.samples[2].Value.Float64() - w.samples[3].Value.Float64(); busy > 0 {
		s.Collecting = w.samples[1].Value.Float64() / busy
	}
	if w.quiet != nil {
		s.Quiet = w.quiet.state
	}
	if w.e.exclusive != nil {
		s.Moved = w.e.exclusive.moves()
	}
	w.pauses()
	if violated {
		s.Violations++
		w.warn(p99)
	}
}

// newCalls returns how many callbacks of lanes there were since the last time.
func (w *watch) newCalls() uint64 {
	before := w.calls
	w.calls = 0
	for _, l := range w.e.allLanes() {
		w.calls += l.recent.n.Load()
	}
	return w.calls - min(before, w.calls) // lanes may have gone
}

// warn does so at most once per minute.
func (w *watch) warn(wait time.Duration) {
	if time.Since(w.warned) < time.Minute {
		return
	}
	w.warned = time.Now()
	w.e.log.Warn("goroutines wait for processors, lanes may too: more goroutines compute than the budget has spare, or there are too few CPUs",
		zap.Duration("wait", wait), zap.Int("spare", w.e.spare), zap.Int("procs", w.e.budget.Procs), zap.Uint64("seconds", w.state.Violations))
}

// pauses adds up those of the last second, and the callbacks that they met.
func (w *watch) pauses() {
	before := w.gc.NumGC
	debug.ReadGCStats(&w.gc)
	wall := time.Now().UnixNano() - pubsub.Monotonic()
	n := int(w.gc.NumGC - before)
	w.state.Collections += uint64(n)
	for i := range min(n, len(w.gc.Pause)) { // the latest is the first
		pause := w.gc.Pause[i]
		w.state.Pauses += pause
		w.state.LongestPause = max(w.state.LongestPause, pause)
		end := w.gc.PauseEnd[i].UnixNano() - wall
		for _, l := range w.e.allLanes() {
			l.paused.Add(l.recent.overlapping(end-int64(pause), end))
		}
	}
}

func (w *watch) snapshot() Runtime {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// counts remembers a histogram of runtime/metrics, which counts since the start of the program.
type counts struct{ last []uint64 }

// next looks at what was added since the last call: its 99th percentile and maximum, each the lower end
// of a bucket, and whether more than 1 % was above longWait.
func (c *counts) next(h *metrics.Float64Histogram) (p99, longest time.Duration, violated bool) {
	if c.last == nil {
		c.last = make([]uint64, len(h.Counts))
	}
	var total, seen, long uint64
	for i, n := range h.Counts {
		total += n - c.last[i]
	}
	for i := len(h.Counts) - 1; i >= 0 && seen*100 <= total; i-- {
		added := h.Counts[i] - c.last[i]
		if added == 0 {
			continue
		}
		p99 = time.Duration(max(0, h.Buckets[i]) * float64(time.Second))
		longest = max(longest, p99)
		if seen += added; p99 >= longWait {
			long = seen
		}
	}
	copy(c.last, h.Counts)
	return p99, longest, p99 >= longWait && (long > fewWaits || p99 >= stall)
}
