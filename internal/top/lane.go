package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A lane is what one source tells about its callbacks: a lane, timer, chain or subscription of an
// executor, or a node of ROS 2.
type lane struct {
	source  string
	metrics []Metric // by their names
}

// lanesOf groups metrics, which are in the order of their sources.
func lanesOf(metrics []Metric) []lane {
	var all []lane
	for _, m := range metrics {
		if len(all) == 0 || all[len(all)-1].source != m.Source {
			all = append(all, lane{source: m.Source})
		}
		last := &all[len(all)-1]
		last.metrics = append(last.metrics, m)
	}
	return all
}

// kind ranks what an executor calls "NODE lane NAME" and the like: lanes first, subscriptions last.
func (l *lane) kind() int {
	kinds := []string{"lane", "timer", "chain"}
	words := strings.Fields(l.source)
	if len(words) > 2 && slices.Contains(kinds, words[1]) {
		return slices.Index(kinds, words[1])
	}
	return len(kinds)
}

// The metrics that have columns, each under the names that executors and ROS 2 give it, of which a
// source has one.
var (
	ages     = names{"message_age", "end_to_end"}
	jitters  = names{"wakeup_jitter", "queue_wait"}
	calls    = names{"callback_duration"}
	misses   = names{"deadline_misses"} // of which, and of overruns, the count counts
	overruns = names{"overruns"}
)

type names []string

// metric returns the metric that has one of the names, an empty one where there is none.
func (l *lane) metric(of names) *Metric {
	for i := range l.metrics {
		if slices.Contains(of, l.metrics[i].Name) {
			return &l.metrics[i]
		}
	}
	return &Metric{}
}

func mean(m *Metric) *float64 { return m.Mean }

func longest(m *Metric) *float64 { return m.Max }

// lanes is the table of lanes.
var lanes = table[lane]{
	{"SOURCE", 0, true, func(l *lane, _ int) string { return l.source }, func(a, b *lane) int {
		return cmp.Or(cmp.Compare(a.kind(), b.kind()), cmp.Compare(a.source, b.source))
	}},
	timeColumn("AGE", ages, mean),
	timeColumn("JITTER", jitters, mean),
	timeColumn("MAX", jitters, longest),
	timeColumn("CALL", calls, mean),
	timeColumn("MAX", calls, longest),
	countColumn("MISS", misses),
	countColumn("OVER", overruns),
	{"TREND", 6, true, func(l *lane, w int) string { return spark(l.trend(), w) }, longestFirst(calls, mean)},
}

// trend is that of the callbacks, of a chain that of its latency.
func (l *lane) trend() []float64 {
	if m := l.metric(calls); m.Name != "" {
		return m.trend
	}
	return l.metric(ages).trend
}

// timeColumn returns a column of a statistic that is a time.
func timeColumn(title string, metric names, of func(*Metric) *float64) column[lane] {
	return column[lane]{title, 7, false, func(l *lane, _ int) string {
		m := l.metric(metric)
		return m.text(of(m))
	}, longestFirst(metric, of)}
}

// longestFirst sorts the longest time first and unknown ones last.
func longestFirst(metric names, of func(*Metric) *float64) func(a, b *lane) int {
	key := func(l *lane) float64 {
		m := l.metric(metric)
		v := of(m)
		if v == nil {
			return -1
		}
		scale, _ := m.nanoseconds()
		return *v * scale
	}
	return func(a, b *lane) int { return cmp.Compare(key(b), key(a)) }
}

// nanoseconds returns what the unit of a time is in nanoseconds, 1 and false for other units.
func (m *Metric) nanoseconds() (float64, bool) {
	switch m.Unit {
	case "s":
		return 1e9, true
	case "ms":
		return 1e6, true
	case "us", "µs":
		return 1e3, true
	case "ns":
		return 1, true
	}
	return 1, false
}

// text prints a statistic of the metric: times with their unit.
func (m *Metric) text(v *float64) string {
	if v == nil {
		return "-"
	}
	if scale, isTime := m.nanoseconds(); isTime {
		return span(time.Duration(*v * scale))
	}
	return number(*v)
}

// countColumn returns a column of how often something happened since top runs.
func countColumn(title string, metric names) column[lane] {
	return column[lane]{title, 5, false, func(l *lane, _ int) string { return l.metric(metric).occurrences() },
		func(a, b *lane) int { return cmp.Compare(b.metric(metric).total, a.metric(metric).total) }}
}

func (m *Metric) occurrences() string {
	if m.Count == nil || m.total < 0 {
		return "-"
	}
	return count(uint64(min(m.total, 1e15)))
}

// detail tells what has no column.
func (l *lane) detail() string {
	var texts []string
	for i := range l.metrics {
		m := &l.metrics[i]
		switch _, isTime := m.nanoseconds(); {
		case slices.Contains(slices.Concat(jitters, calls, misses, overruns), m.Name):
		case slices.Contains(ages, m.Name):
			texts = append(texts, "age at most "+m.text(m.Max))
		case m.Mean == nil && m.Count != nil && !isTime:
			texts = append(texts, m.Name+" "+m.occurrences())
		case isTime && m.StdDev != nil:
			texts = append(texts, fmt.Sprintf("%s %s ± %s", m.Name, m.text(m.Mean), m.text(m.StdDev)))
		default:
			texts = append(texts, strings.TrimSpace(m.Name+" "+m.text(m.Mean)+" "+m.unit()))
		}
	}
	return strings.Join(texts, ", ")
}

// unit is what is to be printed behind a value.
func (m *Metric) unit() string {
	if _, isTime := m.nanoseconds(); isTime || m.Unit == "1" {
		return ""
	}
	return m.Unit
}
