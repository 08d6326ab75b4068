package pubsub_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/internal/keyed_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// What nobody takes does not take all memory: what does not fit is dropped and counted, and there is room
// again for what comes when the rest was taken.
func TestHistoryLimit(t *testing.T) {
	t.Run("without a key", func(t *testing.T) {
		testHistoryLimit(t, func(i int) *std_msgs.UInt8MultiArray {
			return &std_msgs.UInt8MultiArray{Data: make([]byte, 1000)}
		})
	})
	t.Run("with a key", func(t *testing.T) {
		testHistoryLimit(t, func(i int) *keyed_msgs.Sensor {
			return &keyed_msgs.Sensor{Number: int32(i), Name: strings.Repeat("x", 1000)}
		})
	})
}

func testHistoryLimit[M any, P interface {
	*M
	cdr.Message
}](t *testing.T, message func(int) P) {
	const fit, count = 10, 100
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("full")
	qos := pubsub.DefaultQoS().KeepAll()
	limit := fit * (cdr.Size(message(0)) + 3) // padding counts
	sub := pubsubtest.Must[*pubsub.Subscription[M]](t)(
		pubsub.NewSubscription[M, P](n, "full", qos, nil, pubsub.WithHistoryLimit(limit)))
	pub := pubsubtest.Must[*pubsub.Publisher[M]](t)(pubsub.NewPublisher[M, P](n, "full", qos))
	pubsubtest.WaitForMatch(t, pub, sub)
	publish := func() {
		for i := range count {
			if err := pub.Publish(message(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	takeAll := func() (n int) {
		for {
			switch _, _, err := sub.Take(); {
			case errors.Is(err, pubsub.ErrNoMessage):
				return n
			case err != nil:
				t.Fatal(err)
			}
			n++
		}
	}
	for range 3 {
		before := sub.Stats().Rejected
		publish()
		rejected := int(sub.Stats().Rejected - before)
		if got := takeAll(); got+rejected != count || !cyclone.Eleven && (got < fit || got > fit+1) {
			t.Errorf("%d messages came and %d were rejected, want %d of %d", got, rejected, fit, count)
		}
	}
	if s := sub.Stats(); s.Lost > s.Rejected || s.Overwritten > 0 {
		t.Errorf("%+v", s)
	}
	if _, err := pubsub.NewSubscription[M, P](n, "full", qos, nil, pubsub.WithHistoryLimit(-1)); err == nil {
		t.Error("a negative limit is taken")
	}
}
