package pubsub_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

type (
	stringPub = pubsub.Publisher[std_msgs.String]
	stringSub = pubsub.Subscription[std_msgs.String]
)

func intraPub(t testing.TB, n *pubsub.Node, qos pubsub.QoS, options ...pubsub.PublisherOption) *stringPub {
	t.Helper()
	return must[*stringPub](t)(pubsub.NewPublisher[std_msgs.String](n, "intra", qos, append(options, pubsub.WithPublisherIntraProcess())...))
}

func intraSub(t testing.TB, n *pubsub.Node, qos pubsub.QoS, callback func(*std_msgs.String, *pubsub.MessageInfo)) *stringSub {
	t.Helper()
	return must[*stringSub](t)(pubsub.NewSubscription(n, "intra", qos, callback, pubsub.WithSubscriptionIntraProcess()))
}

func own(text string) *std_msgs.String { return &std_msgs.String{Data: text} }

func publishOwned(t testing.TB, p *stringPub, m *std_msgs.String) {
	t.Helper()
	if err := p.PublishOwned(m); err != nil {
		t.Fatal(err)
	}
}

// Subscriptions that ask for it share the message itself, of which DDS learns nothing.
func TestIntraProcess(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("a")
	qos := pubsub.DefaultQoS()
	type got struct {
		m    *std_msgs.String
		info pubsub.MessageInfo
	}
	messages := make(chan got, 10)
	callback := func(m *std_msgs.String, info *pubsub.MessageInfo) { messages <- got{m, *info} }
	intraSub(t, n, qos, callback)
	pub := intraPub(t, n, qos)
	intraSub(t, d.NewNode("b"), qos, callback)
	pubsubtest.Eventually(t, func() bool { return pubsub.IntraOnly(pub) })
	stamp := time.Unix(1700000000, 7)
	m := own("x")
	if err := pub.PublishOwnedAt(m, stamp); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		g := pubsubtest.Receive(t, messages)
		if g.m != m {
			t.Error("the message was copied")
		}
		if i := g.info; !i.IntraProcess || i.Sequence != 1 || i.Publisher != pub.GUID() || !i.SourceTime.Equal(stamp) || time.Since(i.ReceptionTime()) > pubsubtest.Timeout {
			t.Errorf("info %+v", i)
		}
	}
	if err := pub.Publish(m); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if g := pubsubtest.Receive(t, messages); g.m == m || g.m.Data != "x" {
			t.Error("Publish did not copy the message")
		}
	}
	if n := pubsub.Written(pub); n != 0 {
		t.Errorf("%d messages were written to DDS", n)
	}
	pub.Close()
	if err := pub.PublishOwned(m); !errors.Is(err, pubsub.ErrClosed) {
		t.Errorf("publish on a closed publisher: %v", err)
	}
}

// Everybody gets everything once and in order, whoever comes and goes meanwhile.
func TestIntraProcessMixed(t *testing.T) {
	const count = 300
	d := pubsubtest.NewDomain(t)
	n, far := d.NewNode("a"), newInline(t, d, "far")
	qos := pubsub.DefaultQoS().KeepAll()
	pub := intraPub(t, n, qos, pubsub.WithMaxBlocking(pubsubtest.Timeout))
	var mu sync.Mutex
	ends := map[string]chan struct{}{}
	// Whoever joins over DDS may get some of what came before, too: what others have not acknowledged yet.
	check := func(who string, first int, overDDS bool) func(*std_msgs.String, *pubsub.MessageInfo) {
		end := make(chan struct{})
		ends[who] = end
		next := first
		if overDDS {
			next = 0
		}
		return func(m *std_msgs.String, info *pubsub.MessageInfo) {
			mu.Lock()
			defer mu.Unlock()
			n, err := strconv.Atoi(m.Data)
			if overDDS && next <= n && n <= first {
				next = n
			}
			if err != nil || n != next {
				t.Errorf("%s got %s, want %d", who, m.Data, next)
			}
			if next++; next == count {
				close(end)
			}
		}
	}
	intraSub(t, n, qos, check("direct", 0, false))
	inline := intraSub(t, far, qos, check("inline", 0, true)) // over DDS all the same
	must[*stringSub](t)(pubsub.NewSubscription(n, "intra", qos, check("without", 0, true)))
	if err := pub.WaitForSubscribers(pubsubtest.Context(t), 3); err != nil {
		t.Fatal(err)
	}
	for i := range count {
		if i == count/3 {
			pubsubtest.Eventually(t, func() bool { return inline.Stats().Received == uint64(i) })
			must[*stringSub](t)(pubsub.NewSubscription(far, "intra", qos, check("late", i, true)))
			intraSub(t, n, qos, check("late direct", i, false))
			if err := pub.WaitForSubscribers(pubsubtest.Context(t), 5); err != nil {
				t.Fatal(err)
			}
		}
		publishOwned(t, pub, own(fmt.Sprint(i)))
	}
	for who, end := range ends {
		select {
		case <-end:
		case <-time.After(pubsubtest.Timeout):
			t.Errorf("%s did not get everything", who)
		}
	}
}

