package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/pinion-ros/pinion/bench/suite"
)

// matrixKey has a table and a heat map of its own.
type matrixKey struct{ contender, mode, reliability string }

func (k matrixKey) String() string {
	return k.contender + " " + k.mode + ", " + map[string]string{"reliable": "reliable", "best_effort": "best effort"}[k.reliability]
}

func matrixGroups(r *suite.Result) [][]suite.Summary { return groups(r, keyOfMatrix) }

func keyOfMatrix(s suite.Summary) matrixKey { return matrixKey{s.Contender, s.Mode, s.Reliability} }

func matrixTables(r *suite.Result) []table {
	var all []table
	for _, group := range matrixGroups(r) {
		t := table{Title: keyOfMatrix(group[0]).String(), Text: 0,
			Columns: []string{"size in bytes", "Hz", "Mbit/s", "lost", "sent", "loss rate", "loop rate in Hz", "latency mean in µs", "latency max in µs"},
			Note:    fmt.Sprintf("Depth %d. Latency from sending to the callback, one way; medians over %s.", group[0].Depth, rounds(group[0].Rounds))}
		for _, s := range group {
			t.Rows = append(t.Rows, []string{fmt.Sprint(s.Size), fmt.Sprint(s.Rate), fmt.Sprintf("%.1f", s.Mbit), lost(s), fmt.Sprint(s.Sent),
				fmt.Sprintf("%.4f", s.LossRate), fmt.Sprintf("%.1f", s.LoopRate), us(s.Figures.Mean), us(s.Figures.Max)})
		}
		all = append(all, t)
	}
	return all
}

// heatMaps draw the mean latency by size and rate; what was not reached stands out by its loss. A colour
// means the same in the maps of all contenders.
func heatMaps(r *suite.Result) []chart {
	least, most := math.Inf(1), 0.0
	for _, s := range r.Summary {
		if mean := s.Figures.Mean; mean != nil {
			least, most = min(least, *mean), max(most, *mean)
		}
	}
	var all []chart
	for _, group := range matrixGroups(r) {
		key := keyOfMatrix(group[0])
		all = append(all,
			heatMap{title: "Mean latency in µs: " + key.String(), note: lowerIsBetter + "Colours are logarithmic.",
				colours: []string{"#fff7bc", "#fe9929", "#662506"}, least: level(least), most: level(most), ends: []string{us(&most), us(&least)},
				of: func(s suite.Summary) (float64, string) {
					if s.Figures.Mean == nil {
						return 0, ""
					}
					return level(*s.Figures.Mean), us(s.Figures.Mean)
				}}.draw(group),
			heatMap{title: "Share of the asked rate that arrived: " + key.String(), note: "Higher is better; 100 % is all.",
				colours: []string{"#662506", "#fe9929", "#fff7bc"}, most: 100, ends: []string{"100 %", "0 %"},
				of: func(s suite.Summary) (float64, string) {
					if s.Rounds == 0 {
						return 0, ""
					}
					share := 100 * min(s.AchievedRate/s.Rate, 1)
					return share, fmt.Sprintf("%.1f %%", share)
				}}.draw(group))
	}
	return all
}

func level(micros float64) float64 { return math.Log10(max(micros, 1)) }

// A heatMap shows a figure by size and rate.
type heatMap struct {
	title, note string
	colours     []string // from the least to the most
	least, most float64
	ends        []string                              // the most and the least in words
	of          func(suite.Summary) (float64, string) // for the colour and in words, "" for none
}

func (m heatMap) draw(group []suite.Summary) chart {
	sizes, sizeNames := axis(group, func(s suite.Summary) float64 { return float64(s.Size) })
	rates, rateNames := axis(group, func(s suite.Summary) float64 { return s.Rate })
	var data []opts.HeatMapData
	for _, s := range group {
		if value, words := m.of(s); words != "" {
			data = append(data, opts.HeatMapData{Value: [4]any{slices.Index(rates, s.Rate), slices.Index(sizes, float64(s.Size)), value, words}})
		}
	}
	h := charts.NewHeatMap()
	h.SetGlobalOptions(
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(false)}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithGridOpts(opts.Grid{Left: "8", Right: "16", Top: "32", Bottom: "72", ContainLabel: opts.Bool(true)}),
		charts.WithXAxisOpts(opts.XAxis{Name: "Hz", Type: "category", Data: rateNames, NameLocation: "center", NameGap: 24}),
		charts.WithYAxisOpts(opts.YAxis{Name: "bytes", Type: "category", Data: sizeNames}),
		charts.WithVisualMapOpts(opts.VisualMap{Min: float32(m.least), Max: float32(m.most), Text: m.ends, Dimension: "2", Orient: "horizontal",
			Left: "center", Bottom: "0", InRange: &opts.VisualMapInRange{Color: m.colours}}),
		charts.WithAnimation(false),
	)
	h.AddSeries(m.title, data, charts.WithLabelOpts(opts.Label{Show: opts.Bool(true), Formatter: "{@[3]}"}))
	h.Validate()
	return chart{m.title, m.note, option(h.JSON())}
}

// axis returns the values that occur, in order, and in words.
func axis(group []suite.Summary, of func(suite.Summary) float64) (values []float64, names []string) {
	for _, s := range group {
		if v := of(s); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	for _, v := range values {
		names = append(names, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return values, names
}
