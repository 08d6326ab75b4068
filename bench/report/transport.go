package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/pinion-ros/pinion/bench/suite"
)

// transportKey has a table and a plot of its own.
type transportKey struct{ place, reliability string }

func keyOfTransport(s suite.Summary) transportKey { return transportKey{s.Variant, s.Reliability} }

var placeNames = map[string]string{
	suite.Local: "Two processes of one machine", suite.Remote: "Two hosts (network namespaces with a cable between)",
	suite.Within: "Two nodes of one process", suite.Late: "A subscriber that joins late, transient local",
}

func transportTables(r *suite.Result) []table {
	var all []table
	for _, group := range groups(r, keyOfTransport) {
		s := group[0]
		t := table{Title: fmt.Sprintf("%s, %s", placeNames[s.Variant], s.Reliability), Text: 1,
			Note:    fmt.Sprintf("One way in µs from sending to the callback, at %g Hz; all rounds together. Lower is better.", s.Rate),
			Columns: []string{"contender", "bytes", "depth", "median", "p90", "min", "max", "mean", "std", "sent", "lost", "first missed"}}
		for _, s := range sorted(group) {
			f := s.All
			t.Rows = append(t.Rows, []string{s.Contender + " " + s.Mode, fmt.Sprint(s.Size), fmt.Sprint(s.Depth), us(f.P50), us(f.P90), us(f.Min), us(f.Max),
				us(f.Mean), us(f.StdDev), fmt.Sprint(s.Sent), lost(s), fmt.Sprint(s.FirstNumber)})
		}
		all = append(all, t)
	}
	return all
}

// sorted returns the summaries by contender, number of topics and size.
func sorted(group []suite.Summary) []suite.Summary {
	return slices.SortedStableFunc(slices.Values(group), func(a, b suite.Summary) int {
		return cmp.Or(cmp.Compare(a.Contender, b.Contender), cmp.Compare(a.Mode, b.Mode), cmp.Compare(a.Topics, b.Topics), cmp.Compare(a.Size, b.Size))
	})
}

// boxPlots draw the latency by size: the box holds the middle half, the whiskers all.
func boxPlots(r *suite.Result) []chart {
	var all []chart
	for _, group := range groups(r, keyOfTransport) {
		key := keyOfTransport(group[0])
		if key.place == suite.Late {
			continue // what counts there is what was missed
		}
		box := charts.NewBoxPlot()
		box.SetGlobalOptions(
			charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "item"}),
			charts.WithLegendOpts(opts.Legend{Show: opts.Bool(true), Type: "scroll", Bottom: "0"}),
			charts.WithGridOpts(opts.Grid{Left: "8", Right: "16", Top: "32", Bottom: "56", ContainLabel: opts.Bool(true)}),
			charts.WithXAxisOpts(opts.XAxis{Name: "bytes", NameLocation: "center", NameGap: 24}),
			charts.WithYAxisOpts(opts.YAxis{Name: "µs", Type: "log"}),
			charts.WithAnimation(false),
		)
		var sizes []string
		for i, line := range groupsOf(sorted(group), func(s suite.Summary) string { return s.Contender + " " + s.Mode }) {
			var data []opts.BoxPlotData
			for _, s := range line {
				if i == 0 {
					sizes = append(sizes, fmt.Sprint(s.Size))
				}
				data = append(data, opts.BoxPlotData{Value: fiveNumbers(r, s)})
			}
			style := newSeries(r, line[0])
			box.AddSeries(style.name, data, charts.WithItemStyleOpts(opts.ItemStyle{BorderColor: style.colour, Color: "#ffffff"}))
		}
		box.SetXAxis(sizes)
		box.Validate()
		all = append(all, chart{fmt.Sprintf("%s, %s: latency by size", placeNames[key.place], key.reliability),
			lowerIsBetter + "From sending to the callback. The box holds the middle half of all messages, the line in it is the median, the whiskers reach from the least to the greatest.",
			option(box.JSON())})
	}
	return all
}

// fiveNumbers returns least, quartiles and greatest in µs.
func fiveNumbers(r *suite.Result, s suite.Summary) []float64 {
	h := merged(r, s, fromSending)
	var five []float64
	buckets := h.Buckets()
	if len(buckets) == 0 {
		return five
	}
	for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
		rank, seen := share*float64(h.Count()-1), int64(0)
		for _, b := range buckets {
			if seen += b.Count; float64(seen) > rank {
				five = append(five, float64(b.Ns)/1000)
				break
			}
		}
	}
	return five
}
