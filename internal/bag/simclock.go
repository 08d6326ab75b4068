package bag

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/msgs/builtin_interfaces"
	"github.com/pinion-ros/pinion/msgs/rosgraph_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

const (
	// clockTopic is where nodes that use simulated time look for it.
	clockTopic = "/clock"
	// Frequencies that make sense, in Hz.
	minClock, maxClock = 0.001, 10_000
)

// simClock publishes the time of a bag while it is played.
type simClock struct {
	pub  *pubsub.Publisher[rosgraph_msgs.Clock]
	line atomic.Pointer[timeline]
	stop chan struct{}
	done chan struct{}
	err  error // of the first publication that failed
}

// newSimClock publishes nothing before it has something to follow.
func newSimClock(node *pubsub.Node, hz float64) (*simClock, error) {
	pub, err := pubsub.NewPublisher[rosgraph_msgs.Clock](node, clockTopic, pubsub.ClockQoS())
	if err != nil {
		return nil, err
	}
	c := &simClock{pub: pub, stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		ticker := time.NewTicker(time.Duration(float64(time.Second) / hz))
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				c.publish()
			case <-c.stop:
				return
			}
		}
	}()
	return c, nil
}

func (c *simClock) publish() {
	line := c.line.Load()
	if line == nil {
		return
	}
	now := rosgraph_msgs.Clock{Clock: builtin_interfaces.TimeFrom(time.Unix(0, line.at(pubsub.Monotonic())))}
	if err := c.pub.Publish(&now); err != nil && c.err == nil {
		c.err = fmt.Errorf("publish %s: %w", clockTopic, err)
	}
}

// follow has the clock show the time of line from now on. A nil clock ignores that.
func (c *simClock) follow(line *timeline) {
	if c != nil {
		c.line.Store(line)
	}
}

// close ends the clock, which may be nil.
func (c *simClock) close() error {
	if c == nil {
		return nil
	}
	close(c.stop)
	<-c.done
	return errors.Join(c.err, c.pub.Close())
}
