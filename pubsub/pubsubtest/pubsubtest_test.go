package pubsubtest_test

import (
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

func TestMain(m *testing.M) { os.Exit(pubsubtest.Run(m)) }

func Example() {
	// In a test, t is its *testing.T.
	echo := func(t testing.TB) {
		domain := pubsubtest.NewDomain(t)
		node := domain.NewNode("echo")
		sub := pubsubtest.Must[*pubsub.Subscription[std_msgs.String]](t)(
			pubsub.NewSubscription[std_msgs.String](node, "chatter", pubsub.DefaultQoS(), nil))
		pub := pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(
			pubsub.NewPublisher[std_msgs.String](node, "chatter", pubsub.DefaultQoS()))
		pubsubtest.WaitForMatch(t, pub, sub)
		if err := pub.Publish(&std_msgs.String{Data: "hello"}); err != nil {
			t.Fatal(err)
		}
		if m, _ := pubsubtest.Next(t, sub); m.Data != "hello" {
			t.Errorf("got %v", m)
		}
	}
	_ = echo
}

// Nodes of one domain see each other and none of another.
func TestDomain(t *testing.T) {
	pubsubtest.CheckLeaks(t)
	a, b := pubsubtest.NewDomain(t), pubsubtest.NewDomain(t)
	if a.Discovery().Domain == b.Discovery().Domain {
		t.Errorf("two domains have the id %d", a.Discovery().Domain)
	}
	n, other := a.NewNode("one"), b.NewNode("two")
	sub := pubsubtest.Must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription[std_msgs.String](n, "x", pubsub.DefaultQoS(), nil))
	pub := pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](a.NewNode("three"), "x", pubsub.DefaultQoS()))
	pubsubtest.WaitForMatch(t, pub, sub)
	for _, want := range []string{"a", "b"} {
		if err := pub.Publish(&std_msgs.String{Data: want}); err != nil {
			t.Fatal(err)
		}
		if m, info := pubsubtest.Next(t, sub); m.Data != want || info.Publisher != pub.GUID() {
			t.Errorf("got %v, %+v", m, info)
		}
	}
	nodes := pubsubtest.Must[[]pubsub.NodeInfo](t)(other.Nodes())
	if len(nodes) != 1 || nodes[0].Name != "two" {
		t.Errorf("nodes of the other domain: %v", nodes)
	}
}

// fake takes the place of a testing.T whose test fails.
type fake struct {
	cleanups []func()
	errors   []any
}

func (f *fake) Cleanup(c func()) { f.cleanups = append(f.cleanups, c) }
func (f *fake) Error(a ...any)   { f.errors = append(f.errors, a...) }

func (f *fake) end() {
	for _, c := range f.cleanups {
		c()
	}
}

func TestCheckLeaks(t *testing.T) {
	f := &fake{}
	pubsubtest.CheckLeaks(f)
	n := pubsubtest.NewDomain(t).NewNode("left")
	synctest.Test(t, func(*testing.T) { f.end() }) // whose clock spares the wait
	if len(f.errors) != 1 || !strings.Contains(f.errors[0].(error).Error(), " entities of DDS\n") {
		t.Errorf("an open node is reported as %.200v", f.errors)
	}
	f = &fake{}
	n.Close()
	pubsubtest.CheckLeaks(f)
	f.end()
	if len(f.errors) != 0 {
		t.Errorf("nothing is reported as %.200v", f.errors)
	}
}

// A domain whose ports somebody has without a claim is passed over.
func TestPorts(t *testing.T) {
	var id uint32
	t.Run("claim", func(t *testing.T) { id = pubsubtest.NewDomain(t).Discovery().Domain })
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7400 + 250*int(id) + 10})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if pubsubtest.NewDomain(t).Discovery().Domain == id {
		t.Errorf("domain %d is claimed while its ports are taken", id)
	}
}
