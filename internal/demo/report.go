package demo

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// table puts the outcomes side by side.
func table(outcomes ...outcome) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, cell func(o outcome) string) {
		fmt.Fprint(w, name)
		for _, o := range outcomes {
			fmt.Fprint(w, "\t", cell(o))
		}
		fmt.Fprintln(w)
	}
	flow := func(name string, f func(o outcome) figures) {
		row(name+" p50", func(o outcome) string { return aligned(f(o).P50) })
		row(name+" p99", func(o outcome) string { return aligned(f(o).P99) })
		row(name+" max", func(o outcome) string { return aligned(f(o).Max) })
		row(name+" lost", func(o outcome) string { return fmt.Sprintf("%d of %d", f(o).Lost(), f(o).Sent) })
	}
	row("from due time to callback", func(o outcome) string { return o.Name })
	flow("joint states, 1 kHz", func(o outcome) figures { return o.Joints })
	flow("gamepad, 250 Hz", func(o outcome) figures { return o.Gamepad })
	flow(fmt.Sprintf("%d topics, 300 Hz", backgroundTopics), func(o outcome) figures { return o.Background })
	row("commands back at the robot", func(o outcome) string { return fmt.Sprintf("%d of %d", o.CommandsReceived, o.Commands) })
	row("joint states sent late", func(o outcome) string { return fmt.Sprintf("%d, %.1f %%", o.Late, 100*o.lateShare()) })
	row("critical callback's thread", func(o outcome) string { return o.Thread })
	// A strings.Builder takes everything.
	_ = w.Flush()
	return b.String()
}

// lateShare is how many of the joint states were sent more than a period late.
func (o outcome) lateShare() float64 { return float64(o.Late) / float64(max(o.Joints.Sent, 1)) }

// verdict says what the figures say.
func verdict(shared, lane outcome) string {
	s, l := shared.Joints, lane.Joints
	if s.Received == 0 || l.Received == 0 {
		return "No verdict: one of the two parts received no joint states."
	}
	text := fmt.Sprintf("With the critical topic on its lane, 99 %% of the joint states are handled within %s, %s %s on the shared loop",
		us(l.P99), compare(s.P99, l.P99), us(s.P99))
	text += fmt.Sprintf("; the slowest took %s against %s", us(l.Max), us(s.Max))
	switch {
	case l.Lost() > s.Lost():
		text += fmt.Sprintf(", but the lane lost more of them (%d against %d).", l.Lost(), s.Lost())
	case s.Lost() > 0:
		text += fmt.Sprintf(", and the lane lost %d against %d.", l.Lost(), s.Lost())
	default:
		text += "; none was lost."
	}
	switch late := max(shared.lateShare(), lane.lateShare()); {
	case late > 0.01:
		text += fmt.Sprintf(" But the robot sent up to %.1f %% of them more than %s late, so p99 and max tell about the robot; p50 does not.",
			100*late, us(jointPeriod))
	case l.P99 >= s.P99:
		text += " On this machine, in this run, the lane did not help."
	}
	return text + worse("gamepad", shared.Gamepad, lane.Gamepad) + worse("background", shared.Background, lane.Background)
}

// worse says what the lane did to messages without one, if they had more to suffer.
func worse(name string, shared, lane figures) string {
	slower, lost := float64(lane.P99) > 1.05*float64(shared.P99), lane.Lost() > shared.Lost()
	if !slower && !lost {
		return ""
	}
	return fmt.Sprintf(" The %s messages had the worse of it with the lane: 99 %% within %s against %s, %d lost against %d.",
		name, us(lane.P99), us(shared.P99), lane.Lost(), shared.Lost())
}

// compare puts the second duration in relation to the first.
func compare(shared, lane time.Duration) string {
	ratio := float64(shared) / float64(max(lane, 1))
	switch {
	case ratio >= 1.05:
		return fmt.Sprintf("%.1f times sooner than the", ratio)
	case ratio <= 1/1.05:
		return fmt.Sprintf("%.1f times later than the", 1/ratio)
	}
	return "no different from the"
}
