//go:build long

package reliability

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"golang.org/x/sys/unix"
)

// A hoarding is a stream to a subscription whose callback stands still.
type hoarding struct {
	stream
	History int // limit, bytes
}

// hoard is the role of a node "hoarder". It says "standing" with the first message, on which its callback
// stands until it hears "go on"; then it says "received" when the last number has come, or nothing for a
// while.
func hoard(c *console) error {
	var h hoarding
	if err := c.hear("config", &h); err != nil {
		return err
	}
	node, err := pubsub.NewNode("hoarder", pubsub.WithDiscovery(h.Discovery), pubsub.WithRosout(false))
	if err != nil {
		return err
	}
	defer node.Close()
	l, goOn := &listener{}, make(chan struct{})
	l.heard = func() {
		// That the test is gone shows when it has nothing more to say.
		_ = c.say("standing", nil)
		<-goOn
	}
	sub, err := pubsub.NewSubscription(node, h.Topic, h.QoS, func(m *std_msgs.UInt8MultiArray, info *pubsub.MessageInfo) {
		l.message(m, info)
	}, pubsub.WithHistoryLimit(h.History))
	if err != nil {
		return err
	}
	if err := c.hear("go on", nil); err != nil {
		return err
	}
	close(goOn)
	l.settle(uint64(h.Count), 3*time.Second)
	l.mu.Lock()
	r := l.r
	l.mu.Unlock()
	r.Stats = sub.Stats()
	if err := c.say("received", r); err != nil {
		return err
	}
	return untilEOF(c)
}

// groupSize is what a process with a limit may have: some times what it needs.
const groupSize = 160 << 20

// Memory that is used up hurts nobody else, and what waits has a limit, so that it is used up by nobody but
// who asked for that.
func TestOutOfMemory(t *testing.T) {
	table := kept.table(t, "memory", "process", "limit", "bytes", "published", "publishes refused", "received", "rejected", "lost", "overwritten", "most memory",
		"how it ended", "gone from the graph", "other subscriber received", "successor heard")
	all, last := pubsub.DefaultQoS().KeepAll(), pubsub.DefaultQoS()
	cases := []famine{
		{name: "subscription, all, callback stands still, at most 32 MiB wait", hoarding: hoarding{stream{QoS: all, Count: 4000, Size: 100_000, Rate: 1000}, 32 << 20}},
		{name: "subscription, all, callback stands still, no limit", hoarding: hoarding{stream{QoS: all, Count: 4000, Size: 100_000, Rate: 1000}, 0}, dies: true},
		{name: "subscription, last 10, callback stands still", hoarding: hoarding{stream{QoS: last, Count: 200, Size: 4_000_000, Rate: 50}, 0}},
	}
	if cyclone.Eleven { // which has no such limit
		cases = slices.DeleteFunc(cases, func(f famine) bool { return f.History > 0 })
	}
	table.rows = make([][]string, len(cases)+2)
	for i, f := range cases {
		t.Run(f.name, func(t *testing.T) { table.rows[i] = f.run(t) })
	}
	t.Run("publisher", func(t *testing.T) { table.rows[len(cases)] = stoppedReader(t) })
	t.Run("address space", func(t *testing.T) { table.rows[len(cases)+1] = noAddresses(t) })
}

// A famine is a hoarder with little memory.
type famine struct {
	name string
	hoarding
	dies bool
}

func (f *famine) run(t *testing.T) []string {
	g := newGroup(t, groupSize)
	if g == "" {
		return nil
	}
	f.Discovery, f.Topic, f.Limit = withLease(pubsubtest.NewDomain(t).Discovery(), killLease), "/numbers", time.Minute
	witness, err := pubsub.NewNode("witness", pubsub.WithDiscovery(f.Discovery), pubsub.WithRosout(false))
	if err != nil {
		t.Fatal(err)
	}
	defer witness.Close()
	hoarder := start(t, nil, "hoard", f.hoarding, g.env())
	other := start(t, nil, "subscriber", f.stream)
	publisher := start(t, nil, "publisher", f.stream)
	publisher.hear(t, time.Minute, "ready", nil)
	hoarder.hear(t, time.Minute, "standing", nil)
	other.hear(t, time.Minute, "heard", nil)
	until(t, "the hoarder in the graph", func() bool { return census(t, witness, "/hoarder") == "1" })
	publisher.say(t, "go", nil)
	end, gone, successor := "alive", "", ""
	if f.dies {
		end, gone, successor = f.starve(t, g, hoarder, witness)
	}
	var there sent
	publisher.hear(t, 2*time.Minute, "sent", &there)
	var ofOther, ofHoarder received
	other.say(t, "end", nil)
	other.hear(t, time.Minute, "received", &ofOther)
	if err := ofOther.check(f.QoS, &there); err != nil {
		t.Error(err)
	}
	row := func(values ...any) []string { return cells(values...) }
	if f.dies {
		return row(f.name, megabytes(groupSize), f.Size, f.Count, there.Refused, "", "", "", "", megabytes(g.peak(t)), end, gone, ofOther.Received, successor)
	}
	hoarder.say(t, "go on", nil)
	hoarder.hear(t, time.Minute, "received", &ofHoarder)
	s := ofHoarder.Stats
	if kills := g.kills(t); kills > 0 || ofHoarder.Repeated > 0 || f.History > 0 && s.Rejected == 0 {
		t.Errorf("%d killed; %+v", kills, ofHoarder)
	}
	return row(f.name, megabytes(groupSize), f.Size, f.Count, there.Refused, ofHoarder.Received, s.Rejected, s.Lost, s.Overwritten, megabytes(g.peak(t)), end, gone,
		ofOther.Received, successor)
}

