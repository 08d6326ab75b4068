//go:build long

package reliability

import (
	"cmp"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/bench/hosts"
	"github.com/pinion-ros/pinion/bench/hosts/link"
	"github.com/pinion-ros/pinion/pubsub"
)

// A network is a bad one.
type network struct {
	name  string
	link  string
	down  time.Duration // for which the link is taken down
	size  int           // bytes of messages, 64 if it is 0
	small int           // messages in the smaller form, half as many for a history of the last
	rate  float64       // of messages on a network that is too slow for thousands per second
}

var networks = []network{
	{name: "no faults", link: "seed=1", small: 10_000},
	{name: "loss 1 %", link: "loss=1%,seed=1", small: 5000},
	{name: "loss 10 %", link: "loss=10%,seed=1", small: 3000},
	{name: "loss 30 %", link: "loss=30%,seed=1", small: 1000},
	{name: "reordering 25 %", link: "reorder=25%,gap=2ms,seed=1", small: 3000},
	{name: "duplication 25 %", link: "dup=25%,seed=1", small: 5000},
	{name: "delay 50 ms ± 10 ms", link: "delay=50ms,jitter=10ms,seed=1", small: 3000},
	{name: "1 Mbit/s", link: "rate=1mbit,seed=1", small: 2000, rate: 400},
	{name: "down for 5 s", link: "seed=1", down: 5 * time.Second, small: 5000},
	{name: "MTU 576, messages of 4 kB", link: "mtu=576,loss=1%,seed=1", size: 4000, small: 2000, rate: 1000},
}

// join makes two hosts with that network between them.
func (n *network) join(t *testing.T) *hosts.Pair {
	t.Helper()
	s, err := link.Parse(n.link)
	if err != nil {
		t.Fatal(err)
	}
	p, err := hosts.New(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// permitted tells whether hosts can be made. Where they cannot, the log says why.
func permitted(t *testing.T) bool {
	p, err := hosts.New(link.Settings{Seed: 1})
	if err == nil {
		p.Close()
		return true
	}
	if os.Geteuid() == 0 {
		t.Fatal(err)
	}
	t.Logf("nothing is tested: %v", err)
	return false
}

// between is the domain of processes on both hosts. The lease is long, or a machine that stands still for a
// while would have them give each other up.
var between = pubsub.Discovery{
	Peers: hosts.Addresses[:],
	Config: `<Domain Id="any"><General><Interfaces><NetworkInterface name="` + hosts.Interface + `"/></Interfaces>` +
		`<AllowMulticast>false</AllowMulticast></General><Discovery><LeaseDuration>60s</LeaseDuration></Discovery></Domain>`,
}

// A reliable stream arrives whole, in order and once; with a history of the last messages, what is missing
// is what that allows, and is counted.
func TestBadNetwork(t *testing.T) {
	if !permitted(t) {
		return
	}
	table := kept.table(t, "network", "network", "history", "messages", "received", "lost", "overwritten", "repeated or out of order",
		"publishes refused", "longest publish", "time", "frames offered", "lost", "reordered", "duplicated", "over the queue's limit", "while down")
	histories := []pubsub.QoS{pubsub.DefaultQoS().KeepAll(), pubsub.DefaultQoS().KeepLast(10)}
	table.rows = make([][]string, len(networks)*len(histories))
	t.Run("stream", func(t *testing.T) {
		for i, n := range networks {
			for j, q := range histories {
				t.Run(fmt.Sprintf("%s/%s", n.name, history(q)), func(t *testing.T) {
					t.Parallel()
					table.rows[i*len(histories)+j] = n.stream(t, q)
				})
			}
		}
	})
}

func history(q pubsub.QoS) string {
	if q.History == pubsub.KeepAll {
		return "all"
	}
	return fmt.Sprintf("last %d", q.Depth)
}

// stream runs a stream through the network and returns the row of the table.
func (n *network) stream(t *testing.T, q pubsub.QoS) []string {
	s := stream{Discovery: between, Topic: "/numbers", QoS: q, Count: n.small, Size: cmp.Or(n.size, 64), Limit: 4 * time.Minute}
	if q.History != pubsub.KeepAll {
		s.Rate = cmp.Or(n.rate, 2000) // or most would be replaced before anybody saw them
		s.Count /= 2
	}
	if *full {
		s.Count, s.Limit = 100_000, 2*time.Hour
	}
	if n.down > 0 {
		s.Rate = min(2000, float64(s.Count)/(2*n.down.Seconds())) // so that it lasts longer
	}
	pair := n.join(t)
	subscriber := start(t, pair.Namespaces[1], "subscriber", s)
	publisher := start(t, pair.Namespaces[0], "publisher", s)
	publisher.hear(t, 5*time.Minute, "ready", nil)
	subscriber.hear(t, 5*time.Minute, "heard", nil)
	publisher.say(t, "go", nil)
	if n.down > 0 {
		time.Sleep(time.Second)
		if err := pair.SetUp(false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(n.down)
		if err := pair.SetUp(true); err != nil {
			t.Fatal(err)
		}
	}
	var there sent
	var here received
	publisher.hear(t, 2*s.Limit, "sent", &there)
	subscriber.say(t, "end", nil)
	subscriber.hear(t, s.Limit, "received", &here)
	if err := here.check(q, &there); err != nil {
		t.Error(err)
	}
	counters, err := pair.Counters()
	if err != nil {
		t.Fatal(err)
	}
	c := sum(counters)
	return cells(n.name, history(q), s.Count, here.Received, here.Stats.Lost, here.Stats.Overwritten, here.Repeated,
		there.Refused, there.Longest.Round(time.Millisecond), there.Took.Round(100*time.Millisecond),
		c.Offered, c.Lost, c.Reordered, c.Duplicated, c.Overflowed, c.Down)
}

// sum adds up both directions.
func sum(counters []link.Counters) (c link.Counters) {
	for _, o := range counters {
		c.Offered += o.Offered
		c.Lost += o.Lost
		c.Reordered += o.Reordered
		c.Duplicated += o.Duplicated
		c.Overflowed += o.Overflowed
		c.Down += o.Down
	}
	return c
}
