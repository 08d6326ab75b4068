package pubsub_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// A batchTest has a publisher that batches, another on the same topic that does not, and a subscription
// beyond a socket, which gets what both send in the order in which they sent it.
type batchTest struct {
	t             *testing.T
	node          *pubsub.Node
	batched, next *stringPub
	got           chan string
}

func newBatchTest(t *testing.T, size int, qos pubsub.QoS) *batchTest {
	t.Helper()
	d := pubsubtest.NewDomain(t)
	b := &batchTest{t: t, node: d.NewNode("sender"), got: make(chan string, 10_000)}
	b.batched = newString(t, b.node, "batch", qos, pubsub.WithBatching(size))
	b.next = newString(t, b.node, "batch", qos) // after the other: batching must not come over it
	sub := must[*stringSub](t)(pubsub.NewSubscription(newInline(t, d, "receiver"), "batch", qos,
		func(m *std_msgs.String, _ *pubsub.MessageInfo) { b.got <- m.Data }))
	pubsubtest.WaitForMatch(t, b.batched, b.next)
	if err := sub.WaitForPublishers(pubsubtest.Context(t), 2); err != nil {
		t.Fatal(err)
	}
	b.introduce(b.batched)
	b.introduce(b.next)
	return b
}

const greeting = "hello"

// introduce publishes until something arrives: a publisher of best effort is matched a moment before it is
// heard.
func (b *batchTest) introduce(p *stringPub) {
	b.t.Helper()
	hello := greeting + p.GUID().String()
	for end := time.Now().Add(pubsubtest.Timeout); time.Now().Before(end); {
		if err := errors.Join(p.Publish(&std_msgs.String{Data: hello}), p.Flush()); err != nil {
			b.t.Fatal(err)
		}
		for again, waiting := time.After(100*time.Millisecond), true; waiting; {
			select {
			case text := <-b.got:
				if text == hello {
					return
				}
			case <-again:
				waiting = false
			}
		}
	}
	b.t.Fatal("a publisher is not heard")
}

