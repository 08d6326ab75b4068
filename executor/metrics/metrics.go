// Package metrics shows the statistics of an executor to Prometheus. It is apart from package executor
// so that programs that do not want it carry no HTTP server.
package metrics

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/pinion-ros/pinion/executor"
)

// ContentType is that of the text exposition format, version 0.0.4.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Handler serves the statistics of the executor as they are at each request.
func Handler(e *executor.Executor) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var text bytes.Buffer
		s := e.Stats()
		_ = Write(&text, &s) // a buffer takes everything
		w.Header().Set("Content-Type", ContentType)
		_, _ = w.Write(text.Bytes()) // the client has gone, there is nobody to tell
	})
}

// bounds are the upper ends of histogram buckets in seconds, three for each power of ten.
var bounds = []float64{
	1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.5, 1, 2, 5, 10,
}

// Write writes a snapshot in the text exposition format. Subscriptions of one node to one topic, on
// one lane, are added up.
func Write(out io.Writer, s *executor.Stats) error {
	w := &writer{out: out}
	w.topics(merge(s.Topics))
	w.chains(s.Chains)
	w.timers(s.Timers)
	w.parts(s.Parts)
	w.gauge("pinion_procs", "GOMAXPROCS when Run began.", float64(s.Budget.Procs))
	w.gauge("pinion_procs_needed", "What the budget asks GOMAXPROCS to be.", float64(s.Budget.Need()))
	return w.err
}

// merge adds up what has the same labels, and sorts.
func merge(topics []executor.TopicStats) []executor.TopicStats {
	slices.SortFunc(topics, func(a, b executor.TopicStats) int {
		return slices.Compare([]string{a.Topic, a.Node, a.Lane}, []string{b.Topic, b.Node, b.Lane})
	})
	var merged []executor.TopicStats
	for _, t := range topics {
		if n := len(merged); n > 0 && merged[n-1].Topic == t.Topic && merged[n-1].Node == t.Node && merged[n-1].Lane == t.Lane {
			merged[n-1].Add(&t.Load)
			continue
		}
		merged = append(merged, t)
	}
	return merged
}

// A writer keeps the first error.
type writer struct {
	out io.Writer
	err error
}

func (w *writer) printf(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.out, format, args...)
	}
}

