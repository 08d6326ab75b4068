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
	if s.count != 8 || !near(s.mean, 5e6) || !near(s.stddev, 2e6) || !near(s.min, 2e6) || !near(s.max, 9e6) {
		t.Errorf("got %+v", s)
	}
	s = w.advance(&r)
	if s.count != 0 || !math.IsNaN(s.mean) || !math.IsNaN(s.stddev) || !math.IsNaN(s.min) || !math.IsNaN(s.max) {
		t.Errorf("nothing gives %+v", s)
	}
}
