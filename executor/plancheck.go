package executor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Analysis is what Plan.Check finds.
type Analysis struct {
	CPUs      []CPUUse
	Responses []Response
	Chains    []ChainResponse
}

// CPUUse is the share of a CPU that lanes of real-time policies need, as far as their load is known.
type CPUUse struct {
	CPU int
	Use float64 // 1 is all of it
}

// Response is how long a message or a timer may take, from its arrival to the end of its callback, at
// the most.
type Response struct {
	Name     string // topic or timer, or a pattern of which it is not known what it stands for
	Timer    bool   // it is a timer
	Lane     string // "" for background
	Bound    time.Duration
	Deadline time.Duration // 0 for none
	// Unknown says why there is no bound; "" where there is one.
	Unknown string
	// Late says why the deadline cannot be guaranteed; "" where it can or there is none. It is the same as
	// Unknown where there is more to do than the CPU can.
	Late string
}

// ChainResponse is how long a chain may take from the arrival of its first message to the end of the
// last callback that is on a lane. The fields are those of Response.
type ChainResponse struct {
	Name            string
	Bound, Deadline time.Duration
	Unknown, Late   string
}

// Check bounds the response times of lanes from the rates, jitters and budgets of the plan, and says
// which deadlines they may miss and why: a *Fault for each, joined. What cannot be bounded is no fault
// unless it is because there is more to do than a CPU can; Unbounded is stricter.
//
// Bounds are for lanes of the policies FIFO and RR on one CPU, which nothing but other lanes may keep
// from it; time that the kernel takes for itself has to be in the budgets.
//
// Of topics and timers that lanes have by a pattern those count that the plan names elsewhere. More may
// match, so nothing that they could delay has a bound; that what is named is too much already is found.
func (p *Plan) Check() (*Analysis, error) { return p.check(p.topicCensus(nil, false)) }

// CheckTopics is Check for a program that subscribes to the topics given, and to no others but those that
// the plan names: lanes have those of them that their patterns match.
func (p *Plan) CheckTopics(subscribed []string) (*Analysis, error) {
	return p.check(p.topicCensus(subscribed, true))
}

func (p *Plan) check(topics *census) (*Analysis, error) {
	c := newChecker(p, topics)
	responses := respondAll(c.loads, c.flows)
	for i, l := range c.loads {
		if c.entries[i] != nil {
			c.add(l, *c.entries[i], responses[l])
		}
	}
	c.background()
	c.patterns()
	c.chains(responses)
	c.use()
	return &c.Analysis, joinFaults(c.faults)
}

// A checker turns a plan into loads and responses into faults.
type checker struct {
	validator
	Analysis
	topics, timers *census

	loads   []*load
	entries []*Topic // of the loads; nil for one that only delays others
	flows   []flow
	chained []*Chain // of the flows
}

func newChecker(p *Plan, topics *census) *checker {
	c := &checker{validator: validator{plan: p}, topics: topics, timers: p.timerCensus()}
	for i := range p.Lanes {
		c.lane(i)
	}
	for i := range p.Chains {
		c.chain(&p.Chains[i])
	}
	return c
}

// lane adds the loads of a lane.
func (c *checker) lane(i int) {
	l := &c.plan.Lanes[i]
	if l.Policy == Deadline {
		c.reserve(i)
	}
	for _, name := range c.topics.on[l] {
		t := c.plan.TopicOf(name)
		c.load(i, &t, t.Priority, unknown(&t))
	}
	for _, name := range c.timers.on[l] {
		t := c.plan.TimerOf(name)
		c.load(i, &t, timerPriority, unknown(&t))
	}
	if !c.topics.complete {
		c.open(i, l.Topics, c.plan.TopicOf, 0, whichTopics)
	}
	c.open(i, l.Timers, c.plan.TimerOf, timerPriority, whichTimers)
}

// What is not known of patterns.
const (
	whichTopics = "it is not known which topics match; a list of the program's tells (CheckTopics, --topics)"
	whichTimers = "it is not known which timers match; name them on the lane"
)

// open adds a load for each pattern of which nobody knows what else it stands for.
func (c *checker) open(lane int, names []string, of func(string) Topic, priority int, why string) {
	for _, name := range names {
		if isPattern(name) {
			c.load(lane, &Topic{Name: name, Deadline: of(name).Deadline}, priority, why)
		}
	}
}

// timerPriority puts timers before all topics of their lane.
const timerPriority = maxPriority + 1

func (c *checker) load(lane int, t *Topic, priority int, why string) {
	p := &c.plan.Lanes[lane]
	l := &load{
		name: t.Name, lane: lane, kernel: c.plan.kernelPriority(p), priority: priority, woken: p.mode() == Woken, timer: priority == timerPriority,
		jitter: t.Jitter, cost: t.Budget, why: why,
	}
	if t.Rate > 0 {
		l.period = max(1, time.Duration(float64(time.Second)/t.Rate))
	}
	switch {
	case p.Policy != FIFO && p.Policy != RR:
		// It delays no lane of a real-time policy.
		l.cpu, l.why = noCPU-lane, fmt.Sprintf("policy %s is no guarantee; fifo and rr on one CPU are", policyOf(p))
	case len(p.CPUs) == 1:
		l.cpu = p.CPUs[0]
	default:
		c.migrating(l, t, p.CPUs)
		return
	}
	c.append(l, t)
}

