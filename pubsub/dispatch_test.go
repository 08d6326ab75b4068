package pubsub_test

import (
	"testing"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// byHand has the callbacks run where the test pops the queue.
type byHand struct{ queue *pubsub.Queue }

func (s byHand) Place(*pubsub.Receiver) (pubsub.Placement, error) {
	return pubsub.Placement{Queue: s.queue}, nil
}

func (s byHand) Remove(*pubsub.Receiver) {}

// What was taken last is not followed by a look into an empty history.
func TestDispatchTellsWhetherMoreIsThere(t *testing.T) {
	queue := must[*pubsub.Queue](t)(pubsub.NewThreadQueue())
	n := newNode(t, "dispatch", pubsub.WithScheduler(byHand{queue}))
	got := 0
	sub := must[*pubsub.Subscription[std_msgs.Int32]](t)(pubsub.NewSubscription(n, "dispatch", pubsub.DefaultQoS().KeepLast(3),
		func(*std_msgs.Int32, *pubsub.MessageInfo) { got++ }))
	pub := must[*pubsub.Publisher[std_msgs.Int32]](t)(pubsub.NewPublisher[std_msgs.Int32](n, "dispatch", pubsub.DefaultQoS()))
	for _, tt := range []struct {
		name           string
		publish, batch int
		want           []bool // more
	}{
		{"one", 1, 1, []bool{false}},
		{"one of a batch", 1, 4, []bool{false}},
		{"several", 3, 1, []bool{true, true, false}},
		{"several at once", 3, 3, []bool{false}},
		{"batches", 3, 2, []bool{true, false}},
		{"some replaced", 5, 1, []bool{true, true, true, false}},
		{"after that", 2, 1, []bool{true, false}},
	} {
		for range tt.publish { // in one domain: they are there when Publish returns
			if err := pub.Publish(&std_msgs.Int32{}); err != nil {
				t.Fatal(err)
			}
		}
		ready := make([]pubsub.Ready, 2)
		if k := queue.Pop(ready); k != 1 {
			t.Fatalf("%s: %d ready", tt.name, k)
		}
		for i, want := range tt.want {
			if _, more := ready[0].Receiver.Dispatch(tt.batch); more != want {
				t.Errorf("%s: more %v after %d", tt.name, more, i+1)
			}
		}
	}
	if got != 1+1+3+3+3+3+2 {
		t.Errorf("%d callbacks", got)
	}
	sub.Close()
	queue.Close()
	n.Close()
	queue.Free()
}
