package executor

import (
	"math"
	"testing"
	"time"
)

func TestWindow(t *testing.T) {
	var r recorder
	var w window
	near := func(got, want float64) bool { return math.Abs(got-want) <= 0.01*want }
	r.record(time.Hour) // of an earlier window
	w.advance(&r)
	for _, ms := range []int{2, 4, 4, 4, 5, 5, 7, 9} {
		r.record(time.Duration(ms) * time.Millisecond)
	}
	s := w.advance(&r)
	if s.count != 8 || !near(s.mean, 5e6) || !near(s.stddev(), 2e6) || !near(s.min, 2e6) || !near(s.max, 9e6) {
		t.Errorf("got %+v", s)
	}
	s = w.advance(&r)
	if s != (summary{}) {
		t.Errorf("nothing gives %+v", s)
	}
}

func TestSummaryAdd(t *testing.T) {
	var all, sum summary
	for _, part := range [][]float64{{}, {2, 4, 4}, {4, 5}, {}, {5, 7, 9}} {
		var s summary
		for _, v := range part {
			one := summary{count: 1, mean: v, min: v, max: v}
			s.add(one)
			all.add(one)
		}
		sum.add(s)
	}
	if sum.count != 8 || sum.mean != 5 || math.Abs(sum.stddev()-2) > 1e-9 || sum.min != 2 || sum.max != 9 {
		t.Errorf("got %+v", sum)
	}
	if all.count != 8 || math.Abs(all.stddev()-2) > 1e-9 {
		t.Errorf("one by one %+v", all)
	}
}
