package plancmd

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pinion-ros/pinion/executor"
)

// report writes what the plan does and what it guarantees.
func report(out io.Writer, p *executor.Plan, a *executor.Analysis) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, l := range p.Lanes {
		fmt.Fprintf(w, "lane %s\t%s\t%s\n", l.Name, scheduling(&l), strings.Join(append(l.Topics, l.Timers...), " "))
	}
	fmt.Fprintf(w, "background\t%s\tall other topics\n", background(&p.Background))
	for _, part := range p.AllParts() {
		fmt.Fprintf(w, "part %s\t%s\t%s\n", part.Name, keeping(&part), "lanes "+strings.Join(p.LanesIn(part.Name), " "))
	}
	w.Flush()
	for _, c := range a.CPUs {
		fmt.Fprintf(out, "lanes use %.1f %% of CPU %d, as far as the plan tells\n", 100*c.Use, c.CPU)
	}
	responses(out, a)
}

// namesTopics tells whether a plan names topics that may be misspelt.
func namesTopics(p *executor.Plan) bool {
	return len(p.Topics)+len(p.Chains) > 0 || slices.ContainsFunc(p.Lanes, func(l executor.Lane) bool { return len(l.Topics) > 0 })
}

func responses(out io.Writer, a *executor.Analysis) {
	if len(a.Responses)+len(a.Chains) == 0 {
		return
	}
	fmt.Fprintln(out, "\nat the most, from arrival to the end of the callback:")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range a.Responses {
		fmt.Fprintf(w, "  %s\t%s\n", r.Name, bound(r.Bound, r.Deadline, r.Unknown, r.Late))
	}
	for _, c := range a.Chains {
		fmt.Fprintf(w, "  chain %s\t%s\n", c.Name, bound(c.Bound, c.Deadline, c.Unknown, c.Late))
	}
	w.Flush()
}

// bound is "1.5ms, deadline 2ms: kept".
func bound(bound, deadline time.Duration, unknown, late string) string {
	text := bound.String()
	switch {
	case unknown != "" && late == unknown:
		text = "OVERLOADED: " + unknown
	case unknown != "" && late != "":
		text = "may be MISSED by what is known alone: " + unknown
	case unknown != "":
		text = "not known: " + unknown
	}
	switch {
	case deadline == 0:
		return text
	case unknown != "":
		return fmt.Sprintf("deadline %v, %s", deadline, text)
	case late == "":
		return fmt.Sprintf("%s, deadline %v: kept", text, deadline)
	default:
		return fmt.Sprintf("%s, deadline %v: may be MISSED", text, deadline)
	}
}

func scheduling(l *executor.Lane) string {
	mode, policy := l.Mode, l.Policy
	switch {
	case mode != "":
	case len(l.Timers) > 0:
		mode = executor.Woken
	default:
		mode = executor.Inline
	}
	if policy == "" {
		policy = executor.Other
	}
	text := fmt.Sprintf("%s, %s", mode, policy)
	switch {
	case l.Priority != 0:
		text += fmt.Sprintf(" %d", l.Priority)
	case l.Policy == executor.Deadline:
		text += fmt.Sprintf(" %v within %v of %v", l.Runtime, l.Within, max(l.Period, l.Within))
	case l.Policy == executor.FIFO || l.Policy == executor.RR:
		text += " as its chains"
	}
	text += ", " + cpus(l.CPUs)
	return text
}

// keeping is "a process, restarted on-failure after 100ms, has 10s to stop".
func keeping(p *executor.PartPlan) string {
	text := "a process, "
	if p.Restart == executor.Never {
		text += "not restarted"
	} else {
		text += fmt.Sprintf("restarted %s after %v", p.Restart, p.Backoff)
	}
	return text + fmt.Sprintf(", has %v to stop", p.Stop)
}

func background(b *executor.Background) string {
	if b.Workers > 1 {
		return fmt.Sprintf("%d workers, %s", b.Workers, cpus(b.CPUs))
	}
	return "1 worker, " + cpus(b.CPUs)
}

func cpus(list []int) string {
	switch len(list) {
	case 0:
		return "any CPU"
	case 1:
		return fmt.Sprintf("CPU %d", list[0])
	default:
		return "CPUs " + executor.FormatCPUs(list)
	}
}
