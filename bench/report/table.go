package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/hosts/link"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/bench/suite"
)

// A table has as many cells in each row as columns. The first Text columns hold words, the others
// numbers.
type table struct {
	Title   string
	Note    string
	Columns []string
	Text    int
	Rows    [][]string
}

// tables returns what both forms of the report show.
func tables(r *suite.Result) []table {
	all := results(r)
	if len(r.Probes) > 0 {
		all = append(all, probes(r))
	}
	all = append(all, machineTable(r))
	if t := threads(r); len(t.Rows) > 0 {
		all = append(all, t)
	}
	return append(all, contenders(r))
}

// results returns one table for each set of parameters.
func results(r *suite.Result) []table {
	switch r.Scenario {
	case "matrix":
		return matrixTables(r)
	case "perftest":
		return perftestTables(r)
	case "transport":
		return transportTables(r)
	case "codec":
		return []table{codecTable(r)}
	case "footprint":
		return []table{footprintTable(r)}
	case "timer":
		return []table{timerTable(r)}
	}
	var all []table
	for _, group := range byParams(r) {
		t := table{Title: group[0].Params.String(), Text: 1, Note: note(r, group[0]),
			Columns: []string{"contender", "p50", "p90", "p99", "p99.9", "p99.99", "max", "mean", "std", "lost", "p50 to C", "p99 to C", "p99 min", "p99 max"}}
		for _, s := range group {
			f, all := headline(s), s.All
			if intended(s) {
				all = s.AllIntended
			}
			row := []string{s.Contender + " " + s.Mode, us(f.P50), us(f.P90), us(f.P99), us(all.P999), us(all.P9999), us(all.Max), us(f.Mean), us(f.StdDev), lost(s)}
			row = append(row, ratio(s, "p50", func(m measure.Ratio) float64 { return m.Median }))
			for _, of := range []func(measure.Ratio) float64{
				func(m measure.Ratio) float64 { return m.Median }, func(m measure.Ratio) float64 { return m.Min }, func(m measure.Ratio) float64 { return m.Max },
			} {
				row = append(row, ratio(s, "p99", of))
			}
			t.Rows = append(t.Rows, row)
		}
		all = append(all, t)
	}
	return all
}

// byParams groups summaries with the same parameters.
func byParams(r *suite.Result) [][]suite.Summary {
	var groups [][]suite.Summary
	for _, s := range r.Summary {
		i := slices.IndexFunc(groups, func(g []suite.Summary) bool { return g[0].Params == s.Params })
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], s)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b suite.Summary) int {
			return cmp.Or(cmp.Compare(a.Contender, b.Contender), cmp.Compare(a.Mode, b.Mode))
		})
	}
	return groups
}

func note(r *suite.Result, s suite.Summary) string {
	what := "round trips in µs, whole"
	if intended(s) {
		what = "µs from the time at which a message should have been sent to its callback, one way"
	}
	return fmt.Sprintf("%s; medians over %s, but p99.9, p99.99 and max of all rounds together; ratios to the C listener within rounds: median, least and greatest. Lower is better.", what, rounds(s.Rounds))
}

func intended(s suite.Summary) bool { return s.IntendedFigures.Mean != nil }

// headline returns the figures from the intended time where there are some.
func headline(s suite.Summary) measure.Figures {
	if intended(s) {
		return measure.Figures(s.IntendedFigures)
	}
	return s.Figures
}

func us(v *float64) string {
	switch {
	case v == nil:
		return "–"
	case *v >= 100:
		return fmt.Sprintf("%.0f", *v)
	}
	return fmt.Sprintf("%.1f", *v)
}

func lost(s suite.Summary) string {
	if s.Errors > 0 {
		return fmt.Sprintf("%d (%d runs failed)", s.Lost, s.Errors)
	}
	return fmt.Sprint(s.Lost)
}

func ratio(s suite.Summary, figure string, of func(measure.Ratio) float64) string {
	return ratioOf(s, "c/listener", figure, of)
}

func ratioOf(s suite.Summary, to, figure string, of func(measure.Ratio) float64) string {
	name := figure + "_us"
	if intended(s) {
		name += "_intended"
	}
	for _, r := range s.Ratios {
		if r.To == to && r.Figure == name {
			return fmt.Sprintf("%.2f", of(r.Ratio))
		}
	}
	return "–"
}