// noCPU less the number of the lane is the CPU of lanes that are not analysed.
const noCPU = -1

func policyOf(l *Lane) Policy {
	if l.Policy == "" {
		return Other
	}
	return l.Policy
}

// migrating adds a load that is in the way on each of its CPUs, nobody knows when.
func (c *checker) migrating(l *load, t *Topic, cpus []int) {
	l.why = fmt.Sprintf("lane %s is not pinned to one CPU; give it one in cpus", c.plan.Lanes[l.lane].Name)
	l.roams = true
	if len(cpus) == 0 {
		cpus = c.pinned()
	}
	for _, cpu := range cpus {
		copied := *l
		copied.cpu = cpu
		c.append(&copied, t)
		t = nil // told once
	}
	if t != nil {
		l.cpu = noCPU - l.lane
		c.append(l, t)
	}
}

// reserve adds what a lane of policy Deadline may take of any CPU, before all others.
func (c *checker) reserve(lane int) {
	p := &c.plan.Lanes[lane]
	for _, cpu := range c.pinned() {
		c.append(&load{
			name: "lane " + p.Name, lane: lane, cpu: cpu, kernel: maxPriority + 1,
			cost: p.Runtime, period: max(p.Period, p.Within), jitter: p.Within,
		}, nil)
	}
}

// pinned lists the CPUs that lanes are pinned to.
func (c *checker) pinned() []int {
	var cpus []int
	for _, l := range c.plan.Lanes {
		if len(l.CPUs) == 1 && !slices.Contains(cpus, l.CPUs[0]) {
			cpus = append(cpus, l.CPUs[0])
		}
	}
	slices.Sort(cpus)
	return cpus
}

func (c *checker) append(l *load, t *Topic) {
	c.loads = append(c.loads, l)
	c.entries = append(c.entries, t)
}

// unknown says what the plan does not tell of a load.
func unknown(t *Topic) string {
	var missing []string
	if t.Rate == 0 {
		missing = append(missing, "rate")
	}
	if t.Budget == 0 {
		missing = append(missing, "budget")
	}
	if len(missing) == 0 {
		return ""
	}
	return "the plan has no " + strings.Join(missing, " and no ")
}

// chain makes a flow where all stages have loads, but for a last one that leaves the process.
func (c *checker) chain(chain *Chain) {
	f := flow{hop: chain.Hop}
	for i, topic := range chain.Topics {
		l := c.find(topic)
		if l == nil && i == len(chain.Topics)-1 {
			if lane := c.plan.LaneOf(topic); lane != nil && !c.topics.complete {
				f.open = fmt.Sprintf("it goes on if %s is subscribed to, on lane %s; a list of the program's topics tells (CheckTopics, --topics)", topic, lane.Name)
			}
			break
		}
		if l == nil {
			c.Chains = append(c.Chains, ChainResponse{Name: chain.Name, Deadline: chain.Deadline, Unknown: fmt.Sprintf("topic %s is in the background; put it on a lane", topic)})
			return
		}
		if i > 0 && l.period == 0 {
			l.follow(f.stages[0])
		}
		f.stages = append(f.stages, l)
	}
	c.flows = append(c.flows, f)
	c.chained = append(c.chained, chain)
}

// follow gives a stage whose rate the plan does not tell that of the source.
func (l *load) follow(source *load) {
	if l.why == (unknown(&Topic{Name: l.name, Budget: l.cost})) && l.cost > 0 && source.period > 0 {
		l.period, l.why = source.period, ""
	}
}

func (c *checker) find(topic string) *load {
	for i, l := range c.loads {
		if c.entries[i] != nil && l.name == topic {
			return l
		}
	}
	return nil
}

func (c *checker) add(l *load, t Topic, r response) {
	out := Response{Name: l.name, Timer: l.timer, Lane: c.plan.Lanes[l.lane].Name, Deadline: t.Deadline, Unknown: r.why, Bound: r.arrival}
	if r.why != "" {
		out.Bound = 0
	}
	switch {
	case r.arrival == unbounded:
		out.Late = r.why
	case t.Deadline > 0 && r.arrival > t.Deadline:
		out.Late = fmt.Sprintf("it may take %v, the deadline is %v: %s", r.arrival, t.Deadline, c.explain(l, r))
	}
	if out.Late != "" {
		c.fault(fmt.Sprintf("%s on lane %s: %s", l.name, out.Lane, out.Late), "lanes", out.Lane)
	}
	c.Responses = append(c.Responses, out)
}

