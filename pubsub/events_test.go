package pubsub_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// next returns the next event.
func next[E any](t testing.TB, events chan E) E {
	t.Helper()
	select {
	case e := <-events:
		return e
	case <-time.After(pubsubtest.Timeout):
		t.Fatalf("no %T", *new(E))
		panic("unreachable")
	}
}

// to returns a handler that puts events into a channel as long as there is room: a handler that waited for
// it would hold up the end of the test.
func to[E any](events chan E) func(E) {
	return func(e E) {
		select {
		case events <- e:
		default:
		}
	}
}

func TestMatchedEvents(t *testing.T) {
	d := newDomain(t)
	path := &inline{}
	for _, tt := range []struct {
		name      string
		scheduler pubsub.Scheduler
	}{{"loop", nil}, {"path", path}} {
		t.Run(tt.name, func(t *testing.T) {
			n := nodeIn(t, d, "matched", pubsub.WithScheduler(tt.scheduler))
			pubs, subs := make(chan pubsub.MatchedEvent, 9), make(chan pubsub.MatchedEvent, 9)
			pub := newString(t, n, "matched", pubsub.DefaultQoS(), pubsub.WithPublisherEvents(pubsub.PublisherEvents{Matched: to(pubs)}))
			sub := subString(t, n, "matched", pubsub.DefaultQoS(), pubsub.WithSubscriptionEvents(pubsub.SubscriptionEvents{Matched: to(subs)}))
			if e, want := next(t, subs), (pubsub.MatchedEvent{Total: 1, Current: 1, TotalChange: 1, CurrentChange: 1, Peer: pub.GUID()}); e != want {
				t.Errorf("subscription: %+v, want %+v", e, want)
			}
			if e, want := next(t, pubs), (pubsub.MatchedEvent{Total: 1, Current: 1, TotalChange: 1, CurrentChange: 1, Peer: sub.GUID()}); e != want {
				t.Errorf("publisher: %+v, want %+v", e, want)
			}
			sub.Close()
			if e := next(t, pubs); e.Total != 1 || e.Current != 0 || e.CurrentChange != -1 {
				t.Errorf("publisher after the subscription was closed: %+v", e)
			}
			if c := pub.EventCounts(); c.Matched != 1 || c.MatchedNow != 0 {
				t.Errorf("counts %+v", c)
			}
		})
	}
	path.path.Close()
}

func TestIncompatibleQoS(t *testing.T) {
	d := newDomain(t)
	offered := pubsub.DefaultQoS()
	offered.Deadline, offered.Lease = time.Hour, time.Hour
	for _, tt := range []struct {
		policy string
		pub    func(*pubsub.QoS)
		sub    func(*pubsub.QoS)
	}{
		{"RELIABILITY", func(q *pubsub.QoS) { q.Reliability = pubsub.BestEffort }, func(*pubsub.QoS) {}},
		{"DURABILITY", func(*pubsub.QoS) {}, func(q *pubsub.QoS) { q.Durability = pubsub.TransientLocal }},
		{"DEADLINE", func(*pubsub.QoS) {}, func(q *pubsub.QoS) { q.Deadline = time.Minute }},
		{"DEADLINE", func(q *pubsub.QoS) { q.Deadline = 0 }, func(*pubsub.QoS) {}},
		{"LIVELINESS", func(*pubsub.QoS) {}, func(q *pubsub.QoS) { q.Liveliness = pubsub.ManualByTopic }},
		{"LIVELINESS", func(*pubsub.QoS) {}, func(q *pubsub.QoS) { q.Lease = time.Minute }},
	} {
		core, logs := observer.New(zap.WarnLevel)
		n := nodeIn(t, d, "qos", pubsub.WithLogger(zap.New(core)))
		pubs, subs := make(chan pubsub.IncompatibleQoSEvent, 9), make(chan pubsub.IncompatibleQoSEvent, 9)
		pubQoS, subQoS := offered, offered
		tt.pub(&pubQoS)
		tt.sub(&subQoS)
		pub := newString(t, n, "qos", pubQoS, pubsub.WithPublisherEvents(pubsub.PublisherEvents{IncompatibleQoS: to(pubs)}))
		sub := subString(t, n, "qos", subQoS, pubsub.WithSubscriptionEvents(pubsub.SubscriptionEvents{IncompatibleQoS: to(subs)}))
		want := pubsub.IncompatibleQoSEvent{Total: 1, Change: 1, Policy: tt.policy}
		if e := next(t, pubs); e != want {
			t.Errorf("publisher: %+v, want %+v", e, want)
		}
		if e := next(t, subs); e != want {
			t.Errorf("subscription: %+v, want %+v", e, want)
		}
		for _, c := range []pubsub.EventCounts{pub.EventCounts(), sub.EventCounts()} {
			if c.IncompatibleQoS != 1 || c.Policy != tt.policy || c.Matched != 0 {
				t.Errorf("%s: counts %+v", tt.policy, c)
			}
		}
		pubsubtest.Eventually(t, func() bool { return logs.Len() == 2 }) // one on both ends
		for _, l := range logs.All() {
			m := l.ContextMap()
			if m["policy"] != tt.policy || m["topic"] != "/qos" || fmt.Sprint(m["nodes"]) != "[/qos]" {
				t.Errorf("%s: warning %v", tt.policy, m)
			}
		}
		n.Close()
	}
}