func probes(r *suite.Result) table {
	t := table{Title: "Control probe", Text: 1, Columns: []string{"placement", "runs", "p50 least", "p50 greatest", "p99 least", "p99 greatest"},
		Note: "Round trips in µs of the same bytes between two pinned threads over a UDP socket on the loopback interface, without DDS: the floor."}
	byPlacement := map[string][]suite.ProbeRun{}
	var order []string
	for _, p := range r.Probes {
		name := fmt.Sprintf("%s, %d B", p.Placement, p.Size)
		if byPlacement[name] == nil {
			order = append(order, name)
		}
		byPlacement[name] = append(byPlacement[name], p)
	}
	for _, name := range order {
		row := []string{name, fmt.Sprint(len(byPlacement[name]))}
		for _, of := range []func(suite.ProbeRun) *float64{
			func(p suite.ProbeRun) *float64 { return p.P50 }, func(p suite.ProbeRun) *float64 { return p.P99 },
		} {
			var values []float64
			for _, p := range byPlacement[name] {
				if v := of(p); v != nil {
					values = append(values, *v)
				}
			}
			if len(values) == 0 {
				row = append(row, "–", "–")
				continue
			}
			least, most := slices.Min(values), slices.Max(values)
			row = append(row, us(&least), us(&most))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func machineTable(r *suite.Result) table {
	m := r.Machine
	load := func(l [3]float64) string { return fmt.Sprintf("%.2f %.2f %.2f", l[0], l[1], l[2]) }
	t := table{Title: "Machine", Text: 2, Columns: []string{"what", "value"}, Note: "As the kernel tells."}
	add := func(what, value string) { t.Rows = append(t.Rows, []string{what, cmp.Or(value, "–")}) }
	add("when", m.Time+fmt.Sprintf(", for %.0f s", r.Seconds))
	add("system", m.System+", kernel "+m.Kernel)
	add("preemption", m.Preemption)
	add("CPU", fmt.Sprintf("%s, %d cores, allowed %s", m.CPU, m.Cores, m.AllowedCPUs))
	add("governor", m.Governor)
	add("isolated CPUs, nohz_full", cmp.Or(m.Isolated, "none")+", "+cmp.Or(m.NoHzFull, "none"))
	add("virtualised", m.Virtualised)
	add("real-time limits", fmt.Sprintf("rtprio %s, %s µs per period, root %v", m.RTLimit, m.RTRuntime, m.Root))
	add("memory, memlock limit", fmt.Sprintf("%.1f GiB, %s", float64(m.MemoryBytes)/(1<<30), m.MemoryLock))
	add("load before", load(m.Before.Average))
	if m.After != nil {
		add("load after", load(m.After.Average))
		add("steal", fmt.Sprintf("%.2f s", m.After.Steal-m.Before.Steal))
	}
	add("versions", fmt.Sprintf("Cyclone DDS %s, %s %s", m.Cyclone, m.Go, m.Arch))
	add("Go runtime of the harness", fmt.Sprintf("GOMAXPROCS %d, GOGC %d, policy %s", m.MaxProcs, m.GOGC, m.Policy))
	add("network", r.Network)
	for i, c := range r.Link {
		add(fmt.Sprintf("frames from host %d", i+1), frames(c))
	}
	add("sender", r.Sender)
	if len(r.Runs) > 0 {
		placement := r.Runs[0].Placement
		add("placement", placement+": "+suite.Placements[placement])
	}
	return t
}

func frames(c link.Counters) string {
	return fmt.Sprintf("%d offered, %d forwarded, %d lost, %d duplicated, %d reordered, %d over a queue's limit, %d while down",
		c.Offered, c.Forwarded, c.Lost, c.Duplicated, c.Reordered, c.Overflowed, c.Down)
}

// threads tells how the threads that are not like all others were scheduled, once per contender.
func threads(r *suite.Result) table {
	t := table{Title: "Scheduling in force", Text: 5, Columns: []string{"contender", "side", "threads", "of them real-time", "Go runtime and notes"},
		Note: "Of the last run of each contender, read back from the kernel while it ran; name, policy, priority and CPUs of real-time threads."}
	seen := map[string]bool{}
	for i := len(r.Runs) - 1; i >= 0; i-- {
		run := r.Runs[i]
		name := run.Contender + " " + run.Mode
		if seen[name] || run.Error != "" {
			continue
		}
		seen[name] = true
		if run.Receiver != nil {
			t.Rows = append(t.Rows, []string{name, "receiver", fmt.Sprint(len(run.Receiver.Threads)), realTime(run.Receiver), goRuntime(run.Go)})
		}
		if run.Sender != nil && !seen["sender"] {
			seen["sender"] = true
			t.Rows = append(t.Rows, []string{r.Sender, "sender", fmt.Sprint(len(run.Sender.Threads)), realTime(run.Sender), ""})
		}
	}
	slices.SortFunc(t.Rows, func(a, b []string) int { return slices.Compare(a, b) })
	return t
}

func realTime(u *contender.Usage) string {
	var all []string
	for _, thread := range u.Threads {
		if thread.Policy != "other" {
			all = append(all, fmt.Sprintf("%s %s %d on %s", thread.Name, thread.Policy, thread.Priority, thread.CPUs))
		}
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

func goRuntime(g *contender.GoRuntime) string {
	if g == nil {
		return ""
	}
	text := fmt.Sprintf("%s, GOMAXPROCS %d, GOGC %d, %d collections", g.Version, g.MaxProcs, g.GOGC, g.Collections)
	return strings.Join(append([]string{text}, g.Notes...), "; ")
}

func contenders(r *suite.Result) table {
	t := table{Title: "Contenders", Text: 3, Columns: []string{"contender", "what it is", "took part"}}
	for _, c := range r.Contenders {
		t.Rows = append(t.Rows, []string{c.Name + " " + c.Mode, c.What, cmp.Or(c.Missing, "yes")})
	}
	return t
}
