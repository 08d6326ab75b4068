package top

import (
	"cmp"
	"slices"
	"strings"
)

// A column of a table of rows of type R.
type column[R any] struct {
	title string
	width int // 0 for what the others leave
	left  bool
	text  func(r *R, width int) string
	order func(a, b *R) int // how rows are sorted by it, the more interesting first
}

// A table shows rows. Its methods do not change it.
type table[R any] []column[R]

// header returns the titles, that of the column sorted by marked.
func (t table[R]) header(width, sorted int) string {
	var cells []string
	for i, c := range t {
		title := c.title
		if i == sorted {
			title += "▾"
		}
		cells = append(cells, c.cell(title, t.widthOf(i, width)))
	}
	return cut(strings.Join(cells, " "), width)
}

func (t table[R]) row(r *R, width int) string {
	var cells []string
	for i, c := range t {
		w := t.widthOf(i, width)
		cells = append(cells, c.cell(c.text(r, w), w))
	}
	return cut(strings.Join(cells, " "), width)
}

func (c *column[R]) cell(text string, width int) string {
	if c.left {
		return fit(text, width)
	}
	return right(text, width)
}

// narrowest is what a column without a width has at least.
const narrowest = 8

// widthOf returns the width of column i in a table that is as wide as given.
func (t table[R]) widthOf(i, width int) int {
	if t[i].width > 0 {
		return t[i].width
	}
	flexible := 0
	width -= len(t) - 1
	for _, c := range t {
		width -= c.width
		if c.width == 0 {
			flexible++
		}
	}
	return max(width/flexible, narrowest)
}

// sort sorts rows by a column. Equal rows keep their order.
func (t table[R]) sort(rows []R, by int, reverse bool) {
	slices.SortStableFunc(rows, func(a, b R) int {
		if reverse {
			a, b = b, a
		}
		return t[by].order(&a, &b)
	})
}

// topics is the table of topics.
var topics = table[Topic]{
	{"TOPIC", 0, true, func(t *Topic, _ int) string { return t.Name }, func(a, b *Topic) int { return cmp.Compare(a.Name, b.Name) }},
	{"HZ", 7, false, func(t *Topic, _ int) string { return number(t.Rate) }, func(a, b *Topic) int { return cmp.Compare(b.Rate, a.Rate) }},
	{"B/s", 6, false, func(t *Topic, _ int) string { return number(t.Bandwidth) }, func(a, b *Topic) int { return cmp.Compare(b.Bandwidth, a.Bandwidth) }},
	{"P50", 7, false, func(t *Topic, _ int) string { return t.latency(p50) }, byLatency(p50)},
	{"P99", 7, false, func(t *Topic, _ int) string { return t.latency(p99) }, byLatency(p99)},
	{"LOST", 6, false, func(t *Topic, _ int) string { return count(t.Lost) }, func(a, b *Topic) int { return cmp.Compare(b.Lost, a.Lost) }},
	{"TREND", 10, true, func(t *Topic, w int) string { return spark(t.trend, w) }, func(a, b *Topic) int { return cmp.Compare(b.Rate, a.Rate) }},
	{"!", 2, false, func(t *Topic, _ int) string { return mark(len(t.Warnings)) }, func(a, b *Topic) int { return cmp.Compare(len(b.Warnings), len(a.Warnings)) }},
}

func mark(warnings int) string {
	if warnings == 0 {
		return ""
	}
	return count(uint64(min(warnings, 99)))
}

// lanes is the table of metrics.
var lanes = table[Metric]{
	{"SOURCE", 0, true, func(m *Metric, _ int) string { return m.Source }, func(a, b *Metric) int { return cmp.Compare(a.Source, b.Source) }},
	{"METRIC", 0, true, func(m *Metric, _ int) string { return m.Name }, func(a, b *Metric) int { return cmp.Compare(a.Name, b.Name) }},
	{"UNIT", 5, true, func(m *Metric, _ int) string { return cut(m.Unit, 5) }, func(a, b *Metric) int { return cmp.Compare(a.Unit, b.Unit) }},
	{"MEAN", 6, false, func(m *Metric, _ int) string { return optional(m.Mean) }, byValue(func(m *Metric) *float64 { return m.Mean })},
	{"MAX", 6, false, func(m *Metric, _ int) string { return optional(m.Max) }, byValue(func(m *Metric) *float64 { return m.Max })},
	{"STDDEV", 6, false, func(m *Metric, _ int) string { return optional(m.StdDev) }, byValue(func(m *Metric) *float64 { return m.StdDev })},
	{"COUNT", 6, false, func(m *Metric, _ int) string { return optionalCount(m.Count) }, byValue(func(m *Metric) *float64 { return m.Count })},
	{"TREND", 8, true, func(m *Metric, w int) string { return spark(m.trend, w) }, byValue(func(m *Metric) *float64 { return m.Mean })},
}

func optional(v *float64) string {
	if v == nil {
		return "-"
	}
	return number(*v)
}

func optionalCount(v *float64) string {
	if v == nil || *v < 0 {
		return "-"
	}
	return count(uint64(min(*v, 1e15)))
}

// byValue sorts the largest first and unknown ones last.
func byValue(of func(*Metric) *float64) func(a, b *Metric) int {
	return func(a, b *Metric) int {
		x, y := of(a), of(b)
		switch {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return 1
		case y == nil:
			return -1
		}
		return cmp.Compare(*y, *x)
	}
}
