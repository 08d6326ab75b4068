package pubsub

import (
	"errors"
	"fmt"
	"slices"

	"go.uber.org/zap"
)

// ErrOtherPart is returned by operations on a publisher or subscription that is in another process of
// the program, see Divider.
var ErrOtherPart = errors.New("it is in another process of the program")

// A Divider is a Scheduler of a program that runs as several processes, its parts, which share one
// text. It decides which publishers and subscriptions are in this one.
//
// The others exist as handles without life. Nothing comes in: callbacks are not called, counters stay
// zero, Take returns an error that is ErrNoMessage as well as ErrOtherPart, and All waits. Nothing goes
// out: Publish returns ErrOtherPart, as does what waits for peers. GUIDs are zero. Close works.
type Divider interface {
	Scheduler

	// Parts returns the name of this process, "" for the first one, and there those of the others.
	Parts() (own string, others []string)

	// HasSubscription tells whether the subscription is in this process. If it is not, Place is not
	// called, and Remove is, in the end.
	HasSubscription(r *Receiver) (bool, error)

	// HasPublisher tells whether a publisher is in this process, from its node, its topic, and what
	// was said by WithPublisherHint.
	HasPublisher(n *Node, topic string, hints []any) (bool, error)
}

// WithPublisherHint tells the node's scheduler something about the publisher that the scheduler
// understands. Other schedulers ignore it.
func WithPublisherHint(hint any) PublisherOption {
	return func(o *publisherOptions) { o.hints = append(o.hints, hint) }
}

// WithPublisherInEveryPart makes the publisher in each process of the program, see Divider: for what a
// process tells of itself. Without a Divider it means nothing.
func WithPublisherInEveryPart() PublisherOption {
	return func(o *publisherOptions) { o.everywhere = true }
}

// hasSubscription tells whether the subscription is in this process.
func (n *Node) hasSubscription(r *Receiver) (bool, error) {
	d, ok := n.scheduler.(Divider)
	if !ok {
		return true, nil
	}
	return d.HasSubscription(r)
}

func (n *Node) hasPublisher(topic string, o *publisherOptions) (bool, error) {
	d, ok := n.scheduler.(Divider)
	if !ok || o.everywhere {
		return true, nil
	}
	return d.HasPublisher(n, topic, o.hints)
}

// exclude makes the subscription a handle without life. s is a poll, or the divider.
func (r *Receiver) exclude(s Scheduler) {
	r.scheduler, r.absent, r.matched.absent = s, true, true
	r.events = r.node.session.events.box(r.topic, nil)
}

func (r *Receiver) finishAbsent() {
	r.node.scheduler.Remove(r)
	if r.scheduler != r.node.scheduler {
		r.scheduler.Remove(r)
	}
}

// exclude makes the publisher a handle without life.
func (s *sender) exclude() {
	s.absent, s.matched.absent, s.intra = true, true, nil
	s.events = s.node.session.events.box(s.topic, nil)
}

// refuse returns an error for a publisher that is elsewhere, and logs the first.
func (s *sender) refuse() error {
	if !s.absent {
		return nil
	}
	if !s.refused.Swap(true) {
		s.node.log.Warn("nothing is published here: the publisher is in another process of the program", zap.String("topic", s.topic))
	}
	return ErrOtherPart
}

// announcedName is the node's name in the graph. The program's first process announces the node; those
// of others are hidden, as are those that stand for receive paths.
func (n *Node) announcedName() string {
	if n.part == "" {
		return n.Name()
	}
	return hiddenNode(n.Name(), "part", n.part)
}

// joinParts finds out what the node is in the program.
func (n *Node) joinParts() {
	d, ok := n.scheduler.(Divider)
	if !ok {
		return
	}
	var others []string
	n.part, others = d.Parts()
	if len(others) > 0 {
		go n.followParts(others)
	}
}

// followParts keeps the list of what the node has in the program's other processes, until the node is
// closed. So the node's own list can have that too, as it has what is on receive paths.
func (n *Node) followParts(parts []string) {
	var names []string
	for _, part := range parts {
		names = append(names, hiddenNode(n.Name(), "part", part))
	}
	for {
		changed := n.GraphChanged()
		readers, writers, err := n.listed(names)
		if err == nil {
			err = n.adoptParts(readers, writers)
		}
		if errors.Is(err, ErrClosed) {
			return
		}
		if err != nil {
			n.log.Error("announce what other processes have of the node", zap.Error(err))
		}
		select {
		case <-changed:
		case <-n.done:
			return
		}
	}
}

// listed returns the endpoints that the graph lists for nodes of the names, in this node's namespace.
func (n *Node) listed(names []string) (readers, writers []GUID, err error) {
	err = n.view(func(g *graph) {
		for _, p := range g.participants {
			for _, e := range p.nodes {
				if e.namespace == n.Namespace() && slices.Contains(names, e.name) {
					readers, writers = append(readers, e.readers...), append(writers, e.writers...)
				}
			}
		}
	})
	slices.SortFunc(readers, GUID.compare)
	slices.SortFunc(writers, GUID.compare)
	return readers, writers, err
}

// adoptParts announces endpoints of other processes as the node's, where they have changed.
func (n *Node) adoptParts(readers, writers []GUID) error {
	if err := n.begin(); err != nil {
		return err
	}
	defer n.end()
	if err := n.session.announcer.setParts(n, readers, writers); err != nil {
		return fmt.Errorf("node %s: %w", n.FullName(), err)
	}
	return nil
}

// setParts replaces what other processes have of a node.
func (a *announcer) setParts(n *Node, readers, writers []GUID) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.Equal(n.parts.readers, readers) && slices.Equal(n.parts.writers, writers) {
		return nil
	}
	n.parts.readers, n.parts.writers = readers, writers
	return a.publish(nil)
}
