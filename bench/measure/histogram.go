package measure

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Longest is the longest duration that a histogram holds; longer ones count as this.
const Longest = 60 * time.Second

// A Histogram counts durations, exact to three significant digits. The zero value is not usable. In
// JSON it is a list of pairs: a duration in nanoseconds and how often it occurred, in ascending
// order, so that programs in any language can write one.
type Histogram struct{ h *hdrhistogram.Histogram }

// NewHistogram returns an empty histogram.
func NewHistogram() *Histogram { return &Histogram{hdrhistogram.New(1, int64(Longest), 3)} }

// Record counts a duration in nanoseconds. Negative ones count as 0. It does not allocate.
func (h *Histogram) Record(ns int64) { h.add(ns, 1) }

func (h *Histogram) add(ns, n int64) {
	// The range of the histogram holds what is left after clamping.
	_ = h.h.RecordValues(min(max(ns, 0), int64(Longest)), n)
}

// Merge adds the counts of another histogram, which may be nil.
func (h *Histogram) Merge(other *Histogram) {
	if other != nil {
		h.h.Merge(other.h) // drops nothing: both have the same range
	}
}

// Count returns how many durations were recorded.
func (h *Histogram) Count() int64 { return h.h.TotalCount() }

// Reset forgets all.
func (h *Histogram) Reset() { h.h.Reset() }

// Tail is how many samples must lie above a percentile for it to mean something.
const Tail = 10

// Quantile returns the duration in nanoseconds below which the share q of all lies, 0 < q < 1, and
// false if fewer than Tail samples lie on the far side.
func (h *Histogram) Quantile(q float64) (float64, bool) {
	// A share such as 1-0.999 is not exact; the slack is less than a sample.
	if far := min(q, 1-q) * float64(h.Count()); far+1e-8 < Tail {
		return 0, false
	}
	return float64(h.h.ValueAtQuantile(100 * q)), true
}

// A Bucket of a histogram.
type Bucket struct{ Ns, Count int64 }

// Buckets returns the buckets that are not empty, the lowest first.
func (h *Histogram) Buckets() []Bucket {
	var buckets []Bucket
	for _, bar := range h.h.Distribution() {
		if bar.Count > 0 {
			buckets = append(buckets, Bucket{bar.From + (bar.To-bar.From)/2, bar.Count})
		}
	}
	return buckets
}

// MarshalJSON implements [json.Marshaler].
func (h *Histogram) MarshalJSON() ([]byte, error) {
	pairs := [][2]int64{}
	for _, b := range h.Buckets() {
		pairs = append(pairs, [2]int64{b.Ns, b.Count})
	}
	return json.Marshal(pairs)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (h *Histogram) UnmarshalJSON(data []byte) error {
	var pairs [][2]int64
	if err := json.Unmarshal(data, &pairs); err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	h.h = NewHistogram().h
	for _, p := range pairs {
		if p[1] < 0 {
			return fmt.Errorf("histogram: %d durations of %d ns", p[1], p[0])
		}
		h.add(p[0], p[1])
	}
	return nil
}