// DDS is written to from the moment on in which somebody else is matched.
func TestIntraProcessJoined(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("a")
	qos := pubsub.DefaultQoS().KeepAll()
	pub := intraPub(t, n, qos)
	direct := intraSub(t, n, qos, nil)
	pubsubtest.Eventually(t, func() bool { return pubsub.IntraOnly(pub) })
	publishOwned(t, pub, own("1"))
	other := must[*stringSub](t)(pubsub.NewSubscription[std_msgs.String](n, "intra", qos, nil))
	publishOwned(t, pub, own("2"))
	if m, info := pubsubtest.Next(t, other); m.Data != "2" || info.IntraProcess {
		t.Errorf("got %v, %+v", m, info)
	}
	other.Close()
	pubsubtest.Eventually(t, func() bool { return pubsub.IntraOnly(pub) })
	publishOwned(t, pub, own("3"))
	for _, want := range []string{"1", "2", "3"} {
		if m, info := pubsubtest.Next(t, direct); m.Data != want || !info.IntraProcess {
			t.Errorf("got %v, %+v; want %s", m, info, want)
		}
	}
	if _, _, err := direct.Take(); !errors.Is(err, pubsub.ErrNoMessage) {
		t.Errorf("one more: %v", err)
	}
	if n := pubsub.Written(pub); n != 1 {
		t.Errorf("%d messages were written to DDS, want 1", n)
	}
}

// The history is that of the QoS.
func TestIntraProcessHistory(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("a")
	const limit = 1000
	for _, tt := range []struct {
		name            string
		qos             pubsub.QoS
		published, want int
		dropped         uint64
	}{
		{"keep last", pubsub.DefaultQoS().KeepLast(3), 10, 3, 7},
		{"keep last, deep", pubsub.DefaultQoS().KeepLast(100), 150, 100, 50},
		{"keep all", pubsub.DefaultQoS().KeepAll(), limit, limit, 0},
		{"keep all, best effort", pubsub.DefaultQoS().KeepAll().BestEffort(), limit + 5, limit, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pub := intraPub(t, n, tt.qos, pubsub.WithMaxBlocking(10*time.Millisecond))
			defer pub.Close()
			sub := intraSub(t, n, tt.qos, nil)
			defer sub.Close()
			pubsubtest.Eventually(t, func() bool { return pubsub.IntraOnly(pub) })
			for i := range tt.published {
				publishOwned(t, pub, own(fmt.Sprint(i)))
			}
			if tt.want == limit && tt.dropped == 0 {
				begin := time.Now()
				if err := pub.PublishOwned(own("too many")); !errors.Is(err, pubsub.ErrTimeout) {
					t.Errorf("publish to a full history: %v", err)
				}
				if d := time.Since(begin); d < 10*time.Millisecond {
					t.Errorf("it waited %v", d)
				}
				go sub.Take() // makes space for the next one
				waiting := intraPub(t, n, tt.qos, pubsub.WithMaxBlocking(time.Minute))
				publishOwned(t, waiting, own("last"))
				tt.published++
			}
			first := tt.published - tt.want
			if tt.qos.Reliability == pubsub.BestEffort {
				first = 0
			}
			for i := range tt.want {
				want := fmt.Sprint(first + i)
				if tt.dropped == 0 && i == tt.want-1 {
					want = "last"
				}
				if m, _ := pubsubtest.Next(t, sub); m.Data != want {
					t.Fatalf("got %s, want %s", m.Data, want)
				}
			}
			if s := sub.Stats(); s.Overwritten != tt.dropped || s.Lost != 0 {
				t.Errorf("stats %+v, want %d dropped", s, tt.dropped)
			}
		})
	}
}

