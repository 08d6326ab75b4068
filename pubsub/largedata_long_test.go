//go:build long

package pubsub_test

import (
	"testing"
	"time"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// Images and point clouds arrive, all of them, through sockets whose buffers are as large as a
// warning asks for.
func TestLargeData(t *testing.T) {
	for _, tt := range []struct {
		name     string
		size, hz int
	}{{"4 MiB at 30 Hz", 4 << 20, 30}, {"1 MiB at 100 Hz", 1 << 20, 100}} {
		t.Run(tt.name, func(t *testing.T) {
			d := pubsubtest.NewDomain(t)
			qos := pubsub.DefaultQoS().KeepAll() // what a busy machine holds up for more than 10 messages is no loss
			sub := must[*bytesSub](t)(pubsub.NewSubscription(newInline(t, d, "far"), "x", qos,
				func(*std_msgs.ByteMultiArray, *pubsub.MessageInfo) {}))
			pub := must[*bytesPub](t)(pubsub.NewPublisher[std_msgs.ByteMultiArray](d.NewNode("near"), "x", qos, pubsub.WithMaxBlocking(pubsubtest.Timeout)))
			pubsubtest.WaitForMatch(t, pub, sub)
			m := &std_msgs.ByteMultiArray{Data: make([]byte, tt.size)}
			count := uint64(5 * tt.hz)
			tick := time.NewTicker(time.Second / time.Duration(tt.hz))
			defer tick.Stop()
			for range count {
				<-tick.C
				if err := pub.Publish(m); err != nil {
					t.Fatal(err)
				}
			}
			if err := pub.WaitForAcknowledgements(pubsubtest.Context(t)); err != nil {
				t.Fatal(err)
			}
			pubsubtest.Eventually(t, func() bool { s := sub.Stats(); return s.Received+s.Lost+s.Overwritten == count })
			if s := sub.Stats(); s.Received != count {
				t.Errorf("%d were published: %+v", count, s)
			}
		})
	}
}
