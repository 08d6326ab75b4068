package executor

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// A Fault is one thing that is wrong with a plan. It matches ErrPlan.
type Fault struct {
	File string // "" for a plan from code
	Line int    // 0 for a plan from code
	Text string
}

func (f *Fault) Error() string {
	if f.File == "" {
		return "plan: " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
}

// Is makes errors.Is(err, ErrPlan) hold.
func (f *Fault) Is(target error) bool { return target == ErrPlan }

// Bounds of what a plan may say; beyond, a mistake is more likely than the wish.
const (
	maxPriority = 99
	maxWorkers  = 1024
	maxRate     = 1e9
)

// Validate returns the faults of the plan as far as they show without a machine, all of them, each a
// *Fault.
func (p *Plan) Validate() error {
	v := validator{plan: p}
	v.all()
	return joinFaults(v.faults)
}

func (v *validator) all() {
	v.lanes()
	v.background()
	v.topics("topic", v.plan.Topics, pubsub.ValidatePattern)
	v.topics("timer", v.plan.Timers, checkTimer)
	v.chains()
	v.parts()
}

func joinFaults(faults []*Fault) error {
	errs := make([]error, len(faults))
	for i, f := range faults {
		errs[i] = f
	}
	return errors.Join(errs...)
}

// ValidateCPUs returns faults where the plan names CPUs that are not among those given.
func (p *Plan) ValidateCPUs(available []int) error {
	v := validator{plan: p}
	for _, l := range p.Lanes {
		v.available(l.CPUs, available, "lanes", l.Name, "cpus")
	}
	v.available(p.Background.CPUs, available, "background", "cpus")
	return joinFaults(v.faults)
}

// keepCPUs takes out all CPUs that are not among those given. The slices may be the user's.
func (p *Plan) keepCPUs(available []int) {
	p.Lanes = slices.Clone(p.Lanes)
	for i := range p.Lanes {
		p.Lanes[i].CPUs = common(p.Lanes[i].CPUs, available)
	}
	p.Background.CPUs = common(p.Background.CPUs, available)
}

// Unused returns a fault for each topic that the plan names, not by a pattern, and that is not among
// those given. The topics of chains may also be among the published ones.
func (p *Plan) Unused(subscribed, published []string) error {
	v := validator{plan: p}
	for _, l := range p.Lanes {
		for i, t := range l.Topics {
			if !isPattern(t) && !slices.Contains(subscribed, t) {
				v.fault(fmt.Sprintf("lane %s: no subscription uses topic %s", l.Name, t), "lanes", l.Name, "topics", i)
			}
		}
	}
	for _, t := range p.Topics {
		if !isPattern(t.Name) && !slices.Contains(subscribed, t.Name) {
			v.fault(fmt.Sprintf("topics: no subscription uses topic %s", t.Name), "topics", t.Name)
		}
	}
	for _, c := range p.Chains {
		for i, t := range c.Topics {
			if slices.Contains(subscribed, t) {
				continue
			}
			if i < len(c.Topics)-1 {
				v.fault(fmt.Sprintf("chain %s: no subscription uses topic %s", c.Name, t), "chains", c.Name, "topics", i)
			} else if !slices.Contains(published, t) {
				v.fault(fmt.Sprintf("chain %s: no subscription or publisher uses topic %s", c.Name, t), "chains", c.Name, "topics", i)
			}
		}
	}
	return joinFaults(v.faults)
}

// A validator collects faults.
type validator struct {
	plan   *Plan
	faults []*Fault
}

// fault adds one at a path into the plan, see planSource.
func (v *validator) fault(text string, path ...any) {
	f := &Fault{Text: text}
	if s := v.plan.source; s != nil {
		f.File, f.Line = s.file, s.line(path...)
	}
	v.faults = append(v.faults, f)
}

// sure tells whether a part, such as a lane, has these keys as its file says. Without a file it has.
func (v *validator) sure(kind, name string, keys ...string) bool {
	s := v.plan.source
	return s == nil || !slices.ContainsFunc(keys, func(key string) bool { return s.doubtful(kind, name, key) })
}

// allSure is sure of all lanes, or of all chains.
func (v *validator) allSure(kind string, keys ...string) bool {
	if s := v.plan.source; s != nil && s.doubtful(kind) {
		return false
	}
	for _, l := range v.plan.Lanes {
		if kind == "lanes" && !v.sure(kind, l.Name, keys...) {
			return false
		}
	}
	for _, c := range v.plan.Chains {
		if kind == "chains" && !v.sure(kind, c.Name, keys...) {
			return false
		}
	}
	return true
}

func (v *validator) lanes() {
	names := map[string]bool{}
	topics, timers := map[string]string{}, map[string]string{}
	for i := range v.plan.Lanes {
		l := &v.plan.Lanes[i]
		if l.Name == "" {
			v.fault("a lane has no name", "lanes")
		}
		if names[l.Name] {
			v.fault(fmt.Sprintf("two lanes are called %s", l.Name), "lanes", l.Name)
		}
		names[l.Name] = true
		v.lane(l)
		v.placed(l.Name, "topic", l.Topics, topics, pubsub.ValidatePattern)
		v.placed(l.Name, "timer", l.Timers, timers, checkTimer)
	}
}

// placed checks the names on a lane and that no other lane has them.
func (v *validator) placed(lane, kind string, names []string, on map[string]string, check func(string) error) {
	for i, name := range names {
		path := []any{"lanes", lane, kind + "s", i}
		if err := check(name); err != nil {
			v.fault(fmt.Sprintf("lane %s: %v", lane, err), path...)
			continue
		}
		switch other, ok := on[name]; {
		case ok && other == lane:
			v.fault(fmt.Sprintf("%s %s is on lane %s twice", kind, name, lane), path...)
		case ok:
			v.fault(fmt.Sprintf("%s %s is on lane %s and on lane %s", kind, name, other, lane), path...)
		default:
			on[name] = lane
		}
	}
}

func checkTimer(name string) error {
	if name == "" || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' }) {
		return fmt.Errorf("timer %q: a name without spaces is wanted", name)
	}
	return nil
}

