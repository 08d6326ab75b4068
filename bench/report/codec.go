package report

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/pinion-ros/pinion/bench/suite"
)

func codecTable(r *suite.Result) table {
	t := table{Title: "Time per message in ns", Text: 2,
		Note: "Medians over the rounds; ratios within rounds: median, least and greatest, above 1 where pinion takes longer. " +
			"view aliases the bytes where it can; read touches every element after that.",
		Columns: []string{"message", "operation", "bytes", "pinion", "Fast-CDR", "copy", "to Fast-CDR", "min", "max", "to copy"}}
	for _, row := range r.Codec {
		fast := []string{"–", "–", "–", "–"}
		if row.FastCDR > 0 {
			fast = []string{fmt.Sprintf("%.1f", row.FastCDR), times(row.ToFastCDR.Median), times(row.ToFastCDR.Min), times(row.ToFastCDR.Max)}
		}
		t.Rows = append(t.Rows, []string{row.Message, row.Operation, fmt.Sprint(row.Bytes), fmt.Sprintf("%.1f", row.Pinion), fast[0],
			fmt.Sprintf("%.1f", row.Copy), fast[1], fast[2], fast[3], times(row.ToCopy.Median)})
	}
	return t
}

// times writes a ratio, which is far below 1 where one side copies nothing.
func times(ratio float64) string {
	if ratio < 0.1 {
		return fmt.Sprintf("%.4f", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

// codecPlots draw a bar for each message and contender.
func codecPlots(r *suite.Result) []chart {
	var all []chart
	for _, operation := range []string{"encode", "decode"} {
		var names []string
		var pinion, fast, copied []opts.BarData
		for _, row := range r.Codec {
			if row.Operation != operation {
				continue
			}
			names = append(names, row.Message)
			pinion = append(pinion, opts.BarData{Value: row.Pinion})
			copied = append(copied, opts.BarData{Value: row.Copy})
			if row.FastCDR > 0 {
				fast = append(fast, opts.BarData{Value: row.FastCDR})
			}
		}
		bar := charts.NewBar()
		bar.SetGlobalOptions(
			charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true)}),
			charts.WithLegendOpts(opts.Legend{Show: opts.Bool(true), Bottom: "0"}),
			charts.WithGridOpts(opts.Grid{Left: "8", Right: "16", Top: "32", Bottom: "40", ContainLabel: opts.Bool(true)}),
			charts.WithXAxisOpts(opts.XAxis{AxisLabel: &opts.AxisLabel{Rotate: 30}}),
			charts.WithYAxisOpts(opts.YAxis{Name: "ns", Type: "log"}),
			charts.WithAnimation(false),
		)
		bar.SetXAxis(names)
		for i, s := range []struct {
			name string
			data []opts.BarData
		}{{"pinion", pinion}, {"Fast-CDR", fast}, {"copy", copied}} {
			if len(s.data) > 0 {
				bar.AddSeries(s.name, s.data, charts.WithItemStyleOpts(opts.ItemStyle{Color: palette[i]}))
			}
		}
		bar.Validate()
		all = append(all, chart{"Time to " + operation + " a message", lowerIsBetter + "The axis is logarithmic.", option(bar.JSON())})
	}
	return all
}
