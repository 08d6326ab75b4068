package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pinion-ros/pinion/internal/wrap"
)

// Report is all that the doctor found.
type Report struct {
	Checks   []Result  `json:"checks"`
	Measured []Latency `json:"measured,omitempty"`
}

// Bad tells whether something will not work.
func (r *Report) Bad() bool {
	for _, c := range r.Checks {
		if c.Status == Bad {
			return true
		}
	}
	return false
}

// Print writes the report for people. Commands have a line each, to be copied.
func (r *Report) Print(w io.Writer) {
	width := 0
	for _, c := range r.Checks {
		width = max(width, len(c.Check))
	}
	for _, l := range r.Measured {
		width = max(width, len(l.Name))
	}
	row := func(status, name, text string) {
		head := fmt.Sprintf("%-8s %-*s  ", status, width, name)
		fmt.Fprintln(w, head+wrap.Text(text, len(head)))
	}
	more := func(text string) { fmt.Fprintf(w, "%9s%s\n", "", text) }
	for _, c := range r.Checks {
		row(string(c.Status), c.Check, c.Found)
		if c.Why != "" {
			more(wrap.Text(c.Why, 9))
		}
		for _, f := range c.Fix {
			if !strings.HasPrefix(f, "#") {
				f = "$ " + f
			}
			more(f)
		}
	}
	for _, l := range r.Measured {
		if l.Count == 0 {
			row(string(Unknown), l.Name, l.Note)
			continue
		}
		row("measured", l.Name, fmt.Sprintf("p50 %.0f µs, p99 %.0f µs, max %.0f µs", l.P50, l.P99, l.Max))
		if l.Note != "" {
			more(wrap.Text(l.Note, 9))
		}
	}
	fmt.Fprintf(w, "\n%s\n", r.summary())
}

// sysctlsGo is said of every "sysctl -w".
const sysctlsGo = `What "sysctl -w" sets is gone after a restart: for good, write the same KEY=VALUE lines to /etc/sysctl.d/60-pinion.conf.`

func setsSysctls(c Result) bool {
	return slices.ContainsFunc(c.Fix, func(f string) bool { return strings.Contains(f, "sysctl -w ") })
}

// summary counts, and explains the exit status.
func (r *Report) summary() string {
	counts := map[Status]int{}
	for _, c := range r.Checks {
		counts[c.Status]++
	}
	text := fmt.Sprintf("%d checks: %d good, %d warnings, %d bad, %d unknown. ",
		len(r.Checks), counts[Good], counts[Warning], counts[Bad], counts[Unknown])
	if r.Bad() {
		text += "The exit status is 1: something will not work."
	} else {
		text += "The exit status is 0: nothing is bad."
	}
	if slices.ContainsFunc(r.Checks, func(c Result) bool { return len(c.Fix) > 0 }) {
		text += ` "pinion doctor --fix" prints the commands above as a script.`
	}
	if slices.ContainsFunc(r.Checks, setsSysctls) {
		text += " " + sysctlsGo
	}
	return wrap.Text(text, 0)
}

// Script writes the fixes as a shell script. Nothing of it is run here.
func (r *Report) Script(w io.Writer) {
	fmt.Fprintln(w, "#!/bin/sh\n# What pinion doctor would change on this machine. Read it before you run it.\nset -eu\n"+
		"[ \"$(id -u)\" -ne 0 ] || sudo() { \"$@\"; }")
	if slices.ContainsFunc(r.Checks, setsSysctls) {
		fmt.Fprintln(w, "\n# "+strings.ReplaceAll(wrap.Text(sysctlsGo, 2), "\n  ", "\n# "))
	}
	for _, c := range r.Checks {
		if len(c.Fix) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n# %s: %s\n%s\n", c.Check, c.Found, strings.Join(c.Fix, "\n"))
	}
}
