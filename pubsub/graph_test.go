package pubsub_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// newDomain returns the settings of a domain of the test's own.
func newDomain(t testing.TB) pubsub.Discovery {
	t.Helper()
	return pubsubtest.NewDomain(t).Discovery()
}

func nodeIn(t testing.TB, d pubsub.Discovery, name string, options ...pubsub.Option) *pubsub.Node {
	t.Helper()
	n, err := pubsub.NewNode(name, append([]pubsub.Option{pubsub.WithDiscovery(d), pubsub.WithRosout(false)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n
}

func newString(t testing.TB, n *pubsub.Node, topic string, qos pubsub.QoS, options ...pubsub.PublisherOption) *pubsub.Publisher[std_msgs.String] {
	t.Helper()
	return must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](n, topic, qos, options...))
}

func subString(t testing.TB, n *pubsub.Node, topic string, qos pubsub.QoS, options ...pubsub.SubscriptionOption) *pubsub.Subscription[std_msgs.String] {
	t.Helper()
	return must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription(n, topic, qos, func(*std_msgs.String, *pubsub.MessageInfo) {}, options...))
}

func nodeNames(t testing.TB, n *pubsub.Node) []string {
	t.Helper()
	var names []string
	for _, i := range must[[]pubsub.NodeInfo](t)(n.Nodes()) {
		names = append(names, i.FullName())
	}
	return names
}

// What a node has itself is in the graph at once.
func TestGraphOwn(t *testing.T) {
	d := newDomain(t)
	n := nodeIn(t, d, "one", pubsub.WithNamespace("/ns"))
	other := nodeIn(t, d, "two")
	qos := pubsub.DefaultQoS().KeepLast(7).TransientLocal()
	qos.Deadline, qos.Lifespan, qos.Lease = time.Second, 2*time.Second, 3*time.Second
	pub := newString(t, n, "chatter", qos)
	sub := subString(t, other, "/ns/chatter", pubsub.SensorDataQoS().KeepAll())
	if got, want := nodeNames(t, n), []string{"/ns/one", "/two"}; !slices.Equal(got, want) {
		t.Errorf("nodes %v, want %v", got, want)
	}
	topics := must[[]pubsub.TopicInfo](t)(n.Topics())
	if len(topics) != 1 || topics[0].Name != "/ns/chatter" || !slices.Equal(topics[0].Types, []string{"std_msgs/msg/String"}) {
		t.Errorf("topics %v", topics)
	}
	hash := cdr.Lookup("std_msgs/msg/String").Hash
	want := []pubsub.EndpointInfo{
		{Name: "/ns/chatter", Role: pubsub.RoleTopic, Type: "std_msgs/msg/String", TypeHash: hash, Publisher: true, Node: "one", Namespace: "/ns", QoS: pub.QoS(), GUID: pub.GUID()},
		{Name: "/ns/chatter", Role: pubsub.RoleTopic, Type: "std_msgs/msg/String", TypeHash: hash, Node: "two", Namespace: "/", QoS: sub.QoS(), GUID: sub.GUID()},
	}
	got := must[[]pubsub.EndpointInfo](t)(n.Endpoints("chatter"))
	for i := range got {
		got[i].Participant = pubsub.GUID{}
	}
	if !slices.Equal(got, want) {
		t.Errorf("endpoints\n%+v, want\n%+v", got, want)
	}
	if got := must[[]pubsub.EndpointInfo](t)(n.NodeEndpoints("/two")); len(got) != 1 || got[0].GUID != sub.GUID() {
		t.Errorf("endpoints of /two: %+v", got)
	}
	if _, err := n.NodeEndpoints("/three"); !errors.Is(err, pubsub.ErrUnknownNode) {
		t.Errorf("endpoints of an unknown node: %v", err)
	}
	sub.Close()
	if got := must[[]pubsub.EndpointInfo](t)(n.NodeEndpoints("/two")); len(got) != 0 {
		t.Errorf("endpoints of /two after Close: %+v", got)
	}
	other.Close()
	if got, want := nodeNames(t, n), []string{"/ns/one"}; !slices.Equal(got, want) {
		t.Errorf("nodes %v, want %v", got, want)
	}
	n.Close()
	if _, err := n.Nodes(); !errors.Is(err, pubsub.ErrClosed) {
		t.Errorf("nodes seen by a closed node: %v", err)
	}
	select {
	case <-n.GraphChanged():
	case <-time.After(pubsubtest.Timeout):
		t.Error("no change is told when the graph closes")
	}
}