// explain tells what the time of a response is made of.
func (c *checker) explain(l *load, r response) string {
	parts := []string{fmt.Sprintf("%v for its own callback", l.cost)}
	if r.blocker != nil {
		parts = append(parts, fmt.Sprintf("%v for one of %s that has begun", r.blocking, r.blocker.name))
	}
	for _, other := range r.above {
		n := other.releases(r.window)
		parts = append(parts, fmt.Sprintf("%v for %d of %s (%s)", n*other.cost, n, other.name, c.reason(l, other)))
	}
	return strings.Join(parts, ", ")
}

// reason says why other comes before l.
func (c *checker) reason(l, other *load) string {
	lane := c.plan.Lanes[other.lane].Name
	switch {
	case other.kernel > maxPriority:
		return "policy deadline comes before all others"
	case other.lane != l.lane && other.kernel == l.kernel:
		return fmt.Sprintf("lane %s has the same priority %d on CPU %d", lane, other.kernel, other.cpu)
	case other.lane != l.lane:
		return fmt.Sprintf("lane %s has priority %d on CPU %d", lane, other.kernel, other.cpu)
	case !l.woken:
		return "an inline lane goes by arrival"
	default:
		return fmt.Sprintf("priority %d on the lane", other.priority)
	}
}

// background tells of deadlines that no lane serves.
func (c *checker) background() {
	const why = "the background gives no guarantee; put it on a lane"
	for _, name := range c.topics.on[nil] {
		c.without(c.plan.TopicOf(name), false, why)
	}
	for _, name := range c.timers.on[nil] {
		c.without(c.plan.TimerOf(name), true, why)
	}
}

// without tells of a deadline without a bound.
func (c *checker) without(t Topic, timer bool, why string) {
	if t.Deadline > 0 {
		c.Responses = append(c.Responses, Response{Name: t.Name, Timer: timer, Deadline: t.Deadline, Unknown: why})
	}
}

// patterns tells of those that match nothing, or nothing that is known.
func (c *checker) patterns() {
	if !c.topics.complete {
		c.idle(c.plan.Topics, c.topics, func(l *Lane) []string { return l.Topics }, false, whichTopics)
	}
	c.idle(c.plan.Timers, c.timers, func(l *Lane) []string { return l.Timers }, true, whichTimers)
	for _, l := range c.plan.Lanes {
		for _, pattern := range l.Topics {
			if c.topics.complete && isPattern(pattern) && !c.topics.has(pattern) {
				c.Responses = append(c.Responses, Response{Name: pattern, Lane: l.Name, Unknown: "none of the topics matches it"})
			}
		}
	}
}

// idle tells of entries with a deadline that count for no name and for no pattern of a lane.
func (c *checker) idle(entries []Topic, known *census, names func(*Lane) []string, timers bool, why string) {
	used := map[int]bool{}
	for _, name := range known.names {
		used[closestIndex(entries, name)] = true
	}
	for i := range c.plan.Lanes {
		for _, name := range names(&c.plan.Lanes[i]) {
			used[closestIndex(entries, name)] = true
		}
	}
	for i, t := range entries {
		if !used[i] {
			c.without(t, timers, why)
		}
	}
}

func (c *checker) chains(responses map[*load]response) {
	for i, f := range c.flows {
		if len(f.stages) > 0 {
			c.Chains = append(c.Chains, c.chainResponse(c.chained[i], f, responses))
		}
	}
}

func (c *checker) chainResponse(chain *Chain, f flow, responses map[*load]response) ChainResponse {
	last := f.stages[len(f.stages)-1]
	r := responses[last]
	out := ChainResponse{Name: chain.Name, Deadline: chain.Deadline, Bound: r.schedule, Unknown: cmp.Or(r.why, f.open)}
	if out.Unknown != "" {
		out.Bound = 0
	}
	switch {
	case r.schedule == unbounded:
		out.Unknown = fmt.Sprintf("%s: %s", last.name, r.why)
		out.Late = out.Unknown
	case chain.Deadline > 0 && r.schedule > chain.Deadline:
		out.Late = fmt.Sprintf("it may take %v, the deadline is %v: %s", r.schedule, chain.Deadline, stagesText(f, responses))
	}
	if out.Late != "" && chain.Deadline > 0 { // without one, the fault is the topic's
		c.fault(fmt.Sprintf("chain %s: %s", chain.Name, out.Late), "chains", chain.Name, "deadline")
	}
	return out
}

// stagesText tells how far in time each stage may end.
func stagesText(f flow, responses map[*load]response) string {
	var parts []string
	for _, l := range f.stages {
		parts = append(parts, fmt.Sprintf("%s is done after %v", l.name, responses[l].schedule))
	}
	return strings.Join(parts, ", ")
}

// use sums up CPUs.
func (c *checker) use() {
	for _, cpu := range c.pinned() {
		u := CPUUse{CPU: cpu}
		for _, l := range c.loads {
			if l.cpu == cpu {
				u.Use += l.usage()
			}
		}
		c.CPUs = append(c.CPUs, u)
	}
}
