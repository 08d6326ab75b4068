package report

import (
	"fmt"

	"github.com/pinion-ros/pinion/bench/suite"
)

// perftestKey has a table of its own.
type perftestKey struct {
	part, reliability string
	instances         int
	batching          bool
	contender, mode   string
}

func keyOfPerftest(s suite.Summary) perftestKey {
	return perftestKey{s.Variant, s.Reliability, s.Instances, s.Batching, s.Contender, s.Mode}
}

func (k perftestKey) String() string {
	words := k.reliability + ", unkeyed"
	if k.instances > 0 {
		words = fmt.Sprintf("%s, %d instances", k.reliability, k.instances)
	}
	if k.part == suite.Latency {
		return words
	}
	if k.batching {
		return words + ", batched"
	}
	return words + ", not batched"
}

func perftestTables(r *suite.Result) []table {
	var all []table
	for _, group := range groupsOf(sorted(r.Summary), keyOfPerftest) {
		s := group[0]
		t := table{Title: fmt.Sprintf("%s: %s %s, %s", s.Variant, s.Contender, s.Mode, keyOfPerftest(s))}
		if s.Variant == suite.Latency {
			t.Note = "Whole round trips in µs, not halved; percentiles of all rounds together. Lower is better."
			t.Columns = []string{"bytes", "mean", "std", "min", "max", "50 %", "90 %", "99 %", "99.99 %", "99.9999 %", "p99 to C"}
		} else {
			t.Note = fmt.Sprintf("As fast as possible, history %s; medians over %s, samples of all. Higher is better.", history(s), rounds(s.Rounds))
			t.Columns = []string{"bytes", "total samples", "samples/s", "Mbit/s", "lost", "lost %", "to C", "to ddsperf"}
		}
		for _, s := range group {
			t.Rows = append(t.Rows, perftestRow(s))
		}
		all = append(all, t)
	}
	return all
}

func history(s suite.Summary) string {
	if s.Depth == 0 {
		return "KEEP_ALL"
	}
	return fmt.Sprintf("KEEP_LAST %d", s.Depth)
}

func perftestRow(s suite.Summary) []string {
	if s.Variant == suite.Latency {
		f := s.All
		if f.Mean == nil { // of ddsperf there are no histograms
			f = s.Figures
		}
		return []string{fmt.Sprint(s.Size), us(f.Mean), us(f.StdDev), us(f.Min), us(f.Max), us(f.P50), us(f.P90), us(f.P99), us(f.P9999), us(f.P999999),
			ratioTo(s, "c/listener", "p99_us")}
	}
	return []string{fmt.Sprint(s.Size), fmt.Sprint(s.Received), fmt.Sprintf("%.0f", s.AchievedRate), fmt.Sprintf("%.1f", s.Mbit), lost(s),
		fmt.Sprintf("%.2f", 100*s.LossRate), ratioTo(s, "c/listener", "achieved_hz"), ratioTo(s, "ddsperf/listener", "achieved_hz")}
}

func ratioTo(s suite.Summary, to, figure string) string {
	for _, r := range s.Ratios {
		if r.To == to && r.Figure == figure {
			return fmt.Sprintf("%.2f", r.Median)
		}
	}
	return "–"
}

func perftestPlots(r *suite.Result) []chart {
	size := func(s suite.Summary) float64 { return float64(s.Size) }
	var all []chart
	for _, group := range groups(r, func(s suite.Summary) perftestKey {
		return perftestKey{part: s.Variant, reliability: s.Reliability, instances: s.Instances, batching: s.Batching}
	}) {
		s := group[0]
		if oneSize(group) {
			continue
		}
		what := keyOfPerftest(s).String()
		if s.Variant == suite.Latency {
			all = append(all, lines("Round trip p50 by size, "+what, lowerIsBetter+"Whole round trips, not halved.", "bytes", "µs", true,
				contenderLines(r, group, size, func(s suite.Summary) *float64 { return s.Figures.P50 })))
			continue
		}
		all = append(all, lines("Throughput by size, "+what, "Higher is better. Of data that arrived.", "bytes", "Mbit/s", true,
			contenderLines(r, group, size, func(s suite.Summary) *float64 {
				if s.Mbit == 0 {
					return nil
				}
				return &s.Mbit
			})))
	}
	return all
}
