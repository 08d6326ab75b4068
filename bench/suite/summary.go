package suite

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pinion-ros/pinion/bench/measure"
)

// Summary is a contender with one set of parameters over all rounds.
type Summary struct {
	Contender string `json:"contender"`
	Mode      string `json:"mode"`
	Params
	Rounds             int    `json:"rounds"` // without error
	Errors             int    `json:"errors"`
	Sent               uint64 `json:"sent"`
	Received           uint64 `json:"received"`
	Lost               uint64 `json:"lost"`
	OutOfOrder         uint64 `json:"out_of_order"`
	Duplicates         uint64 `json:"duplicates"`
	Late               uint64 `json:"late"`
	Failed             uint64 `json:"failed"`
	BackgroundSent     uint64 `json:"background_sent"`
	BackgroundReceived uint64 `json:"background_received"`

	// Medians over the rounds of each round's figure.
	LoopRate     float64 `json:"loop_hz"`
	AchievedRate float64 `json:"achieved_hz"`
	Mbit         float64 `json:"mbit_s"`
	LossRate     float64 `json:"loss_rate"`
	FirstNumber  float64 `json:"first_number"` // of the messages, the first that came: so many were missed
	measure.Figures
	IntendedFigures

	// The figures of all rounds in one histogram, for percentiles that a single round cannot support.
	All         measure.Figures `json:"all_rounds"`
	AllIntended measure.Figures `json:"all_rounds_intended"`

	Footprint *Footprint  `json:"footprint,omitempty"` // medians
	Stalls    *StallCount `json:"stalls,omitempty"`    // of all rounds

	Ratios []RatioTo `json:"ratios"`
}

// RatioTo compares with another summary of the same parameters, or of one topic.
type RatioTo struct {
	To     string `json:"to"`     // "contender/mode", or "one topic"
	Figure string `json:"figure"` // name of the figure in runs[]
	measure.Ratio
}

// OneTopic is what RatioTo.To names when a contender is compared with itself without background topics.
const OneTopic = "one topic"

// key tells sets of runs apart.
type key struct {
	contender, mode string
	Params
}

func (r *Run) key() key { return key{r.Contender, r.Mode, r.Params} }

// summarise sums up runs, in the order in which they first occur by parameters and contender.
func summarise(runs []Run) []Summary {
	groups := map[key][]*Run{}
	var keys []key
	for i := range runs {
		k := runs[i].key()
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], &runs[i])
	}
	summaries := []Summary{}
	for _, k := range keys {
		s := sum(groups[k])
		for _, reference := range references(k) {
			s.Ratios = append(s.Ratios, ratios(groups[k], groups[reference.key], reference.name)...)
		}
		summaries = append(summaries, s)
	}
	return summaries
}

type reference struct {
	key
	name string
}

// references are what a contender is compared with.
func references(k key) []reference {
	var all []reference
	for _, c := range [][2]string{{"c", "listener"}, {"c", "waitset"}, {"ddsperf", "listener"}, {"pinion", "critical"}, {"c", "nanosleep"}} {
		if k.contender != c[0] || k.mode != c[1] {
			all = append(all, reference{key{c[0], c[1], k.Params}, c[0] + "/" + c[1]})
		}
	}
	if k.Topics > 1 {
		alone := k
		alone.Topics = 1
		all = append(all, reference{alone, OneTopic})
	}
	return all
}

func sum(runs []*Run) Summary {
	s := Summary{Contender: runs[0].Contender, Mode: runs[0].Mode, Params: runs[0].Params}
	all, intended := measure.NewHistogram(), measure.NewHistogram()
	for _, r := range runs {
		if r.Error != "" {
			s.Errors++
			continue
		}
		s.Rounds++
		s.Sent += r.Sent
		s.Received += r.Received
		s.Lost += r.Lost
		s.OutOfOrder += r.OutOfOrder
		s.Duplicates += r.Duplicates
		s.Late += r.Late
		s.Failed += r.Failed
		s.BackgroundSent += r.BackgroundSent
		s.BackgroundReceived += r.BackgroundReceived
		all.Merge(r.Histogram)
		intended.Merge(r.HistogramIntended)
	}
	s.Figures = medians(runs, func(r *Run) measure.Figures { return r.Figures })
	s.IntendedFigures = IntendedFigures(medians(runs, func(r *Run) measure.Figures { return measure.Figures(r.IntendedFigures) }))
	s.LoopRate = medianOf(runs, func(r *Run) float64 { return r.LoopRate })
	s.AchievedRate = medianOf(runs, func(r *Run) float64 { return r.AchievedRate })
	s.Mbit = medianOf(runs, func(r *Run) float64 { return r.Mbit })
	s.LossRate = medianOf(runs, func(r *Run) float64 { return r.LossRate })
	s.FirstNumber = medianOf(runs, func(r *Run) float64 { return float64(r.FirstNumber) })
	s.Footprint = medianFootprint(runs)
	s.Stalls = allStalls(runs)
	s.All, s.AllIntended = all.Figures(), intended.Figures()
	return s
}

