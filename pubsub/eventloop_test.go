package pubsub_test

import (
	"testing"

	"github.com/pinion-ros/pinion/pubsub"
)

// The last user of a domain may be a receive path that a handler closes.
func TestClosePathInEvent(t *testing.T) {
	d := newDomain(t)
	s := &inline{}
	n, err := pubsub.NewNode("path", pubsub.WithDiscovery(d), pubsub.WithScheduler(s))
	if err != nil {
		t.Fatal(err)
	}
	other := nodeIn(t, newDomain(t), "other")
	closed := make(chan error, 9)
	entered, ready := make(chan struct{}, 9), make(chan struct{})
	sub := subString(t, n, "path", pubsub.DefaultQoS())
	newString(t, n, "path", pubsub.DefaultQoS(), pubsub.WithPublisherEvents(pubsub.PublisherEvents{Matched: func(pubsub.MatchedEvent) {
		entered <- struct{}{}
		<-ready
		closed <- s.path.Close()
	}}))
	next(t, entered)
	sub.Close()
	n.Close()
	close(ready)
	if err := next(t, closed); err != nil {
		t.Error(err)
	}
	other.Close()
}
