package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

type (
	bytesPub = pubsub.Publisher[std_msgs.ByteMultiArray]
	bytesSub = pubsub.Subscription[std_msgs.ByteMultiArray]
)

func mebibyte() *std_msgs.ByteMultiArray { return &std_msgs.ByteMultiArray{Data: make([]byte, 1<<20)} }

// newInline returns a node whose subscriptions are on a receive path.
func newInline(t testing.TB, d *pubsubtest.Domain, name string) *pubsub.Node {
	t.Helper()
	s := &inline{}
	n := d.NewNode(name, pubsub.WithScheduler(s))
	t.Cleanup(func() {
		n.Close()
		if s.path != nil {
			s.path.Close()
		}
	})
	return n
}

// A publisher whose subscription does not acknowledge gives up in time, and what it says was not sent
// is not received.
func TestMaxBlocking(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	qos := pubsub.DefaultQoS().KeepAll()
	hold := make(chan struct{})
	sub := must[*bytesSub](t)(pubsub.NewSubscription(newInline(t, d, "slow"), "x", qos,
		func(*std_msgs.ByteMultiArray, *pubsub.MessageInfo) { <-hold }))
	const blocking = 50 * time.Millisecond
	pub := must[*bytesPub](t)(pubsub.NewPublisher[std_msgs.ByteMultiArray](d.NewNode("sender"), "x", qos, pubsub.WithMaxBlocking(blocking)))
	pubsubtest.WaitForMatch(t, pub, sub)
	sent, refused := uint64(0), 0
	m := mebibyte()
	for refused < 3 {
		begin := time.Now()
		switch err := pub.Publish(m); {
		case err == nil:
			sent++
		case !errors.Is(err, pubsub.ErrTimeout):
			t.Fatal(err)
		default:
			refused++
			if d := time.Since(begin); d < blocking {
				t.Errorf("gave up after %v", d)
			}
		}
		if sent > 1000 {
			t.Fatal("1 GiB was sent to a subscription that does not acknowledge")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := pub.WaitForAcknowledgements(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("wait for an acknowledgement that does not come: %v", err)
	}
	close(hold)
	if err := pub.WaitForAcknowledgements(pubsubtest.Context(t)); err != nil {
		t.Error(err)
	}
	if err := pub.Publish(m); err != nil {
		t.Error(err)
	}
	pubsubtest.Eventually(t, func() bool { return sub.Stats().Received == sent+1 })
	if s := sub.Stats(); s.Lost != 0 || s.Overwritten != 0 {
		t.Errorf("sent %d: %+v", sent, s)
	}
	pub.Close()
	if err := pub.WaitForAcknowledgements(t.Context()); !errors.Is(err, pubsub.ErrClosed) {
		t.Errorf("wait for the acknowledgements of a closed publisher: %v", err)
	}
}

// The callback of a path publishes big reliable messages and never waits for the path, which could not
// acknowledge them meanwhile.
func TestLaneReplies(t *testing.T) {
	const count, big = 20, 3
	const blocking = 20 * time.Second
	for _, where := range []string{"elsewhere", "on the same path"} {
		t.Run(where, func(t *testing.T) {
			d := pubsubtest.NewDomain(t)
			n := newInline(t, d, "lane")
			qos := pubsub.DefaultQoS().KeepAll()
			reply := must[*bytesPub](t)(pubsub.NewPublisher[std_msgs.ByteMultiArray](n, "reply", qos, pubsub.WithMaxBlocking(blocking)))
			m := mebibyte()
			var slowest atomic.Int64
			var sent atomic.Uint64
			requests := must[*pubsub.Subscription[std_msgs.Int32]](t)(pubsub.NewSubscription(n, "request", qos,
				func(*std_msgs.Int32, *pubsub.MessageInfo) {
					for range big {
						begin := pubsub.Monotonic()
						if err := reply.Publish(m); err == nil {
							sent.Add(1)
						} else if where == "elsewhere" || !errors.Is(err, pubsub.ErrTimeout) {
							t.Error(err)
							return
						}
						slowest.Store(max(slowest.Load(), pubsub.Monotonic()-begin))
					}
				}))
			listener := n
			if where == "elsewhere" {
				listener = newInline(t, d, "listener")
			}
			replies := must[*bytesSub](t)(pubsub.NewSubscription(listener, "reply", qos, func(*std_msgs.ByteMultiArray, *pubsub.MessageInfo) {}))
			pub := must[*pubsub.Publisher[std_msgs.Int32]](t)(pubsub.NewPublisher[std_msgs.Int32](d.NewNode("sender"), "request", qos))
			pubsubtest.WaitForMatch(t, pub, requests, reply, replies)
			for i := range count {
				if err := pub.Publish(&std_msgs.Int32{Data: int32(i)}); err != nil {
					t.Fatal(err)
				}
			}
			pubsubtest.Eventually(t, func() bool { return requests.Stats().Received == count && replies.Stats().Received == sent.Load() })
			t.Logf("%d of %d replies sent, the slowest in %v", sent.Load(), count*big, time.Duration(slowest.Load()))
			if d := time.Duration(slowest.Load()); d > blocking*4/5 {
				t.Errorf("a reply took %v", d)
			}
		})
	}
}

// Late subscriptions get the last messages that both sides keep, and nothing else.
func TestLateJoiners(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	latched := func(depth int) pubsub.QoS { return pubsub.DefaultQoS().KeepLast(depth).TransientLocal() }
	sender, near, far := d.NewNode("sender"), d.NewNode("near"), newInline(t, d, "far")
	for _, tt := range []struct{ published, depth, asked int }{
		{0, 5, 5}, {3, 5, 5}, {10, 5, 5}, {10, 5, 100}, {10, 100, 2}, {1, 1, 1}, {300, 250, 300},
	} {
		topic := fmt.Sprintf("late_%d_%d_%d", tt.published, tt.depth, tt.asked)
		pub := must[*pubsub.Publisher[std_msgs.Int32]](t)(pubsub.NewPublisher[std_msgs.Int32](sender, topic, latched(tt.depth)))
		for i := range tt.published {
			if err := pub.Publish(&std_msgs.Int32{Data: int32(i)}); err != nil {
				t.Fatal(err)
			}
		}
		remote := make(chan int32, tt.published+1)
		local := must[*pubsub.Subscription[std_msgs.Int32]](t)(pubsub.NewSubscription[std_msgs.Int32](near, topic, latched(tt.asked), nil))
		must[*pubsub.Subscription[std_msgs.Int32]](t)(pubsub.NewSubscription(far, topic, latched(tt.asked),
			func(m *std_msgs.Int32, _ *pubsub.MessageInfo) { remote <- m.Data }))
		if err := pub.WaitForSubscribers(pubsubtest.Context(t), 2); err != nil {
			t.Fatal(err)
		}
		for want := tt.published - min(tt.published, tt.depth, tt.asked); want < tt.published; want++ {
			if m, _ := pubsubtest.Next(t, local); int(m.Data) != want {
				t.Fatalf("%s: got %d, want %d", topic, m.Data, want)
			}
		}
		// Its callback takes what comes out of the publisher's history one by one.
		for want := tt.published - min(tt.published, tt.depth); want < tt.published; want++ {
			if i := pubsubtest.Receive(t, remote); int(i) != want {
				t.Fatalf("%s: got %d, want %d beyond the participant", topic, i, want)
			}
		}
		if err := pub.Publish(&std_msgs.Int32{Data: -1}); err != nil { // what is old would come before
			t.Fatal(err)
		}
		if m, _ := pubsubtest.Next(t, local); m.Data != -1 {
			t.Errorf("%s: got %d after the last one", topic, m.Data)
		}
		if i := pubsubtest.Receive(t, remote); i != -1 {
			t.Errorf("%s: got %d after the last one beyond the participant", topic, i)
		}
	}
}

// Everything may be closed at any time from anywhere.
func TestCloseStress(t *testing.T) {
	const rounds, publishers = 10, 6
	before := resources(t)
	pubsubtest.CheckLeaks(t)
	for round := range rounds {
		closeStress(t, publishers, round%2 == 0)
	}
	runtime.GC()
	after := resources(t)
	if more := after.threads - before.threads; more > 5*rounds { // the Go runtime keeps some, a domain has more
		t.Errorf("%d threads more than before", more)
	}
	if more := after.memory - before.memory; more > 100<<20 {
		t.Errorf("%d MiB more are in use than before", more>>20)
	}
}

// closeStress closes nodes, publishers and subscriptions while messages are under way, from callbacks
// and from outside.
func closeStress(t *testing.T, publishers int, nodeFirst bool) {
	id := fmt.Sprintf("%s_%v", t.Name(), nodeFirst)
	t.Run(id, func(t *testing.T) {
		d := pubsubtest.NewDomain(t)
		lane := newInline(t, d, "lane")
		n := d.NewNode("stress")
		qos := pubsub.DefaultQoS().KeepLast(100)
		var wg sync.WaitGroup
		closed := func(err error) bool {
			if err != nil && !errors.Is(err, pubsub.ErrClosed) && !errors.Is(err, pubsub.ErrTimeout) && !errors.Is(err, pubsub.ErrInDelivery) {
				t.Error(err)
			}
			return errors.Is(err, pubsub.ErrClosed)
		}
		back := must[*bytesPub](t)(pubsub.NewPublisher[std_msgs.ByteMultiArray](n, "back", qos))
		stop := make(chan struct{})
		for i := range publishers {
			var options []pubsub.PublisherOption
			if i%2 == 0 {
				options = append(options, pubsub.WithPublisherIntraProcess())
			}
			pub := must[*bytesPub](t)(pubsub.NewPublisher[std_msgs.ByteMultiArray](n, "stress", qos, options...))
			wg.Go(func() {
				m := &std_msgs.ByteMultiArray{Data: make([]byte, 1<<(4*uint(i%5)))}
				for !closed(pub.PublishOwned(m)) {
					select {
					case <-stop:
						return
					default:
					}
				}
			})
			wg.Go(func() {
				time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
				closed(pub.WaitForAcknowledgements(pubsubtest.Context(t)))
				closed(pub.Close())
			})
		}
		for _, n := range []*pubsub.Node{lane, n, lane, n} {
			var created atomic.Pointer[bytesSub]
			limit, count := rand.Int64N(300), int64(0)
			sub := must[*bytesSub](t)(pubsub.NewSubscription(n, "stress", qos,
				func(m *std_msgs.ByteMultiArray, _ *pubsub.MessageInfo) {
					closed(back.Publish(m))
					if count++; count >= limit {
						if sub := created.Load(); sub != nil {
							closed(sub.Close())
						}
					}
				}, pubsub.WithSubscriptionIntraProcess()))
			created.Store(sub)
			wg.Go(func() {
				time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
				closed(sub.Close())
			})
		}
		polled := must[*bytesSub](t)(pubsub.NewSubscription[std_msgs.ByteMultiArray](n, "back", qos, nil))
		wg.Go(func() {
			for range polled.All(pubsubtest.Context(t)) {
			}
		})
		for range 3 {
			wg.Go(func() {
				time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
				if nodeFirst {
					closed(n.Close())
				} else {
					closed(polled.Close())
				}
			})
		}
		time.Sleep(60 * time.Millisecond)
		close(stop)
		wg.Wait()
	})
}

// usage is what the process has of what could leak without the Go runtime noticing.
type usage struct {
	threads int
	memory  int // bytes of anonymous memory
}

func resources(t testing.TB) usage {
	t.Helper()
	dirs, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	u := usage{threads: len(dirs)}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "RssAnon: %d kB", &u.memory); err == nil {
			u.memory <<= 10
		}
	}
	return u
}
