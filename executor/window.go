package executor

import "math"

// A window is the counts of a recorder at its beginning.
type window [buckets]uint64

// advance sums up what was recorded since the last call, and begins a new window.
func (w *window) advance(r *recorder) summary {
	var s summary
	for b := range w {
		total := r.buckets[b].Load()
		n := total - w[b]
		w[b] = total
		if n == 0 {
			continue
		}
		v := float64(value(b))
		s.add(summary{count: n, mean: v, min: v, max: v})
	}
	return s
}

// A summary is about durations in ns. The zero value is of none.
type summary struct {
	count          uint64
	mean, min, max float64
	squares        float64 // sum of the squared distances from the mean
}

// add makes s a summary of its durations and those of o, as Chan, Golub and LeVeque do ("Updating
// Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979).
func (s *summary) add(o summary) {
	switch {
	case o.count == 0:
		return
	case s.count == 0:
		*s = o
		return
	}
	a, b := float64(s.count), float64(o.count)
	d := o.mean - s.mean
	s.count += o.count
	s.mean += d * b / (a + b)
	s.squares += o.squares + d*d*a*b/(a+b)
	s.min, s.max = min(s.min, o.min), max(s.max, o.max)
}

func (s *summary) stddev() float64 { return math.Sqrt(s.squares / float64(s.count)) }