// starve waits for the hoarder's end and that nobody has it in the graph, and has a successor hear the stream.
func (f *famine) starve(t *testing.T, g group, hoarder *worker, witness *pubsub.Node) (end, gone, heard string) {
	if line, open := <-hoarder.out; open {
		t.Fatalf("the hoarder says %q", line.Word)
	}
	ended := time.Now()
	err := hoarder.wait()
	end, _, _ = strings.Cut(err.Error(), "\n")
	if g.kills(t) == 0 {
		t.Fatalf("the hoarder ended with %v, and not of the limit", err)
	}
	successor := start(t, nil, "subscriber", f.stream)
	successor.hear(t, time.Minute, "heard", nil)
	heard = time.Since(ended).Round(time.Millisecond).String()
	until(t, "no hoarder in the graph", func() bool { return census(t, witness, "/hoarder") == "0" })
	return end + " (out of memory)", time.Since(ended).Round(time.Millisecond).String(), heard
}

// stoppedReader has a publisher wait for a subscriber that acknowledges nothing.
func stoppedReader(t *testing.T) []string {
	g := newGroup(t, groupSize)
	if g == "" {
		return nil
	}
	s := stream{Discovery: withLease(pubsubtest.NewDomain(t).Discovery(), time.Minute), Topic: "/numbers", QoS: pubsub.DefaultQoS().KeepAll(),
		Count: 4000, Size: 100_000, Limit: time.Minute}
	subscriber := start(t, nil, "subscriber", s)
	publisher := start(t, nil, "publisher", s, g.env())
	publisher.hear(t, time.Minute, "ready", nil)
	subscriber.hear(t, time.Minute, "heard", nil)
	signal(t, subscriber, syscall.SIGSTOP)
	publisher.say(t, "go", nil)
	time.Sleep(3 * time.Second)
	signal(t, subscriber, syscall.SIGCONT)
	var there sent
	var here received
	publisher.hear(t, 2*time.Minute, "sent", &there)
	subscriber.say(t, "end", nil)
	subscriber.hear(t, time.Minute, "received", &here)
	if err := here.check(s.QoS, &there); err != nil {
		t.Error(err)
	}
	if kills := g.kills(t); kills > 0 || there.Refused == 0 {
		t.Errorf("%d killed, %d publishes refused", kills, there.Refused)
	}
	return cells("publisher, all, subscriber stopped for 3 s", megabytes(groupSize), s.Size, s.Count, there.Refused, "", "", "", "", megabytes(g.peak(t)), "alive", "", here.Received, "")
}

// noAddresses has a hoarder's allocations fail, which is not the same as to be killed.
func noAddresses(t *testing.T) []string {
	h := hoarding{stream: stream{Discovery: withLease(pubsubtest.NewDomain(t).Discovery(), killLease), Topic: "/numbers", QoS: pubsub.DefaultQoS().KeepAll(),
		Count: 4000, Size: 100_000, Rate: 1000, Limit: time.Minute}}
	hoarder := start(t, nil, "hoard", h)
	publisher := start(t, nil, "publisher", h.stream)
	publisher.hear(t, time.Minute, "ready", nil)
	hoarder.hear(t, time.Minute, "standing", nil)
	pid := hoarder.cmd.Process.Pid
	limit := uint64(usageOf(t, pid).Addresses + groupSize)
	if err := unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit}, nil); err != nil {
		t.Fatal(err)
	}
	publisher.say(t, "go", nil)
	var there sent
	publisher.hear(t, 2*time.Minute, "sent", &there)
	select {
	case err := <-hoarder.exited:
		hoarder.exited <- err
	case <-time.After(time.Minute):
		t.Fatal("the hoarder does not run out of addresses")
	}
	end, _, _ := strings.Cut(hoarder.wait().Error(), "\n\n") // before Go's stacks
	return cells("subscription, all, callback stands still, no limit", megabytes(groupSize)+" of addresses", h.Size, h.Count, there.Refused, "", "", "", "", "",
		strings.ReplaceAll(end, "\n", "; "), "", "", "")
}