func TestIncompatibleType(t *testing.T) {
	d := newDomain(t)
	core, logs := observer.New(zap.WarnLevel)
	n := nodeIn(t, d, "types", pubsub.WithLogger(zap.New(core)))
	pubs, subs := make(chan pubsub.IncompatibleTypeEvent, 9), make(chan pubsub.IncompatibleTypeEvent, 9)
	pub := newString(t, n, "types", pubsub.DefaultQoS(), pubsub.WithPublisherEvents(pubsub.PublisherEvents{IncompatibleType: to(pubs)}))
	newString(t, n, "types", pubsub.DefaultQoS()) // no conflict between publishers, nor between equal types
	subString(t, n, "types", pubsub.DefaultQoS())
	sub := must[*pubsub.Subscription[std_msgs.Int32]](t)(pubsub.NewSubscription(n, "types", pubsub.DefaultQoS(),
		func(*std_msgs.Int32, *pubsub.MessageInfo) {}, pubsub.WithSubscriptionEvents(pubsub.SubscriptionEvents{IncompatibleType: to(subs)})))
	if e := next(t, pubs); e.Total != 1 || e.Change != 1 || e.Peer.Type != "std_msgs/msg/Int32" || e.Peer.GUID != sub.GUID() {
		t.Errorf("publisher: %+v", e)
	}
	for got := 0; got < 2; {
		e := next(t, subs)
		got += e.Change
		if e.Total != got || e.Peer.Type != "std_msgs/msg/String" {
			t.Errorf("subscription: %+v", e)
		}
	}
	if c := pub.EventCounts(); c.IncompatibleType != 1 {
		t.Errorf("counts %+v", c)
	}
	pubsubtest.Eventually(t, func() bool { return logs.FilterMessageSnippet("another type").Len() >= 3 })
	sub.Close()
	n.Close()
	if len(pubs)+len(subs) != 0 {
		t.Error("conflicts are told twice")
	}
}

func TestDeadlineMissed(t *testing.T) {
	d := newDomain(t)
	n := nodeIn(t, d, "deadline")
	pubs, subs := make(chan pubsub.CountEvent, 99), make(chan pubsub.CountEvent, 99)
	qos := pubsub.DefaultQoS()
	qos.Deadline = 20 * time.Millisecond
	pub := newString(t, n, "deadline", qos, pubsub.WithPublisherEvents(pubsub.PublisherEvents{DeadlineMissed: to(pubs)}))
	sub := subString(t, n, "deadline", qos, pubsub.WithSubscriptionEvents(pubsub.SubscriptionEvents{DeadlineMissed: to(subs)}))
	if err := pub.Publish(&std_msgs.String{}); err != nil {
		t.Fatal(err)
	}
	for _, events := range []chan pubsub.CountEvent{pubs, subs} {
		total := 0
		for range 3 {
			e := next(t, events)
			if total += e.Change; e.Total != total || e.Change < 1 {
				t.Errorf("%+v after %d", e, total)
			}
		}
	}
	for _, c := range []pubsub.EventCounts{pub.EventCounts(), sub.EventCounts()} {
		if c.DeadlineMissed < 3 {
			t.Errorf("counts %+v", c)
		}
	}
}

