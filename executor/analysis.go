package executor

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// The response-time analysis follows Joseph and Pandya, "Finding Response Times in a Real-Time System"
// (The Computer Journal 29(5), 1986) and Audsley, Burns, Richardson, Tindell and Wellings, "Applying
// new scheduling theory to static priority pre-emptive scheduling" (Software Engineering Journal 8(5),
// 1993), which adds blocking and release jitter. Responses longer than the period are found as Lehoczky
// does, "Fixed priority scheduling of periodic task sets with arbitrary deadlines" (RTSS 1990), by
// looking at every message of the longest busy period.
//
// What is different here is that callbacks on one lane do not preempt each other. An inline lane handles
// messages as they come; counting all of its other messages as interference covers every order of
// arrival. A woken lane starts the most urgent message that is ready, so that a less urgent one may be
// in the way, once in a busy period: that is blocking. (Not so where another lane of the CPU has the same
// priority in the kernel, whose backlog can grow with each less urgent message; nor for a timer that has
// to wait while timers run, itself or others, because a message follows each round of timers. Such
// callbacks count as interference.) What then arrives while a callback runs is counted
// as if it preempted it, which makes the bound longer than needed, never shorter.

// A load is a source of messages as the analysis sees it: they come at least period apart, each up to
// jitter late, and need cost on the thread of a lane.
type load struct {
	name                 string
	lane                 int // position in the plan
	cpu                  int
	kernel               int // priority of the lane's thread
	priority             int // on the lane
	woken, timer         bool
	period, jitter, cost time.Duration
	roams                bool   // it may be on another CPU
	why                  string // what it needs, or when, is not known, and why; "" otherwise
}

// Limits of what is looked at. A load that needs more is practically unbounded, or so odd that its plan
// is wrong.
const (
	horizon   = time.Minute // of a busy period
	maxSteps  = 1_000_000   // of the recurrences of one load
	maxRounds = 1000        // of passing jitter along chains
)

// unbounded is the response time on an overloaded CPU, and the jitter of what follows.
const unbounded = time.Duration(math.MaxInt64)

// A rank says how a load delays another.
type rank int

const (
	harmless rank = iota
	below         // a message of it can be in the way because it runs already
	above         // any number of messages can come first
)

// rank returns how other delays l, see tied.
func (l *load) rank(other *load, tied bool) rank {
	switch {
	case other == l || other.cpu != l.cpu:
		return harmless
	case other.lane != l.lane && other.kernel >= l.kernel:
		return above
	case other.lane != l.lane:
		return harmless
	case l.woken && other.priority < l.priority && !tied:
		return below
	default:
		return above
	}
}

// tied tells whether another lane of the CPU has the same priority in the kernel, or another timer is on
// a timer's lane.
func (l *load) tied(all []*load) bool {
	return slices.ContainsFunc(all, func(o *load) bool {
		if o.cpu != l.cpu || o == l {
			return false
		}
		return o.lane != l.lane && o.kernel == l.kernel || o.lane == l.lane && o.timer && l.timer
	})
}

// releases returns how many messages come within a window at the most.
func (l *load) releases(window time.Duration) time.Duration {
	return (window + l.jitter + l.period - 1) / l.period
}

// A response bounds how long messages of a load take.
type response struct {
	arrival  time.Duration // from the arrival to the end of the callback
	schedule time.Duration // from when the message would have come without jitter
	window   time.Duration // the busy time that the longest arrival saw, in which others interfered
	blocking time.Duration // of it, for a callback that could not be overtaken
	blocker  *load
	above    []*load
	why      string // there is no bound, and why
}

// respond finds the response of a load among all.
func (l *load) respond(all []*load) response {
	return l.bound(all, l.tied(all))
}

func (l *load) bound(all []*load, tied bool) response {
	r := l.rivals(all, tied)
	if r.arrival == unbounded || l.why != "" {
		return r
	}
	steps := maxSteps
	busy := settle(&steps, r.blocking+l.cost, func(w time.Duration) time.Duration {
		return r.blocking + l.releases(w)*l.cost + interference(r.above, w)
	})
	if busy == unbounded {
		return r.overloaded(l)
	}
	if l.timer && !tied && l.releases(busy) > 1 {
		return l.bound(all, true) // it may wait for itself
	}
	for q := range l.releases(busy) {
		own := r.blocking + (q+1)*l.cost
		w := settle(&steps, own, func(w time.Duration) time.Duration { return own + interference(r.above, w) })
		if w == unbounded {
			return r.overloaded(l)
		}
		r.schedule = max(r.schedule, w-q*l.period+l.jitter)
		if arrival := w - max(0, q*l.period-l.jitter); arrival > r.arrival {
			r.arrival, r.window = arrival, w
		}
	}
	return r
}