func (w *writer) head(name, kind, help string) {
	w.printf("# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (w *writer) gauge(name, help string, v float64) {
	w.head(name, "gauge", help)
	w.printf("%s %s\n", name, number(v))
}

var topicCounters = []struct {
	name, help string
	of         func(*executor.TopicStats) uint64
}{
	{"pinion_messages_received_total", "Messages handed to callbacks.", func(t *executor.TopicStats) uint64 { return t.Received }},
	{"pinion_messages_lost_total", "Messages that never came.", func(t *executor.TopicStats) uint64 { return t.Lost }},
	{"pinion_messages_overwritten_total", "Messages that came and were dropped before a callback.", func(t *executor.TopicStats) uint64 { return t.Overwritten }},
	{"pinion_messages_malformed_total", "Messages that were not of the type.", func(t *executor.TopicStats) uint64 { return t.Malformed }},
	{"pinion_messages_rejected_total", "Messages that came when there was no room for them.", func(t *executor.TopicStats) uint64 { return t.Rejected }},
	{"pinion_messages_skewed_total", "Messages with a source time that cannot be right.", func(t *executor.TopicStats) uint64 { return t.Skewed }},
	{"pinion_deadline_misses_total", "Callbacks that ended after the plan's deadline.", func(t *executor.TopicStats) uint64 { return t.DeadlineMisses }},
	{"pinion_overruns_total", "Callbacks that took longer than the plan's budget.", func(t *executor.TopicStats) uint64 { return t.Overruns }},
	{"pinion_panics_total", "Callbacks that panicked.", func(t *executor.TopicStats) uint64 { return t.Panics }},
}

var topicHistograms = []struct {
	name, help string
	of         func(*executor.TopicStats) *hdrhistogram.Histogram
}{
	{"pinion_latency_seconds", "From the source time to the start of the callback.", func(t *executor.TopicStats) *hdrhistogram.Histogram { return t.Latency }},
	{"pinion_period_seconds", "Between arrivals.", func(t *executor.TopicStats) *hdrhistogram.Histogram { return t.Period }},
	{"pinion_wait_seconds", "From when the message was read from the socket to the start of the callback.", func(t *executor.TopicStats) *hdrhistogram.Histogram { return t.Wait }},
	{"pinion_callback_seconds", "Duration of callbacks.", func(t *executor.TopicStats) *hdrhistogram.Histogram { return t.Duration }},
}

func (w *writer) topics(topics []executor.TopicStats) {
	labelsOf := func(t *executor.TopicStats) string { return labels("lane", t.Lane, "node", t.Node, "topic", t.Topic) }
	for _, c := range topicCounters {
		w.head(c.name, "counter", c.help)
		for i := range topics {
			w.printf("%s{%s} %d\n", c.name, labelsOf(&topics[i]), c.of(&topics[i]))
		}
	}
	for _, h := range topicHistograms {
		w.head(h.name, "histogram", h.help)
		for i := range topics {
			w.histogram(h.name, labelsOf(&topics[i]), h.of(&topics[i]))
		}
	}
}

func (w *writer) chains(chains []executor.ChainStats) {
	w.head("pinion_chain_deadline_misses_total", "counter", "Chains that ended after the plan's deadline.")
	for _, c := range chains {
		w.printf("pinion_chain_deadline_misses_total{%s} %d\n", labels("chain", c.Name), c.DeadlineMisses)
	}
	w.head("pinion_chain_latency_seconds", "histogram", "From the first source time of the chain to the end of the callback.")
	for _, c := range chains {
		for _, s := range c.Stages {
			w.histogram("pinion_chain_latency_seconds", labels("chain", c.Name, "topic", s.Topic), s.Latency)
		}
	}
}

var timerCounters = []struct {
	name, help string
	of         func(*executor.TimerStats) uint64
}{
	{"pinion_timer_overruns_total", "Callbacks of timers that ended after the next was due.", func(t *executor.TimerStats) uint64 { return t.Overruns }},
	{"pinion_timer_over_budget_total", "Callbacks of timers that took longer than the plan's budget.", func(t *executor.TimerStats) uint64 { return t.OverBudget }},
	{"pinion_timer_deadline_misses_total", "Callbacks of timers that ended after the plan's deadline.", func(t *executor.TimerStats) uint64 { return t.DeadlineMisses }},
	{"pinion_timer_skipped_total", "Periods of timers that were left out.", func(t *executor.TimerStats) uint64 { return t.Skipped }},
	{"pinion_timer_panics_total", "Callbacks of timers that panicked.", func(t *executor.TimerStats) uint64 { return t.Panics }},
}

var timerHistograms = []struct {
	name, help string
	of         func(*executor.TimerStats) *hdrhistogram.Histogram
}{
	{"pinion_timer_jitter_seconds", "By how much callbacks of timers started late.", func(t *executor.TimerStats) *hdrhistogram.Histogram { return t.Jitter }},
	{"pinion_timer_callback_seconds", "Duration of callbacks of timers.", func(t *executor.TimerStats) *hdrhistogram.Histogram { return t.Duration }},
}

func (w *writer) timers(timers []executor.TimerStats) {
	slices.SortFunc(timers, func(a, b executor.TimerStats) int { return strings.Compare(a.Name, b.Name) })
	labelsOf := func(t executor.TimerStats) string { return labels("lane", t.Lane, "timer", t.Name) }
	for _, c := range timerCounters {
		w.head(c.name, "counter", c.help)
		for i := range timers {
			w.printf("%s{%s} %d\n", c.name, labelsOf(timers[i]), c.of(&timers[i]))
		}
	}
	for _, h := range timerHistograms {
		w.head(h.name, "histogram", h.help)
		for i := range timers {
			w.histogram(h.name, labelsOf(timers[i]), h.of(&timers[i]))
		}
	}
}

func (w *writer) parts(parts []executor.PartStats) {
	if len(parts) == 0 {
		return // it is not the first process, or the only one
	}
	w.head("pinion_part_running", "gauge", "1 where the process of the part runs.")
	for _, p := range parts {
		w.printf("pinion_part_running{%s} %d\n", labels("part", p.Name), min(p.PID, 1))
	}
	w.head("pinion_part_restarts_total", "counter", "How often the part was started again.")
	for _, p := range parts {
		w.printf("pinion_part_restarts_total{%s} %d\n", labels("part", p.Name), p.Restarts)
	}
}

// histogram writes the buckets, in seconds, of a histogram in nanoseconds. The sum is as exact as the
// histogram.
func (w *writer) histogram(name, labels string, h *hdrhistogram.Histogram) {
	bars, i, count := h.Distribution(), 0, int64(0)
	for _, bound := range bounds {
		for ; i < len(bars) && float64(bars[i].To) <= bound*1e9; i++ {
			count += bars[i].Count
		}
		w.printf("%s_bucket{%s,le=\"%s\"} %d\n", name, labels, number(bound), count)
	}
	total := h.TotalCount()
	w.printf("%s_bucket{%s,le=\"+Inf\"} %d\n", name, labels, total)
	w.printf("%s_sum{%s} %s\n", name, labels, number(h.Mean()*float64(total)/1e9))
	w.printf("%s_count{%s} %d\n", name, labels, total)
}

// labels joins names and values.
func labels(pairs ...string) string {
	var text strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(pairs[i] + `="` + escape.Replace(pairs[i+1]) + `"`)
	}
	return text.String()
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
