package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pinion-ros/pinion/bench/suite"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The marks between which a README shows a result.
const (
	readmeBegin = "<!-- measured: make evidence -->\n"
	readmeEnd   = "<!-- measured: end -->\n"
)

// EmbedREADME puts readme.md and readme.svg of a directory between the marks of a README, which stays as
// it is where they are missing. Both paths are relative to the same directory.
func EmbedREADME(readme, dir string) error {
	block, err := os.ReadFile(filepath.Join(dir, readmeTable))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	plot, err := filepath.Rel(filepath.Dir(readme), filepath.Join(dir, readmePlot))
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), readmeBegin)
	_, after, ended := strings.Cut(rest, readmeEnd)
	if !found || !ended {
		return fmt.Errorf("%s has no line %q with %q behind it", readme, strings.TrimSpace(readmeBegin), strings.TrimSpace(readmeEnd))
	}
	block = fmt.Appendf(bytes.TrimSpace(block), "\n\n![%s](%s)\n", plotTitle, plot)
	return os.WriteFile(readme, []byte(before+readmeBegin+string(block)+readmeEnd+after), 0o666)
}

// README writes what a README shows of a multitopic result: a table with the p99 of each contender over
// the number of topics, the machine named. work and phase choose among the loads that were run.
func README(out io.Writer, r *suite.Result, work float64, phase string) error {
	group, err := chosen(r, work, phase)
	if err != nil {
		return err
	}
	t := table{Columns: []string{"contender"}, Text: 1}
	lns := contenderLines(r, group, topicsOf, func(s suite.Summary) *float64 { return headline(s).P99 })
	for _, l := range lns {
		row := []string{l.name}
		for _, n := range topicCounts(group) {
			cell := "–"
			for _, p := range l.points {
				if p[0] == n {
					cell = us(&p[1])
				}
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	for _, n := range topicCounts(group) {
		t.Columns = append(t.Columns, topicColumn(n))
	}
	t.Note = fmt.Sprintf("p99 in µs, from when a critical message at 1 kHz should have been sent to its callback, beside background topics "+
		"at 300 Hz whose callbacks take %g µs; median of %s; lower is better. %s, %d cores (%s), %s, Cyclone DDS %s, %s.",
		work, rounds(r.Rounds), r.Machine.CPU, r.Machine.Cores, virtual(r.Machine.Virtualised), r.Machine.System, r.Machine.Cyclone, r.Machine.Go)
	if r.Note != "" {
		t.Note = r.Note + ". " + t.Note
	}
	return t.write(out)
}

func virtual(what string) string {
	if what == "no" {
		return "not virtualised"
	}
	return "virtualised"
}

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}

func topicColumn(n float64) string {
	if n == 1 {
		return "1 topic"
	}
	return fmt.Sprintf("%g topics", n)
}

func topicsOf(s suite.Summary) float64 { return float64(s.Topics) }

func topicCounts(group []suite.Summary) []float64 {
	var all []float64
	for _, g := range groupsOf(sorted(group), func(s suite.Summary) int { return s.Topics }) {
		all = append(all, float64(g[0].Topics))
	}
	return all
}

// chosen returns the summaries of one load.
func chosen(r *suite.Result, work float64, phase string) ([]suite.Summary, error) {
	if r.Scenario != "multitopic" {
		return nil, fmt.Errorf("the README shows a result of multitopic, not of %s", r.Scenario)
	}
	var group []suite.Summary
	for _, s := range r.Summary {
		if s.Variant == "plain" && s.Work == work && s.Phase == phase {
			group = append(group, s)
		}
	}
	if len(group) == 0 {
		return nil, fmt.Errorf("the result has no runs with %g µs of work and phase %s", work, phase)
	}
	return group, nil
}

const plotTitle = "p99 of a critical topic at 1 kHz (lower is better)"

// SVG draws the table of README.
func SVG(out io.Writer, r *suite.Result, work float64, phase string) error {
	group, err := chosen(r, work, phase)
	if err != nil {
		return err
	}
	p := plot.New()
	p.Title.Text = plotTitle
	p.X.Label.Text, p.Y.Label.Text = "topics", "µs"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = counts(topicCounts(group)), decades{}
	p.BackgroundColor = color.White
	p.Add(plotter.NewGrid())
	for _, l := range contenderLines(r, group, topicsOf, func(s suite.Summary) *float64 { return headline(s).P99 }) {
		if err := addLine(p, l); err != nil {
			return err
		}
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(2)
	p.Y.Max *= 15 // room for the legend
	canvas := vgsvg.New(18*vg.Centimeter, 10*vg.Centimeter)
	p.Draw(draw.New(canvas))
	_, err = canvas.WriteTo(out)
	return err
}

func addLine(p *plot.Plot, l series) error {
	var points plotter.XYs
	for _, at := range l.points {
		points = append(points, plotter.XY{X: at[0], Y: at[1]})
	}
	if len(points) == 0 {
		return nil
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return fmt.Errorf("draw %s: %w", l.name, err)
	}
	c, err := parseColour(l.colour)
	if err != nil {
		return err
	}
	line.Color, dots.Color, line.Width = c, c, vg.Points(1.5)
	switch l.dash {
	case "dashed":
		line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	case "dotted":
		line.Dashes = []vg.Length{vg.Points(1), vg.Points(2)}
	}
	p.Add(line, dots)
	p.Legend.Add(l.name, line, dots)
	return nil
}

func parseColour(text string) (color.Color, error) {
	n, err := strconv.ParseUint(text[1:], 16, 32)
	return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}, err
}

// counts mark the numbers of topics.
type counts []float64

// Ticks implements [plot.Ticker].
func (c counts) Ticks(_, _ float64) []plot.Tick {
	var ticks []plot.Tick
	for _, v := range c {
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprint(v)})
	}
	return ticks
}

// decades mark 1, 2 and 5 of each power of ten.
type decades struct{}

// Ticks implements [plot.Ticker].
func (decades) Ticks(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	for power := math.Pow(10, math.Floor(math.Log10(least))); power <= most; power *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if v := m * power; v >= least && v <= most {
				ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprint(v)})
			}
		}
	}
	return ticks
}
