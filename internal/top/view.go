package top

import (
	"fmt"
	"slices"
	"strings"
)

// A view is what a terminal shows of frames, and what its user has chosen.
type view struct {
	width, height int
	color         bool

	frame   *Frame
	onLanes bool
	topics  list[Topic]
	lanes   list[lane]
	paused  bool
	help    bool
}

func newView(width, height int, color bool) *view {
	return &view{
		width: width, height: height, color: color, frame: &Frame{},
		topics: list[Topic]{table: topics, name: func(t *Topic) string { return t.Name }},
		lanes:  list[lane]{table: lanes, name: func(l *lane) string { return l.source }},
	}
}

// A list is a table of which a part is visible and a row is selected.
type list[R any] struct {
	table    table[R]
	name     func(*R) string
	rows     []R
	by       int // column that rows are sorted by
	reverse  bool
	selected string // name of a row
	first    int    // visible row
}

// set takes over new rows.
func (l *list[R]) set(rows []R) {
	l.rows = slices.Clone(rows)
	l.sort()
}

func (l *list[R]) sort() { l.table.sort(l.rows, l.by, l.reverse) }

// cursor returns the index of the selected row, the first if that is gone.
func (l *list[R]) cursor() int {
	return max(0, slices.IndexFunc(l.rows, func(r R) bool { return l.name(&r) == l.selected }))
}

// current returns the selected row, nil for none.
func (l *list[R]) current() *R {
	if len(l.rows) == 0 {
		return nil
	}
	return &l.rows[l.cursor()]
}

func (l *list[R]) move(by int) {
	if len(l.rows) > 0 {
		l.selected = l.name(&l.rows[min(max(l.cursor()+by, 0), len(l.rows)-1)])
	}
}

func (l *list[R]) sortBy(step int) {
	l.by = (l.by + step + len(l.table)) % len(l.table)
	l.sort()
}

func (l *list[R]) press(k key, page int) {
	switch k {
	case keyUp, 'k':
		l.move(-1)
	case keyDown, 'j':
		l.move(1)
	case keyPageUp:
		l.move(-page)
	case keyPageDown:
		l.move(page)
	case keyHome, 'g':
		l.move(-len(l.rows))
	case keyEnd, 'G':
		l.move(len(l.rows))
	case 's', '>':
		l.sortBy(1)
	case 'S', '<':
		l.sortBy(-1)
	case 'r':
		l.reverse = !l.reverse
		l.sort()
	}
}

// visible returns the rows for a place of the given height, which has the selected one in it, and
// which of them is selected.
func (l *list[R]) visible(height int) (rows []R, selected int) {
	at := l.cursor()
	l.first = min(l.first, at, max(0, len(l.rows)-height))
	l.first = max(l.first, at-height+1)
	return l.rows[l.first:min(l.first+max(height, 0), len(l.rows))], at - l.first
}

// update takes over a frame unless the view is paused.
func (v *view) update(f *Frame) {
	if v.paused {
		return
	}
	v.frame = f
	v.topics.set(f.Topics)
	v.lanes.set(lanesOf(f.Metrics))
}

// press does what a key stands for, and tells whether to end.
func (v *view) press(k key) (quit bool) {
	if v.help {
		v.help = false
		return k == keyInterrupt
	}
	switch k {
	case 'q', keyInterrupt:
		return true
	case '?', 'h':
		v.help = true
	case 'p', ' ':
		v.paused = !v.paused
	case 'l', '\t':
		v.onLanes = !v.onLanes
	default:
		if v.onLanes {
			v.lanes.press(k, v.page())
		} else {
			v.topics.press(k, v.page())
		}
	}
	return false
}

// frameLines are those around the table's rows: summary, header, detail and keys.
const frameLines = 4

func (v *view) page() int { return max(v.height-frameLines, 1) }

