package top

import (
	"cmp"
	"time"
)

func p50(l *Latency) time.Duration { return l.P50 }

func p99(l *Latency) time.Duration { return l.P99 }

// latency prints a percentile.
func (t *Topic) latency(of func(*Latency) time.Duration) string {
	if t.Latency == nil {
		return "-"
	}
	return span(of(t.Latency))
}

// byLatency sorts the slowest first and unknown ones last.
func byLatency(of func(*Latency) time.Duration) func(a, b *Topic) int {
	return func(a, b *Topic) int {
		switch {
		case a.Latency == nil && b.Latency == nil:
			return 0
		case a.Latency == nil:
			return 1
		case b.Latency == nil:
			return -1
		}
		return cmp.Compare(of(b.Latency), of(a.Latency))
	}
}
