package pubsub_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// A publisher that was made for it hands on the source time of the message whose callback publishes,
// unless the caller has another, and elsewhere has the time of publication.
func TestInputTime(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("relay")
	qos := pubsub.DefaultQoS().KeepAll()
	must := pubsubtest.Must[*pubsub.Publisher[std_msgs.Int32]](t)
	in := must(pubsub.NewPublisher[std_msgs.Int32](n, "in", qos))
	out := must(pubsub.NewPublisher[std_msgs.Int32](n, "out", qos, pubsub.WithInputTime()))
	other := must(pubsub.NewPublisher[std_msgs.Int32](n, "out", qos))
	past, future := time.Unix(1000, 1), time.Unix(4e9, 2)
	mustSub := pubsubtest.Must[*pubsub.Subscription[std_msgs.Int32]](t)
	relay := mustSub(pubsub.NewSubscription(n, "in", qos, func(m *std_msgs.Int32, _ *pubsub.MessageInfo) {
		if err := errors.Join(out.Publish(m), out.PublishAt(m, future), other.Publish(m)); err != nil {
			t.Error(err)
		}
	}))
	result := mustSub(pubsub.NewSubscription[std_msgs.Int32](n, "out", qos, nil))
	pubsubtest.WaitForMatch(t, in, out, other, relay, result)
	if err := in.PublishAt(&std_msgs.Int32{Data: 1}, past); err != nil {
		t.Fatal(err)
	}
	next := func() time.Time {
		_, info := pubsubtest.Next(t, result)
		return info.SourceTime
	}
	if got := next(); !got.Equal(past) {
		t.Errorf("published in the callback: %v, want %v", got, past)
	}
	if got := next(); !got.Equal(future) {
		t.Errorf("published with a time: %v, want %v", got, future)
	}
	if got := next(); time.Since(got).Abs() > time.Hour {
		t.Errorf("published by another publisher: %v", got)
	}
	if err := out.Publish(&std_msgs.Int32{}); err != nil {
		t.Fatal(err)
	}
	if got := next(); time.Since(got).Abs() > time.Hour {
		t.Errorf("published outside: %v", got)
	}
}

func TestPanicError(t *testing.T) {
	err := error(&pubsub.PanicError{Topic: "/x", Value: io.EOF})
	if !errors.Is(err, io.EOF) || err.Error() != "panic in the callback of /x: EOF" {
		t.Errorf("got %v", err)
	}
	if err := errors.Unwrap(&pubsub.PanicError{Topic: "/x", Value: 3}); err != nil {
		t.Errorf("unwraps to %v", err)
	}
}
