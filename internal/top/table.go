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
