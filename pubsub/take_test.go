package pubsub_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// Goroutines that fetch at the same time do not take each other for a closed subscription.
func TestConcurrentTake(t *testing.T) {
	n := newNode(t, "takers")
	sub := must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription[std_msgs.String](n, "takers", pubsub.DefaultQoS(), nil))
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 5000 {
				if _, _, err := sub.Take(); !errors.Is(err, pubsub.ErrNoMessage) {
					t.Errorf("take from an empty history: %v", err)
					return
				}
			}
		})
	}
	wait.Wait()
	if err := sub.Close(); err != nil {
		t.Error(err)
	}
}
