package pubsub_test

import (
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// A receive buffer that is too small for what comes is told of once, with the command that mends it, and
// one that is not used does not matter.
func TestReceiveBuffer(t *testing.T) {
	discovery := pubsubtest.NewDomain(t).Discovery()
	discovery.Config += `<Domain Id="any"><Internal><SocketReceiveBufferSize max="100kB"/></Internal></Domain>`
	core, logs := observer.New(zap.WarnLevel)
	node := func(name string, options ...pubsub.Option) *pubsub.Node {
		n := must[*pubsub.Node](t)(pubsub.NewNode(name, append(options, pubsub.WithDiscovery(discovery), pubsub.WithLogger(zap.New(core)))...))
		t.Cleanup(func() { n.Close() })
		return n
	}
	s := &inline{}
	t.Cleanup(func() { s.path.Close() })
	far, near := node("far", pubsub.WithScheduler(s)), node("near")
	qos := pubsub.DefaultQoS()
	got := make(chan int, 10)
	must[*bytesSub](t)(pubsub.NewSubscription(far, "x", qos, func(m *std_msgs.ByteMultiArray, _ *pubsub.MessageInfo) { got <- len(m.Data) }))
	local := must[*bytesSub](t)(pubsub.NewSubscription[std_msgs.ByteMultiArray](near, "local", qos, nil))
	for _, topic := range []string{"local", "x"} {
		pub := must[*bytesPub](t)(pubsub.NewPublisher[std_msgs.ByteMultiArray](near, topic, qos))
		pubsubtest.WaitForMatch(t, pub)
		for _, size := range []int{1000, 300_000, 300_000} {
			if err := pub.Publish(&std_msgs.ByteMultiArray{Data: make([]byte, size)}); err != nil {
				t.Fatal(err)
			}
			if topic == "local" {
				pubsubtest.Next(t, local)
				continue
			}
			pubsubtest.Receive(t, got)
		}
		if topic == "local" && logs.Len() != 0 {
			t.Errorf("told of messages that did not go through a socket: %v", logs.All())
		}
	}
	if logs.Len() != 1 || !strings.Contains(logs.All()[0].Message, "sysctl -w net.core.rmem_max=") {
		t.Errorf("logged %v", logs.All())
	}
}