func TestIntraProcessTransientLocal(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("a")
	qos := pubsub.DefaultQoS().KeepLast(2).TransientLocal()
	pub := intraPub(t, n, qos)
	early := intraSub(t, n, qos.KeepAll(), nil)
	for i := range 5 {
		publishOwned(t, pub, own(fmt.Sprint(i)))
	}
	late := intraSub(t, n, qos.KeepAll(), nil)
	remote := make(chan string, 10)
	must[*stringSub](t)(pubsub.NewSubscription(newInline(t, d, "far"), "intra", qos.KeepAll(),
		func(m *std_msgs.String, _ *pubsub.MessageInfo) { remote <- m.Data }))
	for want := 3; want < 5; want++ {
		if text := pubsubtest.Receive(t, remote); text != fmt.Sprint(want) {
			t.Errorf("remote: got %s, want %d", text, want)
		}
	}
	publishOwned(t, pub, own("5"))
	for want := range 6 {
		if m, info := pubsubtest.Next(t, early); m.Data != fmt.Sprint(want) || !info.IntraProcess {
			t.Errorf("early: got %v, %+v; want %d", m, info, want)
		}
	}
	for want := 3; want < 6; want++ {
		if m, info := pubsubtest.Next(t, late); m.Data != fmt.Sprint(want) || info.IntraProcess != (want == 5) {
			t.Errorf("late: got %v, %+v; want %d", m, info, want)
		}
	}
	if text := pubsubtest.Receive(t, remote); text != "5" {
		t.Errorf("remote: got %s, want 5", text)
	}
}

func TestIntraProcessLifespan(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("a")
	qos := pubsub.DefaultQoS()
	sub := intraSub(t, n, qos, nil)
	qos.Lifespan = time.Hour
	pub := intraPub(t, n, qos)
	pubsubtest.Eventually(t, func() bool { return pubsub.IntraOnly(pub) })
	if err := pub.PublishOwnedAt(own("old"), time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	publishOwned(t, pub, own("new"))
	if m, _ := pubsubtest.Next(t, sub); m.Data != "new" {
		t.Errorf("got %v", m)
	}
	if s := sub.Stats(); s.Overwritten != 1 {
		t.Errorf("stats %+v", s)
	}
}

// What a polled subscription gives out is the caller's.
func TestIntraProcessTake(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("a")
	first, second := intraSub(t, n, pubsub.DefaultQoS(), nil), intraSub(t, n, pubsub.DefaultQoS(), nil)
	pub := intraPub(t, n, pubsub.DefaultQoS())
	publishOwned(t, pub, own("x"))
	m, _ := pubsubtest.Next(t, first)
	m.Data = "changed"
	if m, _ := pubsubtest.Next(t, second); m.Data != "x" {
		t.Errorf("got %v", m)
	}
}

// Where DDS has to watch deadlines it sees everything.
func TestIntraProcessDeadline(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("a")
	qos := pubsub.DefaultQoS()
	qos.Deadline = time.Hour
	sub := intraSub(t, n, qos, nil)
	pub := intraPub(t, n, qos)
	pubsubtest.WaitForMatch(t, pub)
	publishOwned(t, pub, own("x"))
	if m, info := pubsubtest.Next(t, sub); m.Data != "x" || info.IntraProcess {
		t.Errorf("got %v, %+v", m, info)
	}
}

func TestIntraProcessAllocations(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("a")
	sub := intraSub(t, n, pubsub.DefaultQoS(), func(*std_msgs.String, *pubsub.MessageInfo) {})
	pub := intraPub(t, n, pubsub.DefaultQoS())
	pubsubtest.Eventually(t, func() bool { return pubsub.IntraOnly(pub) })
	m := own("x")
	allocatesNothing(t, func() {
		before := sub.Stats().Received
		publishOwned(t, pub, m)
		for sub.Stats().Received == before {
			time.Sleep(0)
		}
	})
}
