package executor

import (
	"fmt"

	"github.com/pinion-ros/pinion/pubsub"
)

// A Group says which callbacks may run at the same time. Without one, callbacks of one subscription
// run one after the other and those of several beside each other, as far as there are threads.
type Group struct{ reentrant bool }

// NewExclusiveGroup returns a group of which one callback runs at a time, whichever subscriptions its
// members are. They must all be background, or all on one lane: a lane must not wait for a worker.
func NewExclusiveGroup() *Group { return &Group{} }

// NewReentrantGroup returns a group whose callbacks may run at the same time, several of one
// subscription too, as many as there are workers. On a lane, which is one thread, it changes nothing.
func NewReentrantGroup() *Group { return &Group{reentrant: true} }

// InGroup puts a subscription into a group. Groups are for nodes of one executor.
func InGroup(g *Group) pubsub.SubscriptionOption { return pubsub.WithHint(g) }

// groupOf returns the group of a subscription, nil for none.
func groupOf(r *pubsub.Receiver) *Group {
	g, _ := r.Hint().(*Group)
	return g
}

// homes knows where the members of exclusive groups are.
type homes map[*Group]home

type home struct {
	exclusion any // what keeps the members apart, see server.exclusion
	members   int
}

func (h homes) add(r *pubsub.Receiver, exclusion any) error {
	g := groupOf(r)
	if g == nil || g.reentrant {
		return nil
	}
	at := h[g]
	if at.members > 0 && at.exclusion != exclusion {
		return fmt.Errorf("%s is served by another thread than the rest of its exclusive callback group; put all of the group on one lane or all into the background", r.Topic())
	}
	h[g] = home{exclusion, at.members + 1}
	return nil
}

func (h homes) remove(r *pubsub.Receiver) {
	g := groupOf(r)
	if at, ok := h[g]; ok {
		if at.members--; at.members == 0 {
			delete(h, g)
		} else {
			h[g] = at
		}
	}
}
