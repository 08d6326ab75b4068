package executor

import (
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// Overruns that go on are told of at once, then once per minute, each time with what is new, and at the end.
func TestOverrunReports(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	log := zap.New(core)
	const budget = time.Millisecond
	var x excess
	start := time.Now()
	for s := range 150 {
		now := start.Add(time.Duration(s) * time.Second)
		if s == 30 {
			x.note(budget, time.Second)
		}
		x.note(budget, budget) // is within
		x.note(budget, 2*budget)
		x.report(log, now, reportPause, budget)
	}
	x.report(log, start.Add(150*time.Second), 0, budget)
	x.report(log, start.Add(300*time.Second), 0, budget) // with nothing new
	want := []struct {
		longest       time.Duration
		new, overruns uint64
	}{{2 * budget, 1, 1}, {time.Second, 61, 62}, {2 * budget, 60, 122}, {2 * budget, 29, 151}}
	if logs.Len() != len(want) {
		t.Fatalf("%d warnings, want %d: %v", logs.Len(), len(want), logs.All())
	}
	for i, entry := range logs.All() {
		got := entry.ContextMap()
		if got["longest"] != want[i].longest || got["new"] != want[i].new || got["overruns"] != want[i].overruns {
			t.Errorf("warning %d: %v, want %+v", i, got, want[i])
		}
	}
}
