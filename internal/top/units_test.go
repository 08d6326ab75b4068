package top

import (
	"math"
	"testing"
	"time"
	"unicode/utf8"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.254: "0.25", 9.5: "9.50", 12.54: "12.5", 999.4: "999", 9999: "9999", 25000: "25.0k",
		123456: "123k", 1.5e6: "1.50M", 2e9: "2.00G", -12.5: "-12.5",
	} {
		if got := number(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	for _, v := range []float64{9.999, 99.99, 9999.6, 99999, 999999, 9999999, 999999999} {
		if got := number(v); len(got) > 6 {
			t.Errorf("%v: %s is too wide", v, got)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0µs", 250 * time.Nanosecond: "0.25µs", 12500 * time.Nanosecond: "12.5µs", 999 * time.Microsecond: "999µs",
		1500 * time.Microsecond: "1.50ms", 12 * time.Second: "12.0s", -3 * time.Millisecond: "-3.00ms",
	} {
		if got := span(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
}

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		values []float64
		n      int
		want   string
	}{
		{nil, 3, "   "},
		{[]float64{0, 0}, 3, " ▁▁"},
		{[]float64{9, 1, 2, 4, 8}, 4, "▂▃▅█"},
		{[]float64{-1, 7}, 2, "▁█"},
	} {
		if got := spark(c.values, c.n); got != c.want {
			t.Errorf("%v: %q, want %q", c.values, got, c.want)
		}
	}
}

func TestFit(t *testing.T) {
	for _, n := range []int{0, 1, 3, 5, 9} {
		for _, s := range []string{"", "über", "/a/long/name"} {
			if got := utf8.RuneCountInString(fit(s, n)); got != n {
				t.Errorf("fit(%q, %d) has %d columns", s, n, got)
			}
			if got := utf8.RuneCountInString(right(s, n)); got != n {
				t.Errorf("right(%q, %d) has %d columns", s, n, got)
			}
		}
	}
	if got := fit("/a/long/name", 5); got != "…name" {
		t.Errorf("%s", got)
	}
}

func TestPercentile(t *testing.T) {
	var sorted []time.Duration
	for i := range 200 {
		sorted = append(sorted, time.Duration(i+1))
		n := float64(len(sorted))
		for _, p := range []int{50, 99} {
			if got, want := percentile(sorted, p), time.Duration(math.Ceil(n*float64(p)/100)); got != want {
				t.Fatalf("p%d of 1 to %v: %d, want %d", p, n, got, want)
			}
		}
	}
}
