package doctor

import (
	"fmt"
	"io"
	"strings"
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

// Print writes the report for people.
func (r *Report) Print(w io.Writer) {
	for _, c := range r.Checks {
		fmt.Fprintf(w, "%-8s %-28s %s\n", c.Status, c.Check, c.Found)
		if c.Why != "" {
			fmt.Fprintf(w, "%9s%s\n", "", c.Why)
		}
		for _, f := range c.Fix {
			fmt.Fprintf(w, "%9s$ %s\n", "", f)
		}
	}
	for _, l := range r.Measured {
		fmt.Fprintf(w, "measured %-28s p50 %.0f µs, p99 %.0f µs, max %.0f µs (%d)\n", l.Name, l.P50, l.P99, l.Max, l.Count)
		if l.Note != "" {
			fmt.Fprintf(w, "%9s%s\n", "", l.Note)
		}
	}
}

// Script writes the fixes as a shell script. Nothing of it is run here.
func (r *Report) Script(w io.Writer) {
	fmt.Fprintln(w, "#!/bin/sh\n# What pinion doctor would change on this machine. Read it before you run it.\nset -eu\n"+
		"[ \"$(id -u)\" -ne 0 ] || sudo() { \"$@\"; }")
	for _, c := range r.Checks {
		if len(c.Fix) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n# %s: %s\n%s\n", c.Check, c.Found, strings.Join(c.Fix, "\n"))
	}
}