func (v *validator) lane(l *Lane) {
	fault := func(key, format string, args ...any) {
		v.fault("lane "+l.Name+": "+fmt.Sprintf(format, args...), "lanes", l.Name, key)
	}
	sure := func(keys ...string) bool { return v.sure("lanes", l.Name, keys...) }
	if len(l.Topics)+len(l.Timers) == 0 && sure("topics", "timers") {
		fault("topics", "it has no topics and no timers")
	}
	switch l.Mode {
	case "", Inline, Woken:
	default:
		fault("mode", "mode %q is unknown; there are %s and %s", l.Mode, Inline, Woken)
	}
	if l.Mode == Inline && len(l.Timers) > 0 {
		fault("timers", "timers need mode %s: the thread of an inline lane waits for messages and nothing else", Woken)
	}
	if l.Isolate != "" && l.Isolate != Process {
		fault("isolate", "isolate %q is unknown; there is %s", l.Isolate, Process)
	}
	if l.Part != "" && l.Isolate == "" && sure("isolate") {
		fault("part", "part %s needs isolate %s", l.Part, Process)
	}
	if part := l.part(); part != "" && l.Name != "" && sure("part") {
		if err := checkPart(part); err != nil {
			fault("part", "%v", err)
		}
	}
	if err := checkCPUList(l.CPUs); err != nil {
		fault("cpus", "%v", err)
	}
	v.policy(l, sure, fault)
}

func (v *validator) policy(l *Lane, sure func(keys ...string) bool, fault func(key, format string, args ...any)) {
	switch l.Policy {
	case "", Other, Deadline:
		if l.Priority != 0 && sure("policy") {
			fault("priority", "priority %d needs policy fifo or rr", l.Priority)
		}
	case FIFO, RR:
		priority := v.plan.kernelPriority(l)
		known := priority != 0 || sure("priority", "topics") && v.allSure("chains", "priority", "topics")
		if known && (priority < 1 || priority > maxPriority) {
			fault("priority", "priority %d of policy %s is not in 1 to %d", priority, l.Policy, maxPriority)
		}
	default:
		fault("policy", "policy %q is unknown; there are other, fifo, rr and deadline", l.Policy)
		return
	}
	if l.Policy != Deadline {
		if (l.Runtime != 0 || l.Within != 0 || l.Period != 0) && sure("policy") {
			fault("policy", "runtime, within and period need policy deadline")
		}
		return
	}
	// The kernel wants at least 1024 ns of runtime and runtime <= deadline <= period (sched(7)).
	period := l.Period
	if period == 0 {
		period = l.Within
	}
	if (l.Runtime < 1024 || l.Runtime > l.Within || l.Within > period) && sure("runtime", "within", "period") {
		fault("policy", "policy deadline needs 1.024µs <= runtime <= within <= period, not %v, %v and %v", l.Runtime, l.Within, period)
	}
	if len(l.CPUs) > 0 {
		fault("cpus", "policy deadline and a set of CPUs exclude each other: the kernel refuses the pair outside an exclusive cpuset; leave out cpus, or take fifo")
	}
}

