package executor

import (
	"errors"
	"fmt"
	"slices"
)

// Policy is a scheduling policy of the kernel, see sched(7).
type Policy string

// The policies of lanes.
const (
	Other Policy = "other"
	FIFO  Policy = "fifo"
	RR    Policy = "rr"
)

// Plan says which topics have lanes, and what serves the rest.
type Plan struct {
	Lanes      []Lane
	Background Background
}

// Lane is a thread that serves its topics from socket to callback.
type Lane struct {
	Name     string
	Topics   []string // full topic names, after remapping
	CPUs     []int    // the thread runs on these only; none: on all
	Policy   Policy   // "" is Other
	Priority int      // 1 to 99 for FIFO and RR, 0 otherwise
}

// Background is the pool that serves all topics without a lane.
type Background struct {
	Workers int   // threads, 0 for 1
	CPUs    []int // the workers run on these only; none: on all
}

// ErrPlan is what all faults of a plan match.
var ErrPlan = errors.New("plan")

// Validate returns the faults of the plan as far as they show without a machine, all of them.
func (p *Plan) Validate() error {
	var errs []error
	fault := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrPlan}, args...)...))
	}
	names, topics := map[string]bool{}, map[string]string{}
	for _, l := range p.Lanes {
		if l.Name == "" {
			fault("a lane has no name")
		}
		if names[l.Name] {
			fault("two lanes are called %s", l.Name)
		}
		names[l.Name] = true
		if err := l.validate(); err != nil {
			fault("lane %s: %w", l.Name, err)
		}
		for _, t := range l.Topics {
			if other, ok := topics[t]; ok {
				fault("topic %s is on lane %s and on lane %s", t, other, l.Name)
			}
			topics[t] = l.Name
		}
	}
	if p.Background.Workers < 0 {
		fault("background: %d workers", p.Background.Workers)
	}
	if err := validateCPUs(p.Background.CPUs); err != nil {
		fault("background: %w", err)
	}
	return errors.Join(errs...)
}

func (l *Lane) validate() error {
	if len(l.Topics) == 0 {
		return errors.New("it has no topics")
	}
	for _, t := range l.Topics {
		if t == "" || t[0] != '/' {
			return fmt.Errorf("topic %q does not start with a slash; a plan has full names", t)
		}
	}
	switch l.Policy {
	case "", Other:
		if l.Priority != 0 {
			return fmt.Errorf("priority %d needs policy fifo or rr", l.Priority)
		}
	case FIFO, RR:
		if l.Priority < 1 || l.Priority > 99 {
			return fmt.Errorf("priority %d of policy %s is not in 1 to 99", l.Priority, l.Policy)
		}
	default:
		return fmt.Errorf("policy %q is unknown; there are other, fifo and rr", l.Policy)
	}
	return validateCPUs(l.CPUs)
}

func validateCPUs(cpus []int) error {
	for _, c := range cpus {
		if c < 0 {
			return fmt.Errorf("CPU %d", c)
		}
	}
	return nil
}

// lane returns the lane of a topic, nil for a background topic.
func (p *Plan) lane(topic string) *Lane {
	for i := range p.Lanes {
		if slices.Contains(p.Lanes[i].Topics, topic) {
			return &p.Lanes[i]
		}
	}
	return nil
}
