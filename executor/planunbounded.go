package executor

import (
	"fmt"
	"slices"
	"time"
)

// Unbounded returns a fault for each topic, timer and chain with a deadline of which the analysis, by Check or
// CheckTopics, knows neither a bound nor that it may be missed. Left out are those that a name or a pattern in
// soft stands for: that their misses are counted is enough.
func (p *Plan) Unbounded(a *Analysis, soft ...string) error {
	v := validator{plan: p}
	check := func(kind, name, entry string, deadline time.Duration, unknown, late string) {
		isSoft := slices.ContainsFunc(soft, func(pattern string) bool { return matchScore(pattern, name) != noMatch })
		if deadline > 0 && unknown != "" && late == "" && !isSoft {
			v.fault(fmt.Sprintf("%s %s: no bound is known for its deadline of %v: %s", kind, name, deadline, unknown), kind+"s", entry, "deadline")
		}
	}
	for _, r := range a.Responses {
		kind, entries := "topic", p.Topics
		if r.Timer {
			kind, entries = "timer", p.Timers
		}
		entry := Topic{Name: r.Name}
		if i := closestIndex(entries, r.Name); i >= 0 {
			entry = entries[i]
		}
		check(kind, r.Name, entry.Name, r.Deadline, r.Unknown, r.Late)
	}
	for _, c := range a.Chains {
		check("chain", c.Name, c.Name, c.Deadline, c.Unknown, c.Late)
	}
	return joinFaults(v.faults)
}
