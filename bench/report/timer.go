package report

import (
	"fmt"

	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/bench/suite"
)

func timerTable(r *suite.Result) table {
	t := table{Title: "A timer at 1 kHz", Text: 1,
		Note: "By how much late it wakes up, in µs: medians over the rounds, but p99.9, p99.99 and max of all rounds together; ratios to the loop in C within rounds. " +
			"Stalls are wake-ups late by more than 5 ms; unexplained are those at which a thread in C with the same policy on the same CPU was in time. Lower is better.",
		Columns: []string{"contender", "p50", "p90", "p99", "p99.9", "p99.99", "max", "p50 to C", "p99 to C", "p99 min", "p99 max", "stalls", "unexplained", "of the probe"}}
	for _, s := range sorted(r.Summary) {
		to := func(figure string, of func(measure.Ratio) float64) string {
			return ratioOf(s, "c/nanosleep", figure, of)
		}
		row := []string{s.Contender + " " + s.Mode, us(s.Figures.P50), us(s.Figures.P90), us(s.Figures.P99), us(s.All.P999), us(s.All.P9999), us(s.All.Max),
			to("p50", func(m measure.Ratio) float64 { return m.Median }), to("p99", func(m measure.Ratio) float64 { return m.Median }),
			to("p99", func(m measure.Ratio) float64 { return m.Min }), to("p99", func(m measure.Ratio) float64 { return m.Max })}
		if s.Stalls == nil {
			row = append(row, "", "", "")
		} else {
			row = append(row, fmt.Sprint(s.Stalls.Long), fmt.Sprint(s.Stalls.Unexplained), fmt.Sprint(s.Stalls.Probe))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
