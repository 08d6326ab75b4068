package top

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// A lane is what one source tells about its callbacks: a subscription of an executor, a whole lane, or
// a node of ROS 2.
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

// The metrics that have columns, as executors and ROS 2 name them.
const (
	age      = "message_age"
	period   = "message_period"
	wait     = "queue_wait"
	callback = "callback_duration"
	misses   = "deadline_misses" // of which the count counts
)

// metric returns the metric of a name, an empty one where there is none.
func (l *lane) metric(name string) *Metric {
	for i := range l.metrics {
		if l.metrics[i].Name == name {
			return &l.metrics[i]
		}
	}
	return &Metric{}
}

// lanes is the table of lanes.
var lanes = table[lane]{
	{"SOURCE", 0, true, func(l *lane, _ int) string { return l.source }, func(a, b *lane) int { return cmp.Compare(a.source, b.source) }},
	timeColumn("AGE", age, func(m *Metric) *float64 { return m.Mean }),
	timeColumn("MAX", age, func(m *Metric) *float64 { return m.Max }),
	timeColumn("WAIT", wait, func(m *Metric) *float64 { return m.Mean }),
	timeColumn("CALL", callback, func(m *Metric) *float64 { return m.Mean }),
	timeColumn("MAX", callback, func(m *Metric) *float64 { return m.Max }),
	timeColumn("JITTER", period, func(m *Metric) *float64 { return m.StdDev }),
	{"MISS", 5, false, func(l *lane, _ int) string { return l.misses() }, func(a, b *lane) int { return cmp.Compare(b.metric(misses).total, a.metric(misses).total) }},
	{"TREND", 6, true, func(l *lane, w int) string { return spark(l.metric(callback).trend, w) }, longestFirst(callback, func(m *Metric) *float64 { return m.Mean })},
}

// timeColumn returns a column of a statistic that is a time.
func timeColumn(title, metric string, of func(*Metric) *float64) column[lane] {
	return column[lane]{title, 7, false, func(l *lane, _ int) string {
		m := l.metric(metric)
		return m.text(of(m))
	}, longestFirst(metric, of)}
}

// longestFirst sorts the longest time first and unknown ones last.
func longestFirst(metric string, of func(*Metric) *float64) func(a, b *lane) int {
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

func (l *lane) misses() string {
	m := l.metric(misses)
	if m.Count == nil || m.total < 0 {
		return "-"
	}
	return count(uint64(min(m.total, 1e15)))
}

// detail prints the means of all metrics, those without a column too.
func (l *lane) detail() string {
	var texts []string
	for i := range l.metrics {
		m := &l.metrics[i]
		text := m.Name + " " + m.text(m.Mean)
		if _, isTime := m.nanoseconds(); !isTime && m.Unit != "" {
			text += " " + m.Unit
		}
		if m.Count != nil {
			text += fmt.Sprintf(" (%s)", number(*m.Count))
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}
