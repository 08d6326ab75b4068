package role_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/contender/role"
)

// A bus hands stamps from outlets to inlets.
type bus map[string]chan contender.Stamp

func newBus(topics ...string) bus {
	b := bus{}
	for _, t := range topics {
		b[t] = make(chan contender.Stamp, 1000)
	}
	return b
}

// A node runs its callbacks on the goroutine that calls Run.
type node struct {
	bus      bus
	received map[string]func(contender.Stamp)
	edit     func(contender.Stamp) (copies int, err error) // of what is sent
}

func (b bus) node(edit func(contender.Stamp) (int, error)) *node {
	return &node{b, map[string]func(contender.Stamp){}, edit}
}

func (n *node) Outlet(topic string, _ int, _ string) (role.Outlet, error) {
	return &outlet{n, n.bus[topic]}, nil
}

func (n *node) Inlet(topic string, received func(contender.Stamp)) (role.Inlet, error) {
	n.received[topic] = received
	return inlet{}, nil
}

// Run leaves nothing behind that was sent before ctx ended.
func (n *node) Run(ctx context.Context) error {
	for ended := false; !ended; {
		ended = ctx.Err() != nil
		for topic, received := range n.received {
			for len(n.bus[topic]) > 0 {
				received(<-n.bus[topic])
			}
		}
		time.Sleep(100 * time.Microsecond)
	}
	return nil
}

func (n *node) Close() error { return nil }

type outlet struct {
	node *node
	to   chan contender.Stamp
}

func (o *outlet) Send(s contender.Stamp) error {
	copies, err := 1, error(nil)
	if o.node.edit != nil {
		copies, err = o.node.edit(s)
	}
	for range copies {
		o.to <- s
	}
	return err
}

func (o *outlet) Flush() error                                  { return nil }
func (o *outlet) WaitForAcknowledgements(context.Context) error { return nil }
func (o *outlet) WaitForSubscribers(context.Context, int) error { return nil }

type inlet struct{}

func (inlet) WaitForPublishers(context.Context, int) error { return nil }

// A ping that gets no answer is counted as lost and the next one sent; a second answer is a duplicate.
func TestPingCountsLossesAndDuplicates(t *testing.T) {
	b := newBus(role.PingTopic, role.PongTopic)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := role.Pong(ctx, contender.Config{}, b.node(func(s contender.Stamp) (int, error) {
			copies, special := map[uint64]int{7: 0, 9: 2}[s.Number]
			if !special {
				copies = 1
			}
			return copies, nil
		}))
		done <- err
	}()
	r, err := role.Ping(ctx, contender.Config{Warmup: 2, Count: 20}, b.node(nil))
	if err != nil {
		t.Fatal(err)
	}
	if r.Sent != 20 || r.Received != 19 || r.Duplicates != 1 || r.Latency.Count() != 19 {
		t.Errorf("%d of %d answered, %d twice, %d times; want 19 of 20, 1, 19", r.Received, r.Sent, r.Duplicates, r.Latency.Count())
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// What the library refuses is counted one way, and ends a ping.
func TestRefused(t *testing.T) {
	refuse := func(s contender.Stamp) (int, error) {
		if s.Number == 5 {
			return 0, errors.New("refused")
		}
		return 1, nil
	}
	b := newBus(role.Topic(0), role.PingTopic)
	r, err := role.Publish(t.Context(), contender.Config{Topics: 1, Rate: 1000, Warmup: 2, Count: 10}, b.node(refuse))
	if err != nil || r.Sent != 9 || r.Failed != 1 {
		t.Errorf("%+v, %v; want 9 sent and 1 refused", r, err)
	}
	b[role.PongTopic] = b[role.PingTopic] // each ping answers itself
	if _, err := role.Ping(t.Context(), contender.Config{Count: 10}, b.node(refuse)); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("ping: %v, want that it was refused", err)
	}
}

// The warm-up is left out, whatever the topic's rate makes of it.
func TestWithin(t *testing.T) {
	b := newBus(role.Topic(0), role.Topic(1), role.Topic(2))
	c := contender.Config{Topics: 3, Rate: 1000, BackgroundRate: 500, Warmup: 10, Count: 50}
	r, err := role.Within(t.Context(), c, b.node(nil), b.node(nil))
	if err != nil {
		t.Fatal(err)
	}
	if r.Sent != 50 || r.Received != 50 || r.BackgroundSent != 50 || r.BackgroundReceived != 50 || r.FirstTime == 0 {
		t.Errorf("sent %d and %d, received %d and %d", r.Sent, r.BackgroundSent, r.Received, r.BackgroundReceived)
	}
}
