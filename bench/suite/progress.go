package suite

import (
	"fmt"
	"io"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
)

// progress prints a line per run.
type progress struct {
	out   io.Writer
	total int
	count int
	begin time.Time
}

func newProgress(out io.Writer, total int) *progress {
	if out == nil {
		out = io.Discard
	}
	return &progress{out: out, total: total, begin: time.Now()}
}

func (p *progress) done(r Run) {
	p.count++
	left := time.Since(p.begin) / time.Duration(p.count) * time.Duration(p.total-p.count)
	// That the terminal is gone is no reason to stop measuring.
	_, _ = fmt.Fprintf(p.out, "[%d/%d, about %v left] round %d, %s, %s: %s\n", p.count, p.total, left.Round(time.Second),
		r.Round+1, r.Params, r.Contender+" "+r.Mode, r.brief())
}

// String names what distinguishes parameters.
func (p Params) String() string {
	text := fmt.Sprintf("%d B", p.Size)
	switch {
	case p.Instances > 0:
		text += fmt.Sprintf(" of %d instances", p.Instances)
	case p.Type != contender.Bytes:
		text = p.Type
	}
	if p.Topics > 0 && p.Rate > 0 {
		text += fmt.Sprintf(" at %g Hz", p.Rate)
	}
	if p.Topics > 1 {
		text += fmt.Sprintf(", %d background topics (%d B, %g µs, %s)", p.Topics-1, p.BackgroundSize, p.Work, p.Phase)
	}
	if p.Variant != "" && p.Variant != "plain" {
		text += ", " + p.Variant
	}
	if p.Batching {
		text += ", batched"
	}
	if p.Reliability != "reliable" {
		text += ", best effort"
	}
	return text
}

func (r *Run) brief() string {
	switch {
	case r.Error != "":
		return r.Error
	case r.Footprint != nil:
		f := r.Footprint
		return fmt.Sprintf("%d threads, %.1f MB, first message after %.0f ms", f.Threads, float64(f.RSS)/1e6, f.FirstMessage) + lost(r)
	case r.Rate == 0 && r.AchievedRate > 0:
		return fmt.Sprintf("%.0f messages/s, %.0f Mbit/s", r.AchievedRate, r.Mbit) + lost(r)
	case r.HistogramIntended != nil:
		return us(r.IntendedFigures.P50, r.IntendedFigures.P99, r.IntendedFigures.Max) + lost(r)
	}
	return us(r.Figures.P50, r.Figures.P99, r.Figures.Max) + lost(r)
}

func us(p50, p99, most *float64) string {
	return fmt.Sprintf("p50 %s, p99 %s, max %s µs", number(p50), number(p99), number(most))
}

func lost(r *Run) string {
	if r.Lost == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of %d lost", r.Lost, r.Sent)
}

// number prints a figure, a dash where there is none.
func number(v *float64) string {
	switch {
	case v == nil:
		return "-"
	case *v >= 100:
		return fmt.Sprintf("%.0f", *v)
	}
	return fmt.Sprintf("%.1f", *v)
}