// A subscription on a path belongs to its node for the node's own list, and to a hidden one for that
// of the path's participant.
func TestGraphPath(t *testing.T) {
	d := newDomain(t)
	s := &inline{}
	n := nodeIn(t, d, "arm", pubsub.WithNamespace("left"), pubsub.WithScheduler(s))
	sub := subString(t, n, "fast", pubsub.DefaultQoS())
	second := subString(t, n, "fast", pubsub.DefaultQoS())
	err := n.WaitForGraph(pubsubtest.Context(t), func() (bool, error) {
		endpoints, err := n.NodeEndpoints("/left/_arm_lane_inline")
		if errors.Is(err, pubsub.ErrUnknownNode) {
			err = nil
		}
		return len(endpoints) == 2, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := nodeNames(t, n), []string{"/left/_arm_lane_inline", "/left/arm"}; !slices.Equal(got, want) {
		t.Errorf("nodes %v, want %v", got, want)
	}
	for _, e := range must[[]pubsub.EndpointInfo](t)(n.NodeEndpoints("/left/arm")) {
		if e.FullNodeName() != "/left/arm" || e.GUID != sub.GUID() && e.GUID != second.GUID() {
			t.Errorf("endpoint of the node: %+v", e)
		}
	}
	sub.Close()
	second.Close()
	err = n.WaitForGraph(pubsubtest.Context(t), func() (bool, error) { return slices.Equal(nodeNames(t, n), []string{"/left/arm"}), nil })
	if err != nil {
		t.Errorf("nodes after their subscriptions were closed: %v", nodeNames(t, n))
	}
	if err := s.path.Close(); err != nil {
		t.Error(err)
	}
}

// A participant that goes takes its nodes and endpoints along.
func TestGraphProcess(t *testing.T) {
	d := newDomain(t)
	n := nodeIn(t, d, "watcher")
	for range 2 {
		p := startPeer(t, d, "")
		if err := n.WaitForNode(pubsubtest.Context(t), "/peer"); err != nil {
			t.Fatal(err)
		}
		if err := n.WaitForTopic(pubsubtest.Context(t), "peer_topic"); err != nil {
			t.Fatal(err)
		}
		var e []pubsub.EndpointInfo
		err := n.WaitForGraph(pubsubtest.Context(t), func() (_ bool, err error) {
			e, err = n.Endpoints("peer_topic") // may be there before its node tells that it has it
			return len(e) == 1 && e[0].Node != "", err
		})
		if err != nil || e[0].FullNodeName() != "/peer" || e[0].TypeHash == "" || e[0].QoS.Depth != 3 {
			t.Errorf("endpoints: %+v, %v", e, err)
		}
		for _, i := range must[[]pubsub.NodeInfo](t)(n.Nodes()) {
			if i.Name == "peer" && i.Enclave != "/peers" {
				t.Errorf("node %+v", i)
			}
		}
		p.stop()
		err = n.WaitForGraph(pubsubtest.Context(t), func() (bool, error) {
			e, err := n.Endpoints("peer_topic")
			return len(e) == 0 && len(nodeNames(t, n)) == 1, err
		})
		if err != nil {
			t.Fatalf("the peer has gone, but: nodes %v", nodeNames(t, n))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := n.WaitForNode(ctx, "/peer"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("wait for a node that does not come: %v", err)
	}
}

// Both forms of lists are read, and the other one is told of once.
func TestGraphForms(t *testing.T) {
	for _, tt := range []struct{ own, peer, hint string }{
		{"jazzy", "humble", `WithDistro("humble")`},
		{"humble", "jazzy", `WithDistro("jazzy")`},
		{"jazzy", "rolling", ""},
	} {
		d := newDomain(t)
		core, logs := observer.New(zap.WarnLevel)
		n := nodeIn(t, d, "watcher", pubsub.WithDistro(tt.own), pubsub.WithLogger(zap.New(core)))
		startPeer(t, d, tt.peer)
		second := startPeer(t, d, tt.peer)
		err := n.WaitForGraph(pubsubtest.Context(t), func() (bool, error) {
			peers := 0
			for _, name := range nodeNames(t, n) {
				if name == "/peer" {
					peers++
				}
			}
			return peers == 2, nil
		})
		if err != nil {
			t.Fatalf("%+v: nodes %v", tt, nodeNames(t, n))
		}
		second.stop()
		err = n.WaitForGraph(pubsubtest.Context(t), func() (bool, error) {
			e, err := n.Endpoints("peer_topic")
			return len(e) == 1 && e[0].Node == "peer" && (e[0].TypeHash == "") == (tt.peer == "humble"), err
		})
		if err != nil {
			t.Errorf("%+v: the peer's endpoint is not seen as it should be", tt)
		}
		told := logs.FilterMessageSnippet("in the form of other ROS distributions")
		switch {
		case tt.hint == "" && told.Len() != 0, tt.hint != "" && told.Len() != 1:
			t.Errorf("%+v: told %d times: %v", tt, told.Len(), told.All())
		case tt.hint != "" && told.FilterMessageSnippet(tt.hint).Len() != 1:
			t.Errorf("%+v: told without the option that fits: %v", tt, told.All())
		}
	}
	d := newDomain(t)
	nodeIn(t, d, "a", pubsub.WithDistro("jazzy"))
	if _, err := pubsub.NewNode("b", pubsub.WithDiscovery(d), pubsub.WithDistro("humble")); err == nil {
		t.Error("nodes of two forms share a participant")
	}
}

// A list that cannot be read does no harm.
func TestGraphMalformed(t *testing.T) {
	d := newDomain(t)
	core, logs := observer.New(zap.WarnLevel)
	n := nodeIn(t, d, "watcher", pubsub.WithLogger(zap.New(core)))
	p := startPeer(t, d, "garbage")
	if err := n.WaitForTopic(pubsubtest.Context(t), "peer_topic"); err != nil {
		t.Fatal(err)
	}
	pubsubtest.Eventually(t, func() bool {
		n.Nodes()
		return logs.FilterMessageSnippet("cannot be read").Len() == 1
	})
	p.stop()
}

// Nobody needs the graph to stand still for it to be looked at.
func TestGraphConcurrent(t *testing.T) {
	d := newDomain(t)
	n := nodeIn(t, d, "busy")
	done := make(chan struct{})
	for range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 20 {
				other, err := pubsub.NewNode("short", pubsub.WithDiscovery(d))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := pubsub.NewPublisher[std_msgs.String](other, "busy", pubsub.DefaultQoS()); err != nil {
					t.Error(err)
				}
				n.Topics()
				n.Endpoints("busy")
				n.Services()
				other.Close()
			}
		}()
	}
	for range 4 {
		<-done
	}
	if got := nodeNames(t, n); !slices.Equal(got, []string{"/busy"}) {
		t.Errorf("nodes %v", got)
	}
	if got := must[[]pubsub.TopicInfo](t)(n.Topics()); len(got) != 0 {
		t.Errorf("topics %v", got)
	}
}

// Best available depends on what is known when a publisher or subscription is created.
func TestBestAvailableFromGraph(t *testing.T) {
	d := newDomain(t)
	n := nodeIn(t, d, "best")
	qos := pubsub.SensorDataQoS()
	qos.Deadline = time.Second
	newString(t, n, "best", qos)
	sub := subString(t, n, "best", pubsub.BestAvailableQoS())
	want := pubsub.QoS{History: pubsub.KeepLast, Depth: 10, Reliability: pubsub.BestEffort, Durability: pubsub.Volatile, Liveliness: pubsub.Automatic, Deadline: time.Second}
	if sub.QoS() != want || sub.AskedQoS() != pubsub.BestAvailableQoS() {
		t.Errorf("subscription got %+v, want %+v; asked %+v", sub.QoS(), want, sub.AskedQoS())
	}
	if err := sub.WaitForPublishers(pubsubtest.Context(t), 1); err != nil {
		t.Error(err)
	}
	pub := newString(t, n, "best", pubsub.BestAvailableQoS())
	want.Reliability, want.Durability = pubsub.Reliable, pubsub.TransientLocal
	if pub.QoS() != want {
		t.Errorf("publisher got %+v, want %+v", pub.QoS(), want)
	}
	if err := sub.WaitForPublishers(pubsubtest.Context(t), 2); err != nil {
		t.Error(err)
	}
}

// Services are told from topics, and what is not of ROS 2 is left out or keeps its name.
func TestGraphServices(t *testing.T) {
	n := nodeIn(t, newDomain(t), "services")
	for _, w := range []struct{ topic, typeName string }{
		{"rq/addRequest", "example_interfaces::srv::dds_::AddTwoInts_Request_"},
		{"rr/addReply", "example_interfaces::srv::dds_::AddTwoInts_Response_"},
		{"rt/foreign", "Foreign"},
		{"bare", "std_msgs::msg::dds_::String_"},
		{"rq/odd", "std_msgs::msg::dds_::String_"},
		{"rt//names", "std_msgs::msg::dds_::String_"}, // that nobody of ROS 2 can use
		{"rt/1", "std_msgs::msg::dds_::String_"},
		{"rt/", "std_msgs::msg::dds_::String_"},
		{"rq//addRequest", "example_interfaces::srv::dds_::AddTwoInts_Request_"},
	} {
		writer := must[*cyclone.Writer](t)(pubsub.NewDDSWriter(n, w.topic, w.typeName, ""))
		defer writer.Close()
	}
	services := must[[]pubsub.TopicInfo](t)(n.Services())
	if len(services) != 1 || services[0].Name != "/add" || !slices.Equal(services[0].Types, []string{"example_interfaces/srv/AddTwoInts"}) {
		t.Errorf("services %v", services)
	}
	topics := must[[]pubsub.TopicInfo](t)(n.Topics())
	if len(topics) != 1 || topics[0].Name != "/foreign" || !slices.Equal(topics[0].Types, []string{"Foreign"}) {
		t.Errorf("topics %v", topics)
	}
	e := must[[]pubsub.EndpointInfo](t)(n.Endpoints("/foreign"))
	if len(e) != 1 || e[0].Type != "Foreign" || e[0].Node != "" || e[0].TypeHash != "" || e[0].FullNodeName() != "" {
		t.Errorf("endpoints %+v", e)
	}
}

// A message type of the same name and another definition is no match, though DDS makes it one.
func TestTypeHashConflict(t *testing.T) {
	n := nodeIn(t, newDomain(t), "hashes")
	events := make(chan pubsub.IncompatibleTypeEvent, 9)
	subString(t, n, "hashes", pubsub.DefaultQoS(), pubsub.WithSubscriptionEvents(pubsub.SubscriptionEvents{IncompatibleType: to(events)}))
	for _, hash := range []string{"", "RIHS01_00"} {
		w := must[*cyclone.Writer](t)(pubsub.NewDDSWriter(n, "rt/hashes", "std_msgs::msg::dds_::String_", "typehash="+hash+";"))
		defer w.Close()
	}
	if e := next(t, events); e.Total != 1 || e.Peer.TypeHash != "RIHS01_00" {
		t.Errorf("%+v", e)
	}
}

func TestGraphInDelivery(t *testing.T) {
	d := newDomain(t)
	s := &inline{}
	n := nodeIn(t, d, "inside", pubsub.WithScheduler(s))
	errs := make(chan error, 2)
	must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription(n, "inside", pubsub.DefaultQoS(), func(*std_msgs.String, *pubsub.MessageInfo) {
		_, err := n.Nodes()
		errs <- err
		errs <- n.WaitForTopic(context.Background(), "nothing")
	}))
	pub := newString(t, n, "inside", pubsub.DefaultQoS())
	if err := pub.WaitForSubscribers(pubsubtest.Context(t), 1); err != nil {
		t.Fatal(err)
	}
	if err := pub.Publish(&std_msgs.String{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := next(t, errs); !errors.Is(err, pubsub.ErrInDelivery) {
			t.Errorf("the graph in an inline callback: %v", err)
		}
	}
	n.Close()
	s.path.Close()
}