// rivals returns a response that knows who delays the load. Where there is no bound, those in it are known
// to, and what they need is the least.
func (l *load) rivals(all []*load, tied bool) response {
	r := response{why: l.why}
	usage := l.usage()
	for _, other := range all {
		rank := l.rank(other, tied)
		if rank == harmless {
			continue
		}
		if other.why != "" && r.why == "" {
			r.why = fmt.Sprintf("%s can delay it, and there %s", other.name, other.why)
		}
		switch {
		case !other.counts():
		case rank == above:
			r.above = append(r.above, other)
			usage += other.usage()
		case other.cost > r.blocking:
			r.blocking, r.blocker = other.cost, other
		}
	}
	// What all of them need is known to be too much, or to let the sums below stay small.
	if usage > 1+1e-9 && !l.roams && !isPattern(l.name) {
		return r.overloaded(l)
	}
	return r
}

// counts tells whether it is known how often the load needs its CPU at the most.
func (l *load) counts() bool { return l.period > 0 && !l.roams && l.cpu >= 0 }

// usage is the share of its CPU that the load takes, 0 where that is not known.
func (l *load) usage() float64 {
	switch {
	case !l.counts():
		return 0
	case l.jitter > horizon || l.cost > horizon:
		return math.Inf(1)
	}
	return float64(l.cost) / float64(l.period)
}

func (r response) overloaded(l *load) response {
	r.arrival, r.schedule = unbounded, unbounded
	usage := l.usage()
	for _, other := range r.above {
		usage += other.usage()
	}
	least := ""
	if r.why != "" {
		least = "at least "
	}
	r.why = fmt.Sprintf("it and what goes before it need %s%.1f %% of CPU %d", least, 100*usage, l.cpu)
	if usage <= 1 {
		r.why += fmt.Sprintf(" and keep it busy for more than %v at a time", horizon)
	}
	return r
}

func interference(above []*load, window time.Duration) time.Duration {
	var sum time.Duration
	for _, other := range above {
		sum += other.releases(window) * other.cost
	}
	return sum
}

// settle returns the least w >= start with f(w) = w, for f that does not fall, or unbounded. It counts
// down steps.
func settle(steps *int, start time.Duration, f func(time.Duration) time.Duration) time.Duration {
	for w := start; w <= horizon && *steps > 0; *steps-- {
		next := f(w)
		if next == w {
			return w
		}
		w = next
	}
	return unbounded
}

// A flow is a chain whose topics have loads. Each message of a stage is caused by one of the stage
// before, so it is late by as much as that one may take, less the shortest time that it takes, for which
// zero is taken (the holistic analysis of Tindell and Clark, "Holistic schedulability analysis for
// distributed hard real-time systems", Microprocessing and Microprogramming 40, 1994).
type flow struct {
	stages []*load
	hop    time.Duration
	open   string // the flow may go on, and why that is not known; "" otherwise
}

// respondAll returns the responses of all loads, with the jitter that flows bring. A later stage's
// schedule is that of its flow's first one.
func respondAll(loads []*load, flows []flow) map[*load]response {
	for round := 0; ; round++ {
		if round == maxRounds {
			giveUp(flows)
		}
		responses := make(map[*load]response, len(loads))
		for _, l := range loads {
			responses[l] = l.respond(loads)
		}
		if !spread(responses, flows) {
			return responses
		}
	}
}

// giveUp is for chains whose jitters raise each other for ever.
func giveUp(flows []flow) {
	for _, f := range flows {
		for _, l := range f.stages[1:] {
			l.why = "the plan's chains delay each other in a circle"
		}
	}
}

// spread raises jitters to the responses of the stages before and tells whether one has changed.
func spread(responses map[*load]response, flows []flow) (changed bool) {
	for _, f := range flows {
		for i, l := range f.stages[1:] {
			before := responses[f.stages[i]]
			if before.why != "" {
				if l.why == "" {
					l.why, changed = fmt.Sprintf("%s comes before it in a chain, and there %s", f.stages[i].name, before.why), true
				}
				continue
			}
			if late := before.schedule + f.hop; late > l.jitter {
				l.jitter, changed = late, true
			}
		}
	}
	return changed
}
