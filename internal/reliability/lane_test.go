//go:build long

package reliability

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"golang.org/x/sys/unix"
)

// relayed is what a relay tells.
type relayed struct {
	Published int
	Refused   int // with ErrTimeout, because the network has no room
	Failed    int
	Waited    int           // of the published, how often the thread gave up its processor by itself
	Longest   time.Duration // of those
	Slowest   time.Duration // of all, which the machine's load is part of
}

// A relay publishes what comes in on a lane, in the callback.
type relay struct {
	publisher *pubsub.Publisher[std_msgs.UInt8MultiArray]
	first     func()
	r         relayed
}

func (r *relay) message(m *std_msgs.UInt8MultiArray, _ *pubsub.MessageInfo) {
	before, begin := waits(), pubsub.Monotonic()
	err := r.publisher.Publish(m)
	took, waited := time.Duration(pubsub.Monotonic()-begin), waits() > before
	if r.r.Published++; r.r.Published == 1 {
		r.first()
	}
	switch {
	case errors.Is(err, pubsub.ErrTimeout):
		r.r.Refused++
	case err != nil:
		r.r.Failed++
	}
	if waited {
		r.r.Waited++
		r.r.Longest = max(r.r.Longest, took)
	}
	r.r.Slowest = max(r.r.Slowest, took)
}

// waits is how often the thread has waited for something: a thread that is merely preempted does not.
func waits() int64 {
	var u unix.Rusage
	// The arguments are right (getrusage(2)).
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &u)
	return u.Nvcsw
}

// relayLane is the role of a relay from /in to the topic of the stream. It says "relaying" with the first
// message, hears "end" and says "relayed".
func relayLane(c *console) error {
	var s stream
	if err := c.hear("config", &s); err != nil {
		return err
	}
	ex, err := executor.New(executor.WithPlan(executor.Plan{Lanes: []executor.Lane{{Name: "relay", Topics: []string{"/in"}}}}))
	if err != nil {
		return err
	}
	node, err := pubsub.NewNode("relay", pubsub.WithDiscovery(s.Discovery), pubsub.WithRosout(false), pubsub.WithScheduler(ex))
	if err != nil {
		return err
	}
	r := &relay{first: func() {
		// That the test is gone shows when it has nothing more to say.
		_ = c.say("relaying", nil)
	}}
	if r.publisher, err = pubsub.NewPublisher[std_msgs.UInt8MultiArray](node, s.Topic, s.QoS); err != nil {
		return err
	}
	if _, err = pubsub.NewSubscription(node, "/in", pubsub.SensorDataQoS(), r.message); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- ex.Run(ctx) }()
	err = c.hear("end", nil)
	cancel()
	if err := errors.Join(err, <-ran, node.Close(), ex.Close()); err != nil {
		return err
	}
	if err := c.say("relayed", r.r); err != nil {
		return err
	}
	return untilEOF(c)
}

// The callback of a lane that publishes with best effort does not wait, whatever the network is like.
func TestLaneNeverWaits(t *testing.T) {
	if !permitted(t) {
		return
	}
	table := kept.table(t, "lane", "network", "publishes", "refused", "received", "lost", "overwritten", "publishes that waited", "longest of them",
		"slowest publish", "frames offered", "lost", "over the queue's limit", "while down")
	all := networks
	if !cyclone.Eleven { // which does not tell what its sockets hold
		// A queue of the kernel's takes more than the sender's socket has room for.
		all = append(slices.Clone(all), network{name: "1 Mbit/s, a queue of 2 MB in the kernel", link: "rate=1mbit,queue=2000000"})
	}
	table.rows = make([][]string, len(all))
	t.Run("relay", func(t *testing.T) {
		for i, n := range all {
			t.Run(n.name, func(t *testing.T) {
				t.Parallel()
				table.rows[i] = n.relay(t)
			})
		}
	})
}

// relay has a relay on one host publish to a subscriber on the other, and returns the row of the table.
func (n *network) relay(t *testing.T) []string {
	s := stream{Discovery: between, Topic: "/numbers", QoS: pubsub.SensorDataQoS(), Count: 1000, Size: 1000, Rate: 1000}
	if *full {
		s.Count = 20_000
	}
	if n.down > 0 {
		s.Count += int(s.Rate * n.down.Seconds())
	}
	in := s
	in.Topic = "/in"
	pair := n.join(t)
	subscriber := start(t, pair.Namespaces[1], "subscriber", s)
	relay := start(t, pair.Namespaces[0], "relay", s)
	publisher := start(t, pair.Namespaces[0], "publisher", in)
	publisher.hear(t, 5*time.Minute, "ready", nil)
	relay.hear(t, 5*time.Minute, "relaying", nil)
	subscriber.hear(t, 5*time.Minute, "heard", nil)
	publisher.say(t, "go", nil)
	if n.down > 0 {
		if err := pair.SetUp(false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(n.down)
		if err := pair.SetUp(true); err != nil {
			t.Fatal(err)
		}
	}
	publisher.hear(t, 5*time.Minute, "sent", nil)
	relay.say(t, "end", nil)
	var r relayed
	relay.hear(t, 5*time.Minute, "relayed", &r)
	subscriber.say(t, "end", nil)
	var here received
	subscriber.hear(t, 5*time.Minute, "received", &here)
	if here.Repeated > 0 {
		t.Errorf("%d messages came again or out of order", here.Repeated)
	}
	if r.Failed > 0 || r.Published < s.Count/2 {
		t.Errorf("%d of %d messages were relayed, %d not", r.Published, s.Count, r.Failed)
	}
	// A lock that another thread holds for a moment makes one wait now and then, a full queue always.
	if r.Waited > r.Published/50 {
		t.Errorf("%d of %d publishes waited, for up to %v", r.Waited, r.Published, r.Longest)
	}
	counters, err := pair.Counters()
	if err != nil {
		t.Fatal(err)
	}
	offered, lost, overflowed, down := "", "", "", ""
	if counters != nil {
		c := sum(counters)
		all := cells(c.Offered, c.Lost, c.Overflowed, c.Down)
		offered, lost, overflowed, down = all[0], all[1], all[2], all[3]
	}
	return cells(n.name, r.Published, r.Refused, here.Received, here.Stats.Lost, here.Stats.Overwritten, r.Waited, r.Longest.Round(time.Microsecond),
		r.Slowest.Round(time.Microsecond), offered, lost, overflowed, down)
}
