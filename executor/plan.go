package executor

import (
	"errors"
	"time"
)

// Policy is a scheduling policy of the kernel, see sched(7).
type Policy string

// The policies of lanes.
const (
	Other    Policy = "other"
	FIFO     Policy = "fifo"
	RR       Policy = "rr"
	Deadline Policy = "deadline"
)

// Mode says on which thread the callbacks of a lane run.
type Mode string

const (
	// Inline callbacks run on the thread that reads the sockets, in the order of arrival: no hop, and
	// a callback that blocks blocks the lane's reception. What comes meanwhile stays in the socket, up to
	// its size, and is delivered afterwards, all of it in order, whatever the subscription's history.
	// Load says what shows that.
	Inline Mode = "inline"
	// Woken callbacks run on a thread that the reading one wakes, by priority. They may block; what comes
	// meanwhile is in the subscription's history.
	Woken Mode = "woken"
)

// Isolation says what a lane shares with the rest of the program.
type Isolation string

// The isolations of lanes; "" is none.
const (
	Process Isolation = "process" // the lane runs in another process of the program, see Part
)

// Plan says which topics have lanes, what serves the rest, and what is known about the load. The zero
// Plan has everything in the background.
type Plan struct {
	Lanes      []Lane
	Background Background
	Topics     []Topic
	Timers     []Topic // of the same form; their names are not those of topics
	Chains     []Chain
	Parts      []PartPlan // about the processes of isolated lanes; those that need nothing said are left out

	source *planSource // nil for a plan from code
}

// Lane is a thread that serves its topics from socket to callback.
type Lane struct {
	Name string
	// Topics are full topic names, after remapping, or patterns, see Plan.LaneOf.
	Topics []string
	// Timers are names or patterns of timers whose callbacks run on the lane.
	Timers   []string
	Mode     Mode      // "" is Inline, or Woken where there are timers; decides what a late callback does to messages
	Isolate  Isolation // "" is none
	Part     string    // the process of an isolated lane, which several may share; "" is one called as the lane
	CPUs     []int     // the thread runs on these only; none: on all
	Policy   Policy    // "" is Other
	Priority int       // 1 to 99 for FIFO and RR, 0 otherwise

	// Runtime is what policy Deadline gives the thread in each Period, at the latest Within the start
	// of the period, see sched(7). Period 0 is Within.
	Runtime, Within, Period time.Duration
}

// mode returns the mode in force.
func (l *Lane) mode() Mode {
	switch {
	case l.Mode != "":
		return l.Mode
	case len(l.Timers) > 0:
		return Woken
	}
	return Inline
}

// receiving returns the scheduling of the threads that wake a woken lane. They go first where the kernel
// orders by priority, or else what is urgent would wait in the socket while the lane is busy. A deadline
// thread runs before all others anyway, and its share of the CPU is its own.
func (l *Lane) receiving() Lane {
	r := Lane{Name: l.Name, CPUs: l.CPUs, Policy: l.Policy}
	switch l.Policy {
	case FIFO, RR:
		r.Priority = min(l.Priority+1, maxPriority)
	case Deadline:
		r.Policy, r.Priority = FIFO, 1
	}
	return r
}

// Background is the pool that serves all topics without a lane.
type Background struct {
	Workers int   // threads, 0 for 1
	CPUs    []int // the workers run on these only; none: on all
}

// Topic is what is known and wanted of a topic or a timer. All but Name is optional.
type Topic struct {
	// Name is a full topic name or a pattern, see Plan.TopicOf.
	Name string
	// Priority orders topics that are ready at the same time on a woken lane or in the pool, 0 to 99,
	// higher first.
	Priority int
	// Rate is how many messages come per second at the most.
	Rate float64
	// Jitter is by how much an arrival may be late against an even spacing.
	Jitter time.Duration
	// Budget is how long a callback takes at the most. Longer ones are reported.
	Budget time.Duration
	// Deadline is how long after its arrival (pubsub.MessageInfo.Arrival) a message must have been handled.
	// Misses are counted. It is not the QoS policy DEADLINE, which is about messages that do not come.
	Deadline time.Duration
}

