package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/bench/suite"
)

// A chart is a plot with what it means.
type chart struct {
	Title, Note string
	Option      template.JS // of ECharts
}

const lowerIsBetter = "Lower is better. "

// plots returns the plots of a scenario.
func plots(r *suite.Result) []chart {
	switch r.Scenario {
	case "multitopic":
		return append(overTopics(r), distributions(r, func(s suite.Summary) bool {
			return s.Topics == most(r, func(s suite.Summary) int { return s.Topics })
		})...)
	case "matrix":
		return heatMaps(r)
	case "perftest":
		return perftestPlots(r)
	case "transport":
		return boxPlots(r)
	case "codec":
		return codecPlots(r)
	case "footprint":
		return footprintPlots(r)
	case "timer":
		return distributions(r, func(suite.Summary) bool { return true })
	case "rtt":
		return append(overSize(r), distributions(r, func(s suite.Summary) bool { return s.Type != "bytes" })...)
	}
	return nil
}

func most(r *suite.Result, of func(suite.Summary) int) int {
	n := 0
	for _, s := range r.Summary {
		n = max(n, of(s))
	}
	return n
}

// A series is a line of a plot.
type series struct {
	name                 string
	colour, dash, symbol string
	points               [][2]float64
}

// lines draws lines over logarithmic axes.
func lines(title, note, x, y string, logX bool, all []series) chart {
	line := charts.NewLine()
	xType := "value"
	if logX {
		xType = "log"
	}
	line.SetGlobalOptions(
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "item"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(true), Type: "scroll", Bottom: "0"}),
		charts.WithGridOpts(opts.Grid{Left: "8", Right: "40", Top: "32", Bottom: "56", ContainLabel: opts.Bool(true)}),
		charts.WithXAxisOpts(opts.XAxis{Name: x, Type: xType, NameLocation: "center", NameGap: 24, Min: "dataMin", Max: "dataMax"}),
		charts.WithYAxisOpts(opts.YAxis{Name: y, Type: "log", Scale: opts.Bool(true)}),
		charts.WithAnimation(false),
	)
	for _, s := range all {
		var data []opts.LineData
		for _, p := range s.points {
			data = append(data, opts.LineData{Value: []float64{p[0], p[1]}})
		}
		line.AddSeries(s.name, data, charts.WithLineStyleOpts(opts.LineStyle{Width: 2, Type: s.dash, Color: s.colour}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: s.colour}), charts.WithLineChartOpts(opts.LineChart{Symbol: s.symbol}))
	}
	line.Validate()
	return chart{title, note, option(line.JSON())}
}

// palette is told apart with most kinds of colour blindness (Okabe and Ito). What is more than that has
// other dashes and symbols.
var (
	palette = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"}
	dashes  = []string{"solid", "dashed", "dotted"}
	symbols = []string{"emptyCircle", "triangle", "rect"}
)

// newSeries returns a series in the style that the contender has in all plots of a result.
func newSeries(r *suite.Result, s suite.Summary) series {
	i := 0 // among those that took part
	for _, c := range r.Contenders {
		if c.Name == s.Contender && c.Mode == s.Mode {
			break
		}
		if c.Missing == "" {
			i++
		}
	}
	more := i / len(palette) % len(dashes)
	return series{name: s.Contender + " " + s.Mode, colour: palette[i%len(palette)], dash: dashes[more], symbol: symbols[more]}
}

// option encodes the option of a chart so that it can stand in a script.
func option(o map[string]any) template.JS {
	text, err := json.Marshal(o)
	if err != nil {
		panic(fmt.Sprintf("report: the option of a chart: %v", err)) // numbers and strings encode always
	}
	return template.JS(text)
}

// overTopics draws the p99 over the number of topics for each load.
func overTopics(r *suite.Result) []chart {
	var all []chart
	for _, group := range groups(r, func(s suite.Summary) suite.Params { s.Topics = 0; return s.Params }) {
		p := group[0].Params
		if p.Variant != "plain" {
			continue
		}
		title := fmt.Sprintf("p99 over the number of topics; background callbacks of %g µs, %s", p.Work, p.Phase)
		note := lowerIsBetter + "From the time at which the critical message should have been sent to its callback; median over the rounds."
		all = append(all, lines(title, note, "topics", "p99 in µs", true,
			contenderLines(r, group, func(s suite.Summary) float64 { return float64(s.Topics) }, func(s suite.Summary) *float64 { return headline(s).P99 })))
	}
	return all
}

