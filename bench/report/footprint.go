package report

import (
	"fmt"

	"github.com/pinion-ros/pinion/bench/suite"
)

func footprintTable(r *suite.Result) table {
	t := table{Title: "A process with a node and its subscriptions", Text: 1,
		Note: "Medians over the rounds. Idle means that nothing is published. Lower is better.",
		Columns: []string{"contender", "topics", "threads", "RSS in MB", "idle CPU in %", "idle wake-ups/s", "CPU ms per 10,000 messages",
			"start to first message in ms", "shared libraries", "of MB", "lost"}}
	for _, s := range sorted(r.Summary) {
		f := s.Footprint
		if f == nil {
			f = &suite.Footprint{}
		}
		t.Rows = append(t.Rows, []string{s.Contender + " " + s.Mode, fmt.Sprint(s.Topics), fmt.Sprint(f.Threads), fmt.Sprintf("%.1f", float64(f.RSS)/1e6),
			fmt.Sprintf("%.2f", 100*f.IdleCPU), fmt.Sprintf("%.0f", f.IdleWakeUps), fmt.Sprintf("%.1f", 1000*f.CPUPer10000),
			fmt.Sprintf("%.0f", f.FirstMessage), fmt.Sprint(f.Libraries), fmt.Sprintf("%.1f", float64(f.LibraryBytes)/1e6), lost(s)})
	}
	return t
}

func footprintPlots(r *suite.Result) []chart {
	topics := func(s suite.Summary) float64 { return float64(s.Topics) }
	positive := func(of func(*suite.Footprint) float64) func(suite.Summary) *float64 {
		return func(s suite.Summary) *float64 {
			if s.Footprint == nil || of(s.Footprint) <= 0 { // a logarithmic axis has no 0
				return nil
			}
			v := of(s.Footprint)
			return &v
		}
	}
	return []chart{
		lines("Memory by topics", lowerIsBetter+"Resident.", "topics", "MB", true,
			contenderLines(r, r.Summary, topics, positive(func(f *suite.Footprint) float64 { return float64(f.RSS) / 1e6 }))),
		lines("Start to first message by topics", lowerIsBetter+"From the start of the process to its first callback.", "topics", "ms", true,
			contenderLines(r, r.Summary, topics, positive(func(f *suite.Footprint) float64 { return f.FirstMessage }))),
	}
}