// Chain is a flow of messages through several topics: each one but the first is published in the
// callback of the one before. The end-to-end latency is counted from the source time of the first
// message to the end of the last callback in this process.
//
// Publishers of the second and later topics hand on the source time: what they publish in a callback
// carries the source time of the message that the callback handles, on the wire too, except with
// PublishAt. What other goroutines publish carries its own.
type Chain struct {
	Name string
	// Topics are full names in the order of the flow, at least two. The last may have no subscription
	// here, as a command that leaves the program.
	Topics []string
	// Priority, 1 to 99 or 0 for none, is the least priority of every topic of the chain. Lanes of the
	// policies FIFO and RR that serve it must have at least this priority, or none: then they take it.
	Priority int
	// Deadline is how long the whole chain may take. Misses are counted.
	Deadline time.Duration
	// Hop is how long a message travels from a callback to the next topic's socket at the most, for
	// Check only.
	Hop time.Duration
}

// ErrPlan is what all faults of a plan match.
var ErrPlan = errors.New("plan")

// LaneOf returns the lane of a topic, nil for a background topic. A lane that has the name itself
// wins, then the pattern with most literal characters, then the first in the plan.
//
// [pubsub.MatchName] says what a pattern stands for.
func (p *Plan) LaneOf(topic string) *Lane {
	return p.serving(topic, func(l *Lane) []string { return l.Topics })
}

// LaneOfTimer returns the lane of a timer, nil for the background, as LaneOf does.
func (p *Plan) LaneOfTimer(timer string) *Lane {
	return p.serving(timer, func(l *Lane) []string { return l.Timers })
}

func (p *Plan) serving(name string, names func(*Lane) []string) *Lane {
	var best *Lane
	score := noMatch
	for i := range p.Lanes {
		for _, pattern := range names(&p.Lanes[i]) {
			if s := matchScore(pattern, name); s > score {
				best, score = &p.Lanes[i], s
			}
		}
	}
	return best
}

// TopicOf returns what the plan says about a topic, its name filled in, with the priority of its
// chains where that is higher. Of several entries that match, one counts, as for LaneOf.
func (p *Plan) TopicOf(name string) Topic {
	t := closest(p.Topics, name)
	for _, c := range p.Chains {
		if c.stage(name) >= 0 {
			t.Priority = max(t.Priority, c.Priority)
		}
	}
	return t
}

// TimerOf returns what the plan says about a timer, as TopicOf does.
func (p *Plan) TimerOf(name string) Topic { return closest(p.Timers, name) }

func closest(entries []Topic, name string) Topic {
	var t Topic
	if i := closestIndex(entries, name); i >= 0 {
		t = entries[i]
	}
	t.Name = name
	return t
}

// closestIndex returns which entry counts for a name, -1 for none.
func closestIndex(entries []Topic, name string) int {
	best, score := -1, noMatch
	for i := range entries {
		if s := matchScore(entries[i].Name, name); s > score {
			best, score = i, s
		}
	}
	return best
}

// stage returns the position of a topic in the chain, -1 if it is not there.
func (c *Chain) stage(topic string) int {
	for i, t := range c.Topics {
		if t == topic {
			return i
		}
	}
	return -1
}

// kernelPriority returns the priority of the lane's thread: its own, or else that of its chains.
func (p *Plan) kernelPriority(l *Lane) int {
	priority := l.Priority
	if priority != 0 || l.Policy != FIFO && l.Policy != RR {
		return priority
	}
	for _, c := range p.Chains {
		for _, topic := range c.Topics {
			if p.LaneOf(topic) == l {
				priority = max(priority, c.Priority)
			}
		}
	}
	return priority
}
