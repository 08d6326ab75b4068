package measure

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestClock(t *testing.T) {
	// The closest of many pairs of readings shows how far the clocks are apart.
	gap := int64(math.MaxInt64)
	for range 1000 {
		var ts unix.Timespec
		before := Now()
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
			t.Fatal(err)
		}
		if after := Now(); ts.Nano() >= before && ts.Nano() <= after {
			return
		}
		gap = min(gap, max(before-ts.Nano(), ts.Nano()-before))
	}
	if gap > int64(20*time.Microsecond) {
		t.Errorf("the clock is %d ns off", gap)
	}
}

// A sender that stalls must not hide it: the messages behind the stall are late from their instants.
func TestNoCoordinatedOmission(t *testing.T) {
	const n, stallAt, stall = 40, 10, 20 * time.Millisecond
	s := Schedule{Start: Now() + int64(time.Millisecond), Rate: 1000}
	h, late := NewHistogram(), 0
	sent, err := s.Run(context.Background(), n, func(i int, intended int64) error {
		if want := s.Start + int64(i)*int64(time.Millisecond); intended != want {
			t.Errorf("instant %d is %d, want %d", i, intended, want)
		}
		if i == stallAt {
			Burn(stall)
		}
		now := Now()
		if now < intended {
			t.Errorf("message %d went out %d ns early", i, intended-now)
		}
		if s.Late(intended, now) {
			late++
		}
		h.Record(now - intended)
		return nil
	})
	if sent != n || err != nil {
		t.Fatal(sent, err)
	}
	// 20 ms of stall at 1 kHz: about 20 messages between 0 and 20 ms late, half of them above 10 ms.
	if late < 15 {
		t.Errorf("%d late messages after a stall of 20 periods", late)
	}
	above := 0
	for _, b := range h.Buckets() {
		if b.Ns >= int64(stall/2) {
			above += int(b.Count)
		}
	}
	if above < 8 {
		t.Errorf("%d messages at least half the stall late, want about 10", above)
	}
}

func TestScheduleDoesNotDrift(t *testing.T) {
	s := Schedule{Start: 5, Rate: 300} // no whole number of nanoseconds
	if got, want := s.At(300*3600), int64(5+3600*time.Second); got != want {
		t.Errorf("after an hour %d, want %d", got, want)
	}
}

func TestScheduleEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	failure := errors.New("full")
	for _, tt := range []struct {
		send func(i int) error
		want error
	}{
		{func(i int) error {
			if i == 2 {
				return failure
			}
			return nil
		}, failure},
		{func(i int) error {
			if i == 1 {
				cancel()
			}
			return nil
		}, nil},
	} {
		n, err := Schedule{Start: Now(), Rate: 10_000}.Run(ctx, 100, func(i int, _ int64) error { return tt.send(i) })
		if n != 2 || !errors.Is(err, tt.want) {
			t.Errorf("%d, %v; want 2, %v", n, err, tt.want)
		}
	}
}

func TestTracker(t *testing.T) {
	for _, tt := range []struct {
		name                             string
		in                               []uint64
		received, duplicates, outOfOrder uint64
		first                            int
	}{
		{"in order", []uint64{0, 1, 2, 3}, 4, 0, 0, 0},
		{"gap", []uint64{0, 1, 70, 71}, 4, 0, 0, 0},
		{"late joiner", []uint64{66, 67}, 2, 0, 0, 66},
		{"swapped", []uint64{0, 2, 1, 3}, 4, 0, 1, 0},
		{"twice", []uint64{0, 1, 1, 2, 0}, 3, 2, 0, 0},
		{"swapped and twice", []uint64{1, 0, 1, 0}, 2, 2, 1, 0},
		{"out of range", []uint64{0, 128, math.MaxUint64}, 1, 0, 0, 0},
		{"nothing", nil, 0, 0, 0, 128},
	} {
		tr := NewTracker(100)
		for _, i := range tt.in {
			tr.Arrived(i)
		}
		if tr.Received != tt.received || tr.Duplicates != tt.duplicates || tr.OutOfOrder != tt.outOfOrder || tr.FirstMissing() != tt.first {
			t.Errorf("%s: %d received, %d twice, %d out of order, first %d; want %d, %d, %d, %d", tt.name, tr.Received,
				tr.Duplicates, tr.OutOfOrder, tr.FirstMissing(), tt.received, tt.duplicates, tt.outOfOrder, tt.first)
		}
	}
}