func TestLiveliness(t *testing.T) {
	d := newDomain(t)
	n := nodeIn(t, d, "liveliness")
	pubs, subs := make(chan pubsub.CountEvent, 99), make(chan pubsub.LivelinessChangedEvent, 99)
	qos := pubsub.DefaultQoS()
	qos.Liveliness, qos.Lease = pubsub.ManualByTopic, 200*time.Millisecond
	sub := subString(t, n, "liveliness", qos, pubsub.WithSubscriptionEvents(pubsub.SubscriptionEvents{LivelinessChanged: to(subs)}))
	pub := newString(t, n, "liveliness", qos, pubsub.WithPublisherEvents(pubsub.PublisherEvents{LivelinessLost: to(pubs)}))
	for round := range 2 { // a message makes it alive, assertions keep it so, and without them it is not
		last, longest := time.Now(), time.Duration(0)
		if err := pub.Publish(&std_msgs.String{}); err != nil {
			t.Fatal(err)
		}
		for e := next(t, subs); e.Alive != 1; e = next(t, subs) {
		}
		for range 30 {
			time.Sleep(10 * time.Millisecond)
			if err := pub.AssertLiveliness(); err != nil {
				t.Fatal(err)
			}
			longest, last = max(longest, time.Since(last)), time.Now()
		}
		lost := pub.EventCounts().LivelinessLost
		// A machine that stands still does not assert in time.
		if longest = max(longest, time.Since(last)); round == 0 && lost > 0 && longest < qos.Lease/2 {
			t.Errorf("lost in spite of an assertion every %v", longest)
		}
		next(t, pubs)
		for e := next(t, subs); e.Alive != 0; e = next(t, subs) {
		}
		pubsubtest.Eventually(t, func() bool {
			p, s := pub.EventCounts(), sub.EventCounts()
			return p.LivelinessLost > round && s.Alive == 0 && s.NotAlive == 1
		})
	}
	pub.Close()
	if err := pub.AssertLiveliness(); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a closed publisher is alive: %v", err)
	}
}

func TestMessageLost(t *testing.T) {
	d := newDomain(t)
	n := nodeIn(t, d, "lost")
	events := make(chan pubsub.MessageLostEvent, 9)
	sub := must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription[std_msgs.String](n, "lost", pubsub.DefaultQoS().KeepLast(2), nil,
		pubsub.WithSubscriptionEvents(pubsub.SubscriptionEvents{MessageLost: to(events)})))
	pub := newString(t, n, "lost", pubsub.DefaultQoS())
	if err := pub.Publish(&std_msgs.String{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := sub.Take(); err != nil { // from here on every number counts
		t.Fatal(err)
	}
	for i := range 3 {
		for range 5 {
			if err := pub.Publish(&std_msgs.String{}); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if _, _, err := sub.Take(); err != nil {
				t.Fatal(err)
			}
		}
		want := pubsub.MessageLostEvent{Overwritten: uint64(3 * (i + 1)), Change: 3}
		if cyclone.Eleven {
			want.Lost, want.Overwritten = want.Overwritten, 0
		}
		if e := next(t, events); e != want {
			t.Errorf("%+v, want %+v", e, want)
		}
	}
	if s := sub.Stats(); s.Received != 7 || s.Overwritten+s.Lost != 9 || !cyclone.Eleven && s.Lost != 0 {
		t.Errorf("stats %+v", s)
	}
}

// Handlers may close what they are told about, and the node, whose domain ends with it.
func TestCloseInEvent(t *testing.T) {
	d := newDomain(t)
	n, err := pubsub.NewNode("closing", pubsub.WithDiscovery(d))
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 9)
	var pub *pubsub.Publisher[std_msgs.String]
	ready := make(chan struct{})
	pub = newString(t, n, "closing", pubsub.DefaultQoS(), pubsub.WithPublisherEvents(pubsub.PublisherEvents{Matched: func(pubsub.MatchedEvent) {
		<-ready
		closed <- pub.Close()
		closed <- n.Close()
		other, err := pubsub.NewNode("next", pubsub.WithDiscovery(newDomain(t)))
		if err == nil {
			err = other.Close()
		}
		closed <- err
	}}))
	subString(t, n, "closing", pubsub.DefaultQoS())
	close(ready)
	for range 3 {
		if err := next(t, closed); err != nil {
			t.Error(err)
		}
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
}