// medians returns the median over the rounds of each figure.
func medians(runs []*Run, of func(*Run) measure.Figures) measure.Figures {
	var result measure.Figures
	for i, to := range result.All() {
		values := perRound(runs, func(r *Run) *float64 {
			f := of(r)
			return *f.All()[i]
		})
		if len(values) > 0 {
			m := measure.Median(slices.Collect(maps.Values(values)))
			*to = &m
		}
	}
	return result
}

func medianOf(runs []*Run, of func(*Run) float64) float64 {
	values := perRound(runs, func(r *Run) *float64 { v := of(r); return &v })
	if len(values) == 0 {
		return 0
	}
	return measure.Median(slices.Collect(maps.Values(values)))
}

// compared are the figures of which ratios are formed.
var compared = []struct {
	name string
	of   func(*Run) *float64
}{
	{"p50_us", func(r *Run) *float64 { return r.Figures.P50 }},
	{"p90_us", func(r *Run) *float64 { return r.Figures.P90 }},
	{"p99_us", func(r *Run) *float64 { return r.Figures.P99 }},
	{"p50_us_intended", func(r *Run) *float64 { return r.IntendedFigures.P50 }},
	{"p90_us_intended", func(r *Run) *float64 { return r.IntendedFigures.P90 }},
	{"p99_us_intended", func(r *Run) *float64 { return r.IntendedFigures.P99 }},
	{"achieved_hz", func(r *Run) *float64 {
		if r.AchievedRate == 0 {
			return nil
		}
		return &r.AchievedRate
	}},
}

// ratios forms the ratio of each figure in each round.
func ratios(runs, to []*Run, name string) []RatioTo {
	var all []RatioTo
	for _, f := range compared {
		if r := measure.Ratios(perRound(runs, f.of), perRound(to, f.of)); r != nil {
			all = append(all, RatioTo{name, f.name, *r})
		}
	}
	return all
}

// perRound returns a figure of each round, and none if one round does not support it: a round that lost
// many messages has less to say about them, and a median over the others would be too good.
func perRound(runs []*Run, of func(*Run) *float64) map[int]float64 {
	values := map[int]float64{}
	for _, r := range runs {
		if r.Error != "" {
			continue
		}
		v := of(r)
		if v == nil {
			return nil
		}
		values[r.Round] = *v
	}
	return values
}

// noisy is by how much the control probe may move between rounds before the report calls the machine
// noisy: its median or its p99.
const noisy = 1.5

// notes returns what a reader has to know first.
func notes(r *Result) []string {
	var all []string
	for _, figure := range []struct {
		name string
		of   func(*ProbeRun) *float64
	}{{"p50", func(p *ProbeRun) *float64 { return p.P50 }}, {"p99", func(p *ProbeRun) *float64 { return p.P99 }}} {
		var values []float64
		for i := range r.Probes {
			if v := figure.of(&r.Probes[i]); v != nil {
				values = append(values, *v)
			}
		}
		if len(values) < 2 {
			continue
		}
		if least, most := slices.Min(values), slices.Max(values); most > noisy*least {
			all = append(all, fmt.Sprintf("noisy machine: the control probe's %s moved between %.1f and %.1f µs, by more than a factor of %g",
				figure.name, least, most, noisy))
		}
	}
	if share := r.Machine.StealShare(r.Seconds); share > 0.01 {
		all = append(all, fmt.Sprintf("the hypervisor kept this machine's CPUs from running %.1f %% of the time", 100*share))
	}
	// Each CPU has something else to do already.
	if load := r.Machine.Before.Average[0]; load > float64(r.Machine.Cores) && r.Machine.Cores > 0 {
		all = append(all, fmt.Sprintf("busy machine: load average %.1f on %d cores before the first run", load, r.Machine.Cores))
	}
	if r.Interrupted {
		all = append(all, fmt.Sprintf("interrupted: %d runs are there", len(r.Runs)))
	}
	return all
}

// headline returns the figures that count: from the intended time where there is one.
func (s *Summary) headline() measure.Figures {
	if s.IntendedFigures.Mean != nil {
		return measure.Figures(s.IntendedFigures)
	}
	return s.Figures
}
