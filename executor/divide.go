package executor

import (
	"errors"
	"fmt"

	"github.com/pinion-ros/pinion/pubsub"
)

// addParts prepares the other processes, in the first one.
func (e *Executor) addParts() error {
	if self.name != "" {
		return nil
	}
	cpus, err := AllowedCPUs()
	for _, part := range e.plan.AllParts() {
		e.parts[part.Name] = newProcess(part, e, cpus)
	}
	return err
}

// failedParts tells which parts have failed, after they were stopped.
func (e *Executor) failedParts() error {
	var errs []error
	for _, part := range e.plan.AllParts() {
		if p := e.parts[part.Name]; p != nil {
			errs = append(errs, p.failed())
		}
	}
	return errors.Join(errs...)
}

// laneCalled returns what runs a lane of the plan, nil where there is none.
func (e *Executor) laneCalled(name string) server {
	for i := range e.plan.Lanes {
		if l := &e.plan.Lanes[i]; l.Name == name {
			if s := e.serverOfLane(l); e.lanes[name] != nil || isElsewhere(s) {
				return s
			}
		}
	}
	return nil
}

// Parts is for package pubsub.
func (e *Executor) Parts() (own string, others []string) {
	for _, part := range e.plan.AllParts() {
		if e.parts[part.Name] != nil {
			others = append(others, part.Name)
		}
	}
	return self.name, others
}

// HasSubscription is for package pubsub.
func (e *Executor) HasSubscription(r *pubsub.Receiver) (bool, error) {
	s := e.serverOf(r.Topic())
	if !isElsewhere(s) {
		return true, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.groups.add(r, s.exclusion(r)); err != nil {
		return false, err
	}
	e.away[r] = struct{}{}
	return false, nil
}

// A use is a hint that callbacks publish.
type use struct{ topics, timers []string }

// UsedBy has a publisher exist in the processes of a program in which the callbacks for these topics
// run, named as NewSubscription was given them. Where no lane of the plan is isolated it means nothing.
//
// Without UsedBy and UsedByTimer, a publisher is where the callback runs that creates it; that of a topic
// of a chain is where the topic before it is subscribed to; and all others are in the first process.
// Elsewhere, Publish returns pubsub.ErrOtherPart.
func UsedBy(topics ...string) pubsub.PublisherOption {
	return pubsub.WithPublisherHint(use{topics: topics})
}

// UsedByTimer is UsedBy for callbacks of timers that the plan has on lanes, or that are in the background.
func UsedByTimer(timers ...string) pubsub.PublisherOption {
	return pubsub.WithPublisherHint(use{timers: timers})
}

// HasPublisher is for package pubsub.
func (e *Executor) HasPublisher(n *pubsub.Node, topic string, hints []any) (bool, error) {
	if self.name == "" && len(e.parts) == 0 {
		return true, nil
	}
	marked := false
	for _, hint := range hints {
		u, ok := hint.(use)
		if !ok {
			continue
		}
		marked = true
		if here, err := e.uses(n, u); here || err != nil {
			return here, err
		}
	}
	switch {
	case marked:
		return false, nil
	case e.inCallback():
		return true, nil
	}
	return e.followsHere(topic), nil
}

func (e *Executor) uses(n *pubsub.Node, u use) (bool, error) {
	for _, name := range u.topics {
		topic, err := n.ResolveTopic(name)
		if err != nil {
			return false, fmt.Errorf("used by topic %s: %w", name, err)
		}
		if !isElsewhere(e.serverOf(topic)) {
			return true, nil
		}
	}
	for _, name := range u.timers {
		if !isElsewhere(e.serverOfLane(e.plan.LaneOfTimer(name))) {
			return true, nil
		}
	}
	return false, nil
}

// inCallback tells whether a part's lane calls. In the first process it does not matter.
func (e *Executor) inCallback() bool {
	for _, l := range e.lanes {
		if l.current() {
			return true
		}
	}
	return false
}

// followsHere tells whether what a topic follows in chains is in this process, and for topics that follow
// none whether this is the first.
func (e *Executor) followsHere(topic string) bool {
	here, follows := false, false
	for _, c := range e.plan.Chains {
		if i := c.stage(topic); i > 0 {
			follows = true
			here = here || !isElsewhere(e.serverOf(c.Topics[i-1]))
		}
	}
	if follows {
		return here
	}
	return self.name == ""
}