func (b *batchTest) publish(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		if err := b.batched.Publish(&std_msgs.String{Data: text}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// arrived returns what has come so far.
func (b *batchTest) arrived() []string {
	b.t.Helper()
	const mark = "mark"
	if err := b.next.Publish(&std_msgs.String{Data: mark}); err != nil {
		b.t.Fatal(err)
	}
	var texts []string
	for text := pubsubtest.Receive(b.t, b.got); text != mark; text = pubsubtest.Receive(b.t, b.got) {
		if !strings.HasPrefix(text, greeting) {
			texts = append(texts, text)
		}
	}
	return texts
}

func (b *batchTest) expect(want ...string) {
	b.t.Helper()
	if got := b.arrived(); !slices.Equal(got, want) {
		b.t.Errorf("%q arrived, want %q", got, want)
	}
}

// patient sends nothing but what it has to: a reliable publisher now and then asks for acknowledgements.
func patient() pubsub.QoS {
	q := pubsub.DefaultQoS().KeepAll()
	q.Reliability = pubsub.BestEffort
	return q
}

func TestFlush(t *testing.T) {
	b := newBatchTest(t, 0, patient())
	b.publish("a", "b", "c")
	b.expect()
	if err := b.batched.Flush(); err != nil {
		t.Fatal(err)
	}
	b.expect("a", "b", "c")
}

// Reliable, because a subscription that learns of the end before the messages drops them otherwise.
func TestCloseFlushes(t *testing.T) {
	b := newBatchTest(t, 0, pubsub.DefaultQoS().KeepAll())
	b.publish("a", "b", "c")
	if err := b.batched.Close(); err != nil {
		t.Fatal(err)
	}
	b.expect("a", "b", "c")
}

func TestBatchAcknowledged(t *testing.T) {
	b := newBatchTest(t, 0, pubsub.DefaultQoS().KeepAll())
	b.publish("a", "b", "c")
	if err := b.batched.WaitForAcknowledgements(pubsubtest.Context(t)); err != nil {
		t.Fatal(err)
	}
	b.expect("a", "b", "c")
}

// A std_msgs/String of 3 bytes is one of 12: header, length, text and NUL.
func TestBatchSize(t *testing.T) {
	b := newBatchTest(t, 36, patient())
	b.publish("one", "two")
	b.expect()
	b.publish("3rd", "4th")
	b.expect("one", "two", "3rd")
	b.publish("5th")
	b.expect()
	b.publish("6th")
	b.expect("4th", "5th", "6th")
	if err := b.batched.Flush(); err != nil { // nothing is there
		t.Error(err)
	}
	b.expect()
}

// What does not fit into a packet any more sends it, big messages included.
func TestBatchFull(t *testing.T) {
	b := newBatchTest(t, 0, patient())
	var texts []string
	for i := range 500 {
		texts = append(texts, fmt.Sprintf("%0100d", i))
	}
	b.publish(texts...)
	n := len(b.arrived())
	if n == 0 || n == len(texts) {
		t.Errorf("%d of %d messages arrived before a flush", n, len(texts))
	}
	big := strings.Repeat("x", 100_000)
	b.publish(big)
	if err := b.batched.Flush(); err != nil {
		t.Fatal(err)
	}
	b.expect(append(texts[n:], big)...)
}

// Subscriptions of the publisher's participant do not wait, over DDS or without.
func TestBatchingWithinProcess(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("a")
	qos := pubsub.DefaultQoS()
	got, far := make(chan string, 10), make(chan string, 10)
	into := func(ch chan string) func(*std_msgs.String, *pubsub.MessageInfo) {
		return func(m *std_msgs.String, _ *pubsub.MessageInfo) { ch <- m.Data }
	}
	pub := intraPub(t, n, qos, pubsub.WithBatching(0))
	direct := intraSub(t, n, qos, into(got))
	over := must[*stringSub](t)(pubsub.NewSubscription(n, "intra", qos, into(got)))
	remote := must[*stringSub](t)(pubsub.NewSubscription(newInline(t, d, "far"), "intra", qos, into(far)))
	if err := pub.WaitForSubscribers(pubsubtest.Context(t), 3); err != nil {
		t.Fatal(err)
	}
	pubsubtest.WaitForMatch(t, direct, over, remote)
	publishOwned(t, pub, own("x"))
	for range 2 {
		if text := pubsubtest.Receive(t, got); text != "x" {
			t.Errorf("got %q", text)
		}
	}
	if err := pub.Flush(); err != nil {
		t.Fatal(err)
	}
	if text := pubsubtest.Receive(t, far); text != "x" {
		t.Errorf("got %q", text)
	}
}

// A callback on a receive path may flush a publisher of its topic.
func TestFlushInDelivery(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("a")
	qos := pubsub.DefaultQoS()
	echo := newString(t, n, "echo", qos, pubsub.WithBatching(0))
	errs := make(chan error, 1)
	inline := newInline(t, d, "b")
	must[*stringSub](t)(pubsub.NewSubscription(inline, "in", qos, func(m *std_msgs.String, _ *pubsub.MessageInfo) {
		if err := echo.Publish(m); err != nil {
			errs <- err
			return
		}
		errs <- echo.Flush()
	}))
	got := make(chan string, 1)
	must[*stringSub](t)(pubsub.NewSubscription(newInline(t, d, "c"), "echo", qos, func(m *std_msgs.String, _ *pubsub.MessageInfo) { got <- m.Data }))
	pub := newString(t, n, "in", qos)
	pubsubtest.WaitForMatch(t, pub, echo)
	publishOwned(t, pub, own("x"))
	if err := pubsubtest.Receive(t, errs); err != nil {
		t.Fatal(err)
	}
	if text := pubsubtest.Receive(t, got); text != "x" {
		t.Errorf("got %q", text)
	}
}

// What is in force depends on the library and on its configuration.
func TestBatchingInForce(t *testing.T) {
	asked := pubsub.BatchingProcess
	if cyclone.BatchingPolicy {
		asked = pubsub.BatchingPublisher
	}
	n := pubsubtest.NewDomain(t).NewNode("a")
	qos := pubsub.DefaultQoS()
	plain := newString(t, n, "plain", qos)
	if got := plain.Batching(); got != pubsub.BatchingOff {
		t.Errorf("by default %v", got)
	}
	for range 2 { // it ends with the publisher and begins anew
		batched := newString(t, n, "batched", qos, pubsub.WithBatching(0))
		if got := batched.Batching(); got != asked {
			t.Errorf("asked for: %v, want %v", got, asked)
		}
		if got := plain.Batching(); got != pubsub.BatchingOff {
			t.Errorf("beside a publisher that asked for it: %v", got)
		}
		if got := newString(t, n, "plain", qos).Batching(); got != pubsub.BatchingOff {
			t.Errorf("after a publisher that asked for it: %v", got)
		}
		batched.Close()
	}
	raw := must[*pubsub.RawPublisher](t)(pubsub.NewRawPublisher(n, "raw", "std_msgs/msg/String", qos, pubsub.WithBatching(64)))
	if got := raw.Batching(); got != asked {
		t.Errorf("raw: %v, want %v", got, asked)
	}
	if err := raw.Flush(); err != nil {
		t.Error(err)
	}
	raw.Close()
	if _, err := pubsub.NewPublisher[std_msgs.String](n, "x", qos, pubsub.WithBatching(-1)); err == nil || !strings.Contains(err.Error(), "batch of -1 bytes") {
		t.Errorf("a negative size: %v", err)
	}

	config := newDomain(t)
	config.Config = `<Domain Id="any"><Internal><WriteBatch>true</WriteBatch></Internal></Domain>`
	configured := nodeIn(t, config, "configured")
	for _, options := range [][]pubsub.PublisherOption{nil, {pubsub.WithBatching(0)}} {
		p := newString(t, configured, "configured", qos, options...)
		if got := p.Batching(); got != pubsub.BatchingProcess {
			t.Errorf("configured, with %d options: %v", len(options), got)
		}
		p.Close()
	}
}
