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
			Note:    fmt.Sprintf("Depth %d. Latency from sending to the callback, one way; medians over %d rounds.", group[0].Depth, group[0].Rounds)}
		for _, s := range group {
			t.Rows = append(t.Rows, []string{fmt.Sprint(s.Size), fmt.Sprint(s.Rate), fmt.Sprintf("%.1f", s.Mbit), lost(s), fmt.Sprint(s.Sent),
				fmt.Sprintf("%.4f", s.LossRate), fmt.Sprintf("%.1f", s.LoopRate), us(s.Figures.Mean), us(s.Figures.Max)})
		}
		all = append(all, t)
	}
	return all
}

// heatMaps draw the mean latency by size and rate; what was not reached stands out by its loss.
func heatMaps(r *suite.Result) []chart {
	var all []chart
	for _, group := range matrixGroups(r) {
		key := keyOfMatrix(group[0])
		all = append(all,
			heatMap("Mean latency: "+key.String(), lowerIsBetter+"Colours are logarithmic: 1 is 10 µs, 2 is 100 µs, 3 is 1 ms.", group, false,
				func(s suite.Summary) (float64, bool) {
					if s.Figures.Mean == nil {
						return 0, false
					}
					return math.Round(100*math.Log10(max(*s.Figures.Mean, 1))) / 100, true
				}),
			heatMap("Share of the asked rate that arrived: "+key.String(), "Higher is better; 100 % is all.", group, true,
				func(s suite.Summary) (float64, bool) {
					return math.Round(1000*min(s.AchievedRate/s.Rate, 1)) / 10, s.Rounds > 0
				}))
	}
	return all
}

func heatMap(title, note string, group []suite.Summary, highIsGood bool, of func(suite.Summary) (float64, bool)) chart {
	axis := func(of func(suite.Summary) float64) (values []float64, names []string) {
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
	sizes, sizeNames := axis(func(s suite.Summary) float64 { return float64(s.Size) })
	rates, rateNames := axis(func(s suite.Summary) float64 { return s.Rate })
	var data []opts.HeatMapData
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range group {
		v, ok := of(s)
		if !ok {
			continue
		}
		least, most = min(least, v), max(most, v)
		data = append(data, opts.HeatMapData{Value: [3]any{slices.Index(rates, s.Rate), slices.Index(sizes, float64(s.Size)), v}})
	}
	if len(data) == 0 {
		least, most = 0, 0
	}
	colours := []string{"#fff7bc", "#fe9929", "#662506"}
	if highIsGood {
		slices.Reverse(colours)
		least, most = 0, 100
	}
	h := charts.NewHeatMap()
	h.SetGlobalOptions(
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true)}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithGridOpts(opts.Grid{Left: "8", Right: "16", Top: "32", Bottom: "72", ContainLabel: opts.Bool(true)}),
		charts.WithXAxisOpts(opts.XAxis{Name: "Hz", Type: "category", Data: rateNames, NameLocation: "center", NameGap: 24}),
		charts.WithYAxisOpts(opts.YAxis{Name: "bytes", Type: "category", Data: sizeNames}),
		charts.WithVisualMapOpts(opts.VisualMap{Calculable: opts.Bool(true), Min: float32(least), Max: float32(most), Orient: "horizontal",
			Left: "center", Bottom: "0", InRange: &opts.VisualMapInRange{Color: colours}}),
		charts.WithAnimation(false),
	)
	h.AddSeries(title, data, charts.WithLabelOpts(opts.Label{Show: opts.Bool(true)}))
	h.Validate()
	return chart{title, note, option(h.JSON())}
}