// Figures of known distributions come out within the histogram's three digits.
func TestFigures(t *testing.T) {
	const n = 1_000_000
	uniform, exponential := NewHistogram(), NewHistogram()
	for i := range n {
		q := (float64(i) + 0.5) / n
		uniform.Record(int64(q * 1e6))
		exponential.Record(int64(-math.Log(1-q) * 50_000))
	}
	for _, tt := range []struct {
		name string
		got  *float64
		want float64
	}{
		{"uniform p50", uniform.Figures().P50, 500}, {"uniform p90", uniform.Figures().P90, 900},
		{"uniform p99", uniform.Figures().P99, 990}, {"uniform p99.9", uniform.Figures().P999, 999},
		{"uniform p99.99", uniform.Figures().P9999, 999.9}, {"uniform max", uniform.Figures().Max, 1000},
		{"uniform mean", uniform.Figures().Mean, 500}, {"uniform stddev", uniform.Figures().StdDev, 1000 / math.Sqrt(12)},
		{"exponential p50", exponential.Figures().P50, 50 * math.Ln2}, {"exponential p99", exponential.Figures().P99, 50 * math.Log(100)},
		{"exponential p99.9", exponential.Figures().P999, 50 * math.Log(1000)}, {"exponential mean", exponential.Figures().Mean, 50},
		{"exponential stddev", exponential.Figures().StdDev, 50},
	} {
		if tt.got == nil || math.Abs(*tt.got-tt.want) > 0.002*tt.want {
			t.Errorf("%s: got %v, want %g", tt.name, value(tt.got), tt.want)
		}
	}
}

func value(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}

// No percentile is invented.
func TestTooFewSamples(t *testing.T) {
	for _, tt := range []struct{ count, percentiles int }{
		{0, 0}, {1, 0}, {19, 0}, {20, 1}, {99, 1}, {100, 2}, {999, 2}, {1000, 3}, {9_999, 3}, {10_000, 4}, {99_999, 4},
		{100_000, 5}, {9_999_999, 5}, {10_000_000, 6},
	} {
		h := NewHistogram()
		h.add(1000, int64(tt.count))
		f := h.Figures()
		got := 0
		for _, p := range []*float64{f.P50, f.P90, f.P99, f.P999, f.P9999, f.P999999} {
			if p != nil {
				got++
			}
		}
		if got != tt.percentiles || (f.Mean == nil) != (tt.count == 0) {
			t.Errorf("%d samples: %d percentiles, mean %v; want %d", tt.count, got, value(f.Mean), tt.percentiles)
		}
	}
}

// What is written, read and merged has the figures of what was recorded.
func TestHistogramJSONAndMerge(t *testing.T) {
	whole, parts := NewHistogram(), [2]*Histogram{NewHistogram(), NewHistogram()}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		d := int64(math.Exp(random.NormFloat64()+10)) - 100
		whole.Record(d)
		parts[i%2].Record(d)
	}
	merged := NewHistogram()
	for _, p := range parts {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var read Histogram
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		merged.Merge(&read)
	}
	if !slices.Equal(merged.Buckets(), whole.Buckets()) {
		t.Error("the merged histogram differs from the one of all samples")
	}
}

func TestHistogramJSONErrors(t *testing.T) {
	for _, text := range []string{`{}`, `[[1]`, `[["a",1]]`, `[[5,-1]]`} {
		if err := json.Unmarshal([]byte(text), NewHistogram()); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
	h := NewHistogram()
	if err := json.Unmarshal([]byte(`[[-5,1],[99999999999999,2]]`), h); err != nil || h.Count() != 3 || *h.Figures().Max < 59e6 {
		t.Errorf("%v, %d, %v", err, h.Count(), *h.Figures().Max)
	}
}

func TestRatios(t *testing.T) {
	a, b := map[int]float64{0: 2, 1: 9, 2: 8, 7: 1}, map[int]float64{0: 1, 1: 3, 2: 8, 3: 5}
	if got, want := *Ratios(a, b), (Ratio{Median: 2, Min: 1, Max: 3}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Ratios(a, map[int]float64{0: 0}); got != nil {
		t.Errorf("got %v without a common round", got)
	}
	if got := Median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Errorf("median %g", got)
	}
}

func TestOrders(t *testing.T) {
	const n, rounds = 5, 10
	firsts := map[int]int{}
	orders := Orders(n, rounds, 3)
	for r, order := range orders {
		if !slices.Equal(slices.Sorted(slices.Values(order)), []int{0, 1, 2, 3, 4}) {
			t.Errorf("round %d: %v", r, order)
		}
		if r > 0 && slices.Equal(order, orders[r-1]) {
			t.Errorf("rounds %d and %d have one order", r-1, r)
		}
		firsts[order[0]]++
	}
	for i := range n {
		if firsts[i] != rounds/n {
			t.Errorf("contender %d is first %d times, want %d", i, firsts[i], rounds/n)
		}
	}
}
