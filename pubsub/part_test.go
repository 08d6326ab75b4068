package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// A divided scheduler has the topic /there in another process than this.
type divided struct {
	own     string
	others  []string
	removed []string
}

func (d *divided) Parts() (string, []string) { return d.own, d.others }

func (d *divided) HasSubscription(r *pubsub.Receiver) (bool, error) {
	switch r.Topic() {
	case "/wrong":
		return false, errors.New("wrong topic")
	case "/there":
		return false, nil
	}
	return true, nil
}

func (d *divided) HasPublisher(_ *pubsub.Node, topic string, hints []any) (bool, error) {
	if topic == "/wrong" {
		return false, errors.New("wrong topic")
	}
	return topic != "/there" || slices.Contains(hints, any("here")), nil
}

func (d *divided) Place(r *pubsub.Receiver) (pubsub.Placement, error) {
	return pubsub.Placement{}, fmt.Errorf("%s is to be placed", r.Topic())
}

func (d *divided) Remove(r *pubsub.Receiver) { d.removed = append(d.removed, r.Topic()) }

// What is in another process has handles that do nothing, and say so.
func TestOtherPart(t *testing.T) {
	pubsubtest.CheckLeaks(t)
	d := &divided{}
	n := pubsubtest.NewDomain(t).NewNode("divided", pubsub.WithScheduler(d))
	ctx := pubsubtest.Context(t)
	never := func(*std_msgs.String, *pubsub.MessageInfo) { t.Error("a callback runs") }
	called := must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription(n, "there", pubsub.DefaultQoS(), never))
	polled := must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription[std_msgs.String](n, "there", pubsub.DefaultQoS(), nil))
	raw := must[*pubsub.RawSubscription](t)(pubsub.NewRawSubscription(n, "there", "std_msgs/msg/String", pubsub.DefaultQoS(), nil))
	pub := newString(t, n, "there", pubsub.DefaultQoS())
	rawPub := must[*pubsub.RawPublisher](t)(pubsub.NewRawPublisher(n, "there", "std_msgs/msg/String", pubsub.DefaultQoS()))
	here := must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](n, "there", pubsub.DefaultQoS(), pubsub.WithPublisherHint("here")))
	if err := here.Publish(&std_msgs.String{}); err != nil {
		t.Error(err)
	}
	take := func() error { _, _, err := polled.Take(); return err }
	for what, err := range map[string]error{
		"Publish":                    pub.Publish(&std_msgs.String{}),
		"PublishOwned":               pub.PublishOwned(&std_msgs.String{}),
		"raw Publish":                rawPub.Publish([]byte{0, 1, 0, 0, 1, 0, 0, 0, 0}),
		"AssertLiveliness":           pub.AssertLiveliness(),
		"Flush":                      pub.Flush(),
		"WaitForSubscribers":         pub.WaitForSubscribers(ctx, 1),
		"WaitForAcknowledgements":    pub.WaitForAcknowledgements(ctx),
		"WaitForPublishers":          called.WaitForPublishers(ctx, 1),
		"WaitForPublishers (raw)":    raw.WaitForPublishers(ctx, 1),
		"Take":                       take(),
		"Take (raw)":                 func() error { _, err := raw.Take(nil, nil); return err }(),
		"Take is also ErrNoMessage":  matchBoth(take()),
		"TakeInto by two goroutines": func() error { go func() { _ = take() }(); return take() }(),
	} {
		if !errors.Is(err, pubsub.ErrOtherPart) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if called.Stats() != (pubsub.ReceiverStats{}) || called.EventCounts() != (pubsub.EventCounts{}) || called.Publishers() != 0 ||
		pub.Subscribers() != 0 || pub.EventCounts() != (pubsub.EventCounts{}) || called.GUID() != (pubsub.GUID{}) || pub.GUID() != (pubsub.GUID{}) {
		t.Error("something has happened to what is not here")
	}
	if called.Topic() != "/there" || called.QoS().Depth != pubsub.DefaultQoS().Depth || pub.Topic() != "/there" {
		t.Errorf("topics %s and %s, QoS %+v", called.Topic(), pub.Topic(), called.QoS())
	}
	if e := must[[]pubsub.EndpointInfo](t)(n.Endpoints("there")); len(e) != 1 || e[0].GUID != here.GUID() {
		t.Errorf("the graph has %v", e)
	}
	brief, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	for range polled.All(brief) {
		t.Error("a message from nowhere")
	}
	if brief.Err() == nil {
		t.Error("All did not wait")
	}
	for _, closer := range []interface{ Close() error }{called, polled, pub, rawPub} {
		if err := errors.Join(closer.Close(), closer.Close()); err != nil {
			t.Error(err)
		}
	}
	if err := take(); !errors.Is(err, pubsub.ErrClosed) {
		t.Errorf("take from a closed subscription: %v", err)
	}
	if err := n.Close(); err != nil { // raw is still open
		t.Error(err)
	}
	if len(d.removed) != 3 {
		t.Errorf("removed %v, want three subscriptions", d.removed)
	}
}

func matchBoth(err error) error {
	if errors.Is(err, pubsub.ErrNoMessage) {
		return err
	}
	return nil
}

func TestOtherPartErrors(t *testing.T) {
	n := pubsubtest.NewDomain(t).NewNode("divided", pubsub.WithScheduler(&divided{}))
	if _, err := pubsub.NewSubscription[std_msgs.String](n, "wrong", pubsub.DefaultQoS(), nil); err == nil {
		t.Error("a subscription in spite of an error")
	}
	if _, err := pubsub.NewPublisher[std_msgs.String](n, "wrong", pubsub.DefaultQoS()); err == nil {
		t.Error("a publisher in spite of an error")
	}
}

// The nodes of other processes are hidden, and the first process lists their endpoints under the node's
// own name, for as long as they are there.
func TestPartsInGraph(t *testing.T) {
	pubsubtest.CheckLeaks(t)
	domain := pubsubtest.NewDomain(t)
	part := startPart(t, domain.Discovery())
	arm := domain.NewNode("arm", pubsub.WithNamespace("/left"), pubsub.WithScheduler(&divided{others: []string{"control"}}))
	newString(t, arm, "own", pubsub.DefaultQoS())
	listed := func(node string, topics ...string) {
		t.Helper()
		var names []string
		err := arm.WaitForGraph(pubsubtest.Context(t), func() (bool, error) {
			names = nil
			endpoints, err := arm.NodeEndpoints(node)
			for _, e := range endpoints {
				names = append(names, e.Name)
				if e.Node != "arm" {
					err = errors.Join(err, fmt.Errorf("%s is of %s", e.Name, e.FullNodeName()))
				}
			}
			return err == nil && slices.Equal(names, topics), nil
		})
		if err != nil {
			t.Errorf("%v: %s has %v, want %v", err, node, names, topics)
		}
	}
	listed("/left/arm", "/left/own", "/left/peer_topic")
	listed("/left/_arm_part_control", "/left/peer_topic")
	part.stop()
	listed("/left/arm", "/left/own")
}
