package measure

// Figures sum a histogram up, in microseconds. What too few samples support is nil.
type Figures struct {
	P50     *float64 `json:"p50_us"`
	P90     *float64 `json:"p90_us"`
	P99     *float64 `json:"p99_us"`
	P999    *float64 `json:"p999_us"`
	P9999   *float64 `json:"p9999_us"`
	P999999 *float64 `json:"p999999_us"` // 99.9999 %
	Min     *float64 `json:"min_us"`
	Max     *float64 `json:"max_us"`
	Mean    *float64 `json:"mean_us"`
	StdDev  *float64 `json:"stddev_us"`
}

// Figures returns the figures; of an empty histogram all are nil.
func (h *Histogram) Figures() Figures {
	us := func(ns float64) *float64 { ns /= 1000; return &ns }
	quantile := func(q float64) *float64 {
		if ns, ok := h.Quantile(q); ok {
			return us(ns)
		}
		return nil
	}
	f := Figures{
		P50: quantile(0.5), P90: quantile(0.9), P99: quantile(0.99), P999: quantile(0.999),
		P9999: quantile(0.9999), P999999: quantile(0.999999),
	}
	if h.Count() > 0 {
		f.Min, f.Max = us(float64(h.h.Min())), us(float64(h.h.Max()))
		f.Mean, f.StdDev = us(h.h.Mean()), us(h.h.StdDev())
	}
	return f
}

// All returns where the figures are, in the order of the fields.
func (f *Figures) All() [10]**float64 {
	return [...]**float64{&f.P50, &f.P90, &f.P99, &f.P999, &f.P9999, &f.P999999, &f.Min, &f.Max, &f.Mean, &f.StdDev}
}