// render returns the screen, a string for each of its lines.
func (v *view) render() []string {
	if v.help {
		return v.screen(v.plain(helpText...), nil)
	}
	body, detail := tableLines(&v.topics, v), v.topicDetail()
	if v.onLanes {
		body, detail = tableLines(&v.lanes, v), v.laneDetail()
	}
	return v.screen(append(v.plain(v.summary()), body...), v.plain(detail, keysText))
}

// plain makes lines of texts.
func (v *view) plain(texts ...string) []string {
	var lines []string
	for _, t := range texts {
		lines = append(lines, cut(t, v.width))
	}
	return lines
}

// screen puts lines at the upper and at the lower end.
func (v *view) screen(upper, lower []string) []string {
	lines := make([]string, v.height)
	copy(lines, upper)
	if v.height > len(lower) {
		copy(lines[v.height-len(lower):], lower)
	}
	return lines
}

const keysText = "q quit  arrows select  s sort  r reverse  l lanes/topics  space pause  ? help"

var helpText = []string{
	"pinion top", "",
	"  arrows, j k, PgUp PgDn, g G   select a row; its details are below the table",
	"  s or >, S or <                sort by the next or previous column",
	"  r                             reverse the order",
	"  l or Tab                      topics, or callbacks as nodes publish them:",
	"                                by executors, or ROS 2 topic statistics",
	"  space or p                    pause",
	"  q or Ctrl-C                   quit", "",
	"  HZ, B/s    messages and bytes per second, as they arrive at this machine",
	"  P50, P99   time from the publisher's stamp to the arrival here, of the last",
	"             1024 messages; between machines as good as their clocks agree",
	"  LOST       messages that did not arrive here, or were dropped",
	"  !          number of warnings: QoS or types that do not fit each other",
	"  AGE        from the publisher's stamp to the callback, of chains to their end",
	"  JITTER     from when a callback could have started to when it did: mean and MAX",
	"  CALL       in the callback: mean and MAX; all of the last period published",
	"  MISS, OVER deadlines and budgets exceeded since top runs, where a plan has them", "",
	"any key goes back",
}

func (v *view) summary() string {
	rate, bandwidth, bad := 0.0, 0.0, 0
	for _, t := range v.frame.Topics {
		rate, bandwidth = rate+t.Rate, bandwidth+t.Bandwidth
		if len(t.Warnings) > 0 {
			bad++
		}
	}
	state := ""
	if v.paused {
		state = "PAUSED  "
	}
	text := fmt.Sprintf("pinion top  %sdomain %d  %d topics  %s msg/s  %s B/s", state, v.frame.Domain, len(v.frame.Topics), number(rate), number(bandwidth))
	if bad > 0 {
		text += fmt.Sprintf("  %d with warnings", bad)
	}
	return text
}

func (v *view) topicDetail() string {
	t := v.topics.current()
	if t == nil {
		return v.frame.empty()
	}
	text := fmt.Sprintf("%s  %d pub, %d sub", t.Type, t.Publishers, t.Subscriptions)
	if len(t.Warnings) > 0 {
		text = strings.Join(t.Warnings, "; ")
	}
	return text
}

func (v *view) laneDetail() string {
	l := v.lanes.current()
	if l == nil {
		return "nobody publishes " + metricsType + ", as executors do with PublishStatistics"
	}
	return l.source + "  " + l.detail()
}

// The styles of lines, in the notation of ECMA-48.
const (
	reversed = "\x1b[7m"
	warned   = "\x1b[31m"
	plain    = "\x1b[0m"
)

// tableLines returns header and visible rows of a list.
func tableLines[R any](l *list[R], v *view) []string {
	lines := []string{reversed + fit(l.table.header(v.width, l.by), v.width) + plain}
	rows, selected := l.visible(v.page())
	for i := range rows {
		line := l.table.row(&rows[i], v.width)
		t, isTopic := any(&rows[i]).(*Topic)
		if isTopic && len(t.Warnings) > 0 && v.color {
			line = warned + line + plain
		}
		if i == selected {
			line = reversed + line + plain
		}
		lines = append(lines, line)
	}
	return lines
}