func checkCPUList(cpus []int) error {
	for i, c := range cpus {
		if c < 0 {
			return fmt.Errorf("CPU %d", c)
		}
		if slices.Contains(cpus[:i], c) {
			return fmt.Errorf("CPU %d is listed twice", c)
		}
	}
	return nil
}

func (v *validator) available(cpus, available []int, path ...any) {
	for i, c := range cpus {
		if !slices.Contains(available, c) {
			what := fmt.Sprint(path[0])
			if what == "lanes" {
				what = fmt.Sprintf("lane %v", path[1])
			}
			v.fault(fmt.Sprintf("%s: CPU %d does not exist or is not allowed to this process; there are %s", what, c, FormatCPUs(available)), append(path, i)...)
		}
	}
}

func (v *validator) background() {
	b := v.plan.Background
	if b.Workers < 0 || b.Workers > maxWorkers {
		v.fault(fmt.Sprintf("background: %d workers; 1 to %d are possible", b.Workers, maxWorkers), "background", "workers")
	}
	if err := checkCPUList(b.CPUs); err != nil {
		v.fault(fmt.Sprintf("background: %v", err), "background", "cpus")
	}
}

func (v *validator) topics(kind string, entries []Topic, check func(string) error) {
	names := map[string]bool{}
	for _, t := range entries {
		fault := func(key, format string, args ...any) {
			v.fault(kind+" "+t.Name+": "+fmt.Sprintf(format, args...), kind+"s", t.Name, key)
		}
		if err := check(t.Name); err != nil {
			v.fault(fmt.Sprintf("%ss: %v", kind, err), kind+"s", t.Name)
		}
		if names[t.Name] {
			fault("", "it is there twice")
		}
		names[t.Name] = true
		if t.Priority < 0 || t.Priority > maxPriority {
			fault("priority", "priority %d is not in 0 to %d", t.Priority, maxPriority)
		}
		if !(t.Rate >= 0 && t.Rate <= maxRate) || math.IsInf(1/t.Rate, 0) && t.Rate != 0 {
			fault("rate", "rate %v is not in 0 to %v messages per second", t.Rate, float64(maxRate))
		}
		v.times(fault, map[string]time.Duration{"jitter": t.Jitter, "budget": t.Budget, "deadline": t.Deadline})
	}
}

func (v *validator) times(fault func(key, format string, args ...any), times map[string]time.Duration) {
	for _, key := range slices.Sorted(maps.Keys(times)) {
		if times[key] < 0 {
			fault(key, "%s %v is negative", key, times[key])
		}
	}
}

func (v *validator) chains() {
	names := map[string]bool{}
	for i := range v.plan.Chains {
		c := &v.plan.Chains[i]
		fault := func(key, format string, args ...any) {
			v.fault("chain "+c.Name+": "+fmt.Sprintf(format, args...), "chains", c.Name, key)
		}
		if c.Name == "" {
			v.fault("a chain has no name", "chains")
		}
		if names[c.Name] {
			fault("", "there are two")
		}
		names[c.Name] = true
		if c.Priority < 0 || c.Priority > maxPriority {
			fault("priority", "priority %d is not in 0 to %d", c.Priority, maxPriority)
		}
		v.times(fault, map[string]time.Duration{"deadline": c.Deadline, "hop": c.Hop})
		v.chainTopics(c)
	}
}

func (v *validator) chainTopics(c *Chain) {
	fault := func(i int, format string, args ...any) {
		v.fault("chain "+c.Name+": "+fmt.Sprintf(format, args...), "chains", c.Name, "topics", i)
	}
	if len(c.Topics) < 2 && v.sure("chains", c.Name, "topics") {
		v.fault(fmt.Sprintf("chain %s: %d topics; a chain has at least two", c.Name, len(c.Topics)), "chains", c.Name, "topics")
	}
	lanesSure := c.Priority > 0 && v.allSure("lanes", "topics") // which lane a topic has
	for i, t := range c.Topics {
		if err := pubsub.ValidatePattern(t); err != nil {
			fault(i, "%v", err)
			continue
		}
		if isPattern(t) {
			fault(i, "%s is a pattern; a chain names its topics", t)
		}
		if c.stage(t) != i {
			fault(i, "topic %s is there twice", t)
		}
		l := v.plan.LaneOf(t)
		if lanesSure && l != nil && (l.Policy == FIFO || l.Policy == RR) && l.Priority != 0 && l.Priority < c.Priority {
			fault(i, "topic %s is on lane %s, whose priority %d is below the chain's %d", t, l.Name, l.Priority, c.Priority)
		}
	}
}
