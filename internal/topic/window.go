package topic

import (
	"math"
	"slices"
)

// A window holds the latest values, at most size of them.
type window struct {
	size   int
	values []float64
	next   int // the oldest, once the window is full
}

func (w *window) add(v float64) {
	if len(w.values) < w.size {
		w.values = append(w.values, v)
		return
	}
	w.values[w.next] = v
	w.next = (w.next + 1) % w.size
}

// Summary sums values up. Those of durations are in seconds, those of sizes in bytes.
type Summary struct {
	Mean   float64 `json:"mean"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	StdDev float64 `json:"std_dev"`
	Window int     `json:"window"` // number of values
}

// summary is of at least one value.
func (w *window) summary() Summary {
	n := float64(len(w.values))
	sum, squares := 0.0, 0.0
	for _, v := range w.values {
		sum += v
	}
	for _, v := range w.values {
		squares += (v - sum/n) * (v - sum/n)
	}
	return Summary{sum / n, slices.Min(w.values), slices.Max(w.values), math.Sqrt(squares / n), len(w.values)}
}
