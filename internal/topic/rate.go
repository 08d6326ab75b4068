package topic

import (
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/pubsub"
)

// rate measures the time between the arrivals of messages.
type rate struct {
	periods window // in seconds
	last    int64  // arrival, 0 for none
	news    bool
}

func newRate(size int) *rate { return &rate{periods: window{size: size}} }

func (r *rate) add(_ []byte, info *pubsub.MessageInfo) error {
	if r.last != 0 {
		r.periods.add(float64(info.Arrival-r.last) / 1e9)
		r.news = true
	}
	r.last = info.Arrival
	return nil
}

func (r *rate) report(int64) report {
	if !r.news {
		return nil
	}
	r.news = false
	return rateReport(r.periods.summary())
}

type rateReport Summary

func (r rateReport) rate() float64 {
	if r.Mean <= 0 {
		return 0
	}
	return 1 / r.Mean
}

func (r rateReport) text() string {
	return fmt.Sprintf("average rate: %.3f\n\tmin: %.3fs max: %.3fs std dev: %.5fs window: %d\n", r.rate(), r.Min, r.Max, r.StdDev, r.Window)
}

func (r rateReport) object(topic string, lost uint64) any {
	return struct {
		Topic  string  `json:"topic"`
		Rate   float64 `json:"rate"`
		Period Summary `json:"period"`
		Lost   uint64  `json:"lost"`
	}{topic, r.rate(), Summary(r), lost}
}

// rateTable returns the rates of several topics.
func rateTable(names []string, reports []report) string {
	rows := [][]string{{"topic", "rate", "min_delta", "max_delta", "std_dev", "window"}}
	for i, report := range reports {
		r := report.(rateReport)
		rows = append(rows, []string{names[i], fmt.Sprintf("%.3f", r.rate()), fmt.Sprintf("%.3f", r.Min),
			fmt.Sprintf("%.3f", r.Max), fmt.Sprintf("%.5f", r.StdDev), fmt.Sprint(r.Window)})
	}
	widths := make([]int, len(rows[0]))
	total := 3 * (len(widths) - 1)
	for c := range widths {
		for _, row := range rows {
			widths[c] = max(widths[c], len(row[c]))
		}
		total += widths[c]
	}
	var b strings.Builder
	for i, row := range rows {
		var line strings.Builder
		for c, cell := range row {
			fmt.Fprintf(&line, "%-*s   ", widths[c], cell)
		}
		fmt.Fprintln(&b, strings.TrimRight(line.String(), " "))
		if i == 0 {
			fmt.Fprintln(&b, strings.Repeat("=", total))
		}
	}
	b.WriteByte('\n')
	return b.String()
}