func overSize(r *suite.Result) []chart {
	var bytes []suite.Summary
	for _, s := range r.Summary {
		if s.Type == "bytes" {
			bytes = append(bytes, s)
		}
	}
	if oneSize(bytes) {
		return nil
	}
	size := func(s suite.Summary) float64 { return float64(s.Size) }
	note := lowerIsBetter + "Whole round trips, not halved; median over the rounds."
	return []chart{
		lines("Round trip p50 by size", note, "bytes", "p50 in µs", true, contenderLines(r, bytes, size, func(s suite.Summary) *float64 { return s.Figures.P50 })),
		lines("Round trip p99 by size", note, "bytes", "p99 in µs", true, contenderLines(r, bytes, size, func(s suite.Summary) *float64 { return s.Figures.P99 })),
	}
}

// oneSize tells whether there is nothing to draw a line between.
func oneSize(group []suite.Summary) bool {
	return !slices.ContainsFunc(group, func(s suite.Summary) bool { return s.Size != group[0].Size })
}

// groups puts summaries together that have a key in common.
func groups[K comparable](r *suite.Result, key func(suite.Summary) K) [][]suite.Summary {
	return groupsOf(r.Summary, key)
}

func groupsOf[K comparable](summaries []suite.Summary, key func(suite.Summary) K) [][]suite.Summary {
	var all [][]suite.Summary
	index := map[K]int{}
	for _, s := range summaries {
		k := key(s)
		i, ok := index[k]
		if !ok {
			i = len(all)
			index[k] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], s)
	}
	return all
}

// contenderLines makes a line of each contender, in the same order in every plot.
func contenderLines(r *suite.Result, group []suite.Summary, x func(suite.Summary) float64, y func(suite.Summary) *float64) []series {
	byName := map[string]*series{}
	var names []string
	for _, s := range group {
		name := s.Contender + " " + s.Mode
		if byName[name] == nil {
			line := newSeries(r, s)
			byName[name] = &line
			names = append(names, name)
		}
		if v := y(s); v != nil {
			byName[name].points = append(byName[name].points, [2]float64{x(s), *v})
		}
	}
	slices.Sort(names)
	var all []series
	for _, name := range names {
		s := byName[name]
		slices.SortFunc(s.points, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
		all = append(all, *s)
	}
	return all
}

// distributions draws the latency over the percentile, on an axis on which each nine takes the same
// room, for each set of parameters that is chosen.
func distributions(r *suite.Result, chosen func(suite.Summary) bool) []chart {
	var all []chart
	for _, group := range byParams(r) {
		if !chosen(group[0]) {
			continue
		}
		var lns []series
		for _, s := range group {
			if points := nines(merged(r, s, ofHeadline(s))); len(points) > 0 {
				line := newSeries(r, s)
				line.points = points
				lns = append(lns, line)
			}
		}
		slices.SortFunc(lns, func(a, b series) int { return cmp.Compare(a.name, b.name) })
		all = append(all, lines("Distribution: "+group[0].Params.String(),
			lowerIsBetter+"All rounds together; the axis below shows nines: 1 is p90, 2 is p99, 3 is p99.9. A line ends where too few messages are left.",
			"nines", "µs", false, lns))
	}
	return all
}

// merged returns one of the histograms with all rounds together.
func merged(r *suite.Result, s suite.Summary, of func(*suite.Run) *measure.Histogram) *measure.Histogram {
	h := measure.NewHistogram()
	for i := range r.Runs {
		run := &r.Runs[i]
		if run.Contender == s.Contender && run.Mode == s.Mode && run.Params == s.Params && run.Error == "" {
			h.Merge(of(run))
		}
	}
	return h
}

func fromSending(run *suite.Run) *measure.Histogram { return run.Histogram }

// ofHeadline returns the histogram that headline has the figures of.
func ofHeadline(s suite.Summary) func(*suite.Run) *measure.Histogram {
	if intended(s) {
		return func(run *suite.Run) *measure.Histogram { return run.HistogramIntended }
	}
	return fromSending
}

func nines(h *measure.Histogram) [][2]float64 {
	var points [][2]float64
	for n := 0.1; n < 7; n += 0.1 {
		if ns, ok := h.Quantile(1 - math.Pow(10, -n)); ok {
			points = append(points, [2]float64{math.Round(n*10) / 10, ns / 1000})
		}
	}
	return points
}
