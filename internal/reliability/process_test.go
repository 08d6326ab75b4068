//go:build long

package reliability

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"golang.org/x/sys/unix"
)

// withLease returns the settings with a time after which participants that say nothing count as gone.
func withLease(d pubsub.Discovery, lease time.Duration) pubsub.Discovery {
	d.Config += fmt.Sprintf(`,<Domain Id="any"><Discovery><LeaseDuration>%dms</LeaseDuration></Discovery></Domain>`, lease.Milliseconds())
	return d
}

// killLease is that of processes that are killed, which is shorter than usual so that there is time for many.
const killLease = 3 * time.Second

// talk is the role of a node "publisher" that publishes all the time.
func talk(c *console) error {
	node, err := configured(c, "publisher")
	if err != nil {
		return err
	}
	defer node.Close()
	p, err := pubsub.NewPublisher[std_msgs.String](node, "/text", lively())
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- untilEOF(c) }()
	m := &std_msgs.String{Data: "text"}
	for {
		if err := p.Publish(m); err != nil && !errors.Is(err, pubsub.ErrTimeout) {
			return err
		}
		select {
		case err := <-done:
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// hearken is the role of a node "subscriber", which says "heard" with its first message.
func hearken(c *console) error {
	node, err := configured(c, "subscriber")
	if err != nil {
		return err
	}
	defer node.Close()
	var once sync.Once
	if _, err := pubsub.NewSubscription(node, "/text", lively(), func(*std_msgs.String, *pubsub.MessageInfo) {
		once.Do(func() {
			// That the test is gone shows when it has nothing more to say.
			_ = c.say("heard", nil)
		})
	}); err != nil {
		return err
	}
	return untilEOF(c)
}

// configured returns a node in the domain that the test tells.
func configured(c *console, name string) (*pubsub.Node, error) {
	var d pubsub.Discovery
	if err := c.hear("config", &d); err != nil {
		return nil, err
	}
	return pubsub.NewNode(name, pubsub.WithDiscovery(d), pubsub.WithRosout(false))
}

func lively() pubsub.QoS {
	q := pubsub.DefaultQoS()
	q.Lease = time.Second
	return q
}

// Processes that are killed are forgotten when their lease is over, and their successors take their place
// at once.
func TestKilledProcesses(t *testing.T) {
	table := kept.table(t, "kill", "killed", "times", "lease", "gone from the graph, median", "at most", "liveliness lost, median", "at most",
		"successor heard, median", "at most", "stale nodes")
	rounds := 5
	if *full {
		rounds = 100
	}
	kinds := [][]string{{"talk"}, {"hearken"}, {"talk", "hearken"}}
	table.rows = make([][]string, len(kinds))
	t.Run("kill", func(t *testing.T) {
		for i, roles := range kinds {
			t.Run(strings.Join(roles, " and "), func(t *testing.T) {
				t.Parallel()
				table.rows[i] = killing(t, roles, rounds)
			})
		}
	})
}

// killing kills workers in the roles time and again, and returns the row of the table.
func killing(t *testing.T, roles []string, rounds int) []string {
	domain := pubsubtest.NewDomain(t)
	d := withLease(domain.Discovery(), killLease)
	witness, err := pubsub.NewNode("witness", pubsub.WithDiscovery(d), pubsub.WithRosout(false))
	if err != nil {
		t.Fatal(err)
	}
	defer witness.Close()
	lost := make(chan time.Time, 100)
	if _, err := pubsub.NewSubscription(witness, "/text", lively(), func(*std_msgs.String, *pubsub.MessageInfo) {},
		pubsub.WithSubscriptionEvents(pubsub.SubscriptionEvents{LivelinessChanged: func(e pubsub.LivelinessChangedEvent) {
			if e.NotAliveChange > 0 || e.AliveChange < 0 {
				lost <- time.Now()
			}
		}})); err != nil {
		t.Fatal(err)
	}
	workers := map[string]*worker{"talk": start(t, nil, "talk", d), "hearken": start(t, nil, "hearken", d)}
	workers["hearken"].hear(t, time.Minute, "heard", nil)
	pubsubtest.Eventually(t, func() bool { return census(t, witness, "/publisher", "/subscriber") == "1 1" })
	var gone, unlively, heard []time.Duration
	for range rounds {
		killed := time.Now()
		for _, role := range roles {
			workers[role].kill()
		}
		for _, role := range roles {
			workers[role] = start(t, nil, role, d)
		}
		if slices.Contains(roles, "hearken") {
			workers["hearken"].hear(t, time.Minute, "heard", nil)
			heard = append(heard, time.Since(killed))
		} else {
			until(t, "the new publisher in the graph", func() bool { return census(t, witness, "/publisher") == "2" || time.Since(killed) > 2*killLease })
			heard = append(heard, time.Since(killed))
		}
		until(t, "one node of each name", func() bool { return census(t, witness, "/publisher", "/subscriber") == "1 1" })
		gone = append(gone, time.Since(killed))
		if slices.Contains(roles, "talk") {
			unlively = append(unlively, pubsubtest.Receive(t, lost).Sub(killed))
			for len(lost) > 0 { // that its endpoint went as well
				<-lost
			}
		}
	}
	nodes, err := witness.Nodes()
	if err != nil || len(nodes) != 3 {
		t.Errorf("there are %v, %v", nodes, err)
	}
	median := func(all []time.Duration) string { return quantile(all, 0.5) }
	most := func(all []time.Duration) string { return quantile(all, 1) }
	return cells(map[string]string{"talk": "publisher", "hearken": "subscriber", "talk hearken": "both"}[strings.Join(roles, " ")], rounds, killLease,
		median(gone), most(gone), median(unlively), most(unlively), median(heard), most(heard), len(nodes)-3)
}

// quantile prints a quantile of durations, "" of none.
func quantile(all []time.Duration, q float64) string {
	if len(all) == 0 {
		return ""
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(q*float64(len(sorted)-1))].Round(time.Millisecond).String()
}

// census counts the nodes of each name.
func census(t *testing.T, n *pubsub.Node, names ...string) string {
	t.Helper()
	nodes, err := n.Nodes()
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]string, len(names))
	for i, name := range names {
		count := 0
		for _, n := range nodes {
			if n.FullName() == name {
				count++
			}
		}
		counts[i] = fmt.Sprint(count)
	}
	return strings.Join(counts, " ")
}

// until waits for up to a minute.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// A subscriber that stands still for a while holds up others only where the publisher has to wait for it.
func TestStoppedSubscriber(t *testing.T) {
	table := kept.table(t, "stop", "QoS", "bytes", "published", "publishes refused", "longest publish", "other subscriber received", "its longest silence",
		"stopped subscriber received")
	const stopped = 10 * time.Second
	best := pubsub.SensorDataQoS()
	cases := []struct {
		name    string
		qos     pubsub.QoS
		size    int
		waiting bool
	}{
		{"best effort", best, 64, false},
		{"reliable, last 10", pubsub.DefaultQoS(), 64, false},
		{"reliable, all", pubsub.DefaultQoS().KeepAll(), 64, false},
		{"reliable, all", pubsub.DefaultQoS().KeepAll(), 4000, true}, // more than the publisher keeps
	}
	table.rows = make([][]string, len(cases))
	t.Run("stop", func(t *testing.T) {
		for i, tt := range cases {
			t.Run(fmt.Sprint(tt.name, tt.size), func(t *testing.T) {
				t.Parallel()
				domain := pubsubtest.NewDomain(t)
				s := stream{Discovery: withLease(domain.Discovery(), time.Minute), Topic: "/numbers", QoS: tt.qos, Size: tt.size, Rate: 200, Limit: 4 * time.Minute}
				s.Count = int(s.Rate * 1.4 * stopped.Seconds())
				a, b := start(t, nil, "subscriber", s), start(t, nil, "subscriber", s)
				publisher := start(t, nil, "publisher", s)
				publisher.hear(t, time.Minute, "ready", nil)
				a.hear(t, time.Minute, "heard", nil)
				b.hear(t, time.Minute, "heard", nil)
				publisher.say(t, "go", nil)
				time.Sleep(time.Second)
				signal(t, a, syscall.SIGSTOP)
				time.Sleep(stopped)
				signal(t, a, syscall.SIGCONT)
				var there sent
				var ofA, ofB received
				publisher.hear(t, 2*s.Limit, "sent", &there)
				for w, r := range map[*worker]*received{a: &ofA, b: &ofB} {
					w.say(t, "end", nil)
					w.hear(t, s.Limit, "received", r)
				}
				if tt.qos.Reliability != pubsub.BestEffort {
					if err := errors.Join(ofA.check(tt.qos, &there), ofB.check(tt.qos, &there)); err != nil {
						t.Error(err)
					}
				}
				// Half of the time is far from what the machine's load explains.
				if !tt.waiting && ofB.Silence > stopped/2 {
					t.Errorf("the other subscriber heard nothing for %v", ofB.Silence)
				}
				table.rows[i] = cells(tt.name, tt.size, s.Count, there.Refused, there.Longest.Round(time.Millisecond), ofB.Received,
					ofB.Silence.Round(time.Millisecond), ofA.Received)
			})
		}
	})
}

func signal(t *testing.T, w *worker, s syscall.Signal) {
	t.Helper()
	if err := w.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// attempts is what a process without descriptors tells.
type attempts struct {
	Failed   int
	Errors   []string // the different ones
	Leaked   int      // descriptors
	Received bool     // a message in the end
}

// exhaust is the role of a process that has more and more descriptors until it gets a node. It says "attempts".
func exhaust(c *console) error {
	var d pubsub.Discovery
	if err := c.hear("config", &d); err != nil {
		return err
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	var a attempts
	before := -1
	for n := openFiles(); ; n++ {
		// What is free below the highest descriptor in use counts as well.
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(n), Max: limit.Max}); err != nil {
			return err
		}
		node, err := pubsub.NewNode("exhausted", pubsub.WithDiscovery(d), pubsub.WithRosout(false))
		if err2 := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err2 != nil {
			return err2
		}
		if err == nil {
			err = a.talk(node)
			return errors.Join(err, node.Close(), c.say("attempts", a), untilEOF(c))
		}
		if before < 0 {
			before = openFiles() // Go opens some for good with the first
		}
		a.Failed++
		a.Leaked = max(a.Leaked, openFiles()-before)
		// Which limit it was is in the text.
		if text := strings.ReplaceAll(err.Error(), fmt.Sprintf("is %d,", n), "is N,"); !slices.Contains(a.Errors, text) {
			a.Errors = append(a.Errors, text)
		}
	}
}

// talk has the node send a message to itself.
func (a *attempts) talk(node *pubsub.Node) error {
	heard := make(chan struct{}, 1)
	if _, err := pubsub.NewSubscription(node, "/text", pubsub.DefaultQoS(), func(*std_msgs.String, *pubsub.MessageInfo) {
		heard <- struct{}{}
	}); err != nil {
		return err
	}
	p, err := pubsub.NewPublisher[std_msgs.String](node, "/text", pubsub.DefaultQoS())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := errors.Join(p.WaitForSubscribers(ctx, 1), p.Publish(&std_msgs.String{})); err != nil {
		return err
	}
	select {
	case <-heard:
		a.Received = true
	case <-ctx.Done():
	}
	return nil
}

// openFiles counts descriptors, that of the directory included.
func openFiles() int {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // shows as descriptors that were closed
	}
	return len(files)
}

// Without descriptors there is no node, but an error that says so, and nothing is left behind.
func TestNoDescriptors(t *testing.T) {
	table := kept.table(t, "descriptors", "attempts that failed", "descriptors left behind", "error")
	w := start(t, nil, "exhaust", pubsubtest.NewDomain(t).Discovery())
	var a attempts
	w.hear(t, 2*time.Minute, "attempts", &a)
	if a.Failed == 0 || a.Leaked > 0 || !a.Received {
		t.Errorf("%+v", a)
	}
	for _, text := range a.Errors {
		if !strings.Contains(text, "descriptors") && !strings.Contains(text, "too many open files") {
			t.Errorf("%q does not say what is missing", text)
		}
		table.add(a.Failed, a.Leaked, text)
	}
}

// ticks is what timers saw while the wall clock jumped.
type ticks struct {
	Due                      int // how many there should have been
	Lane, Pool               int
	LaneSkipped, PoolSkipped int // those that were left out, as on a machine with too much to do
}

// tickPeriod is that of timers.
const tickPeriod = 10 * time.Millisecond

// keepTime is the role of a process with timers. It says "ticking", hears "end" and says "ticks".
func keepTime(c *console) error {
	ex, err := executor.New(executor.WithPlan(executor.Plan{Lanes: []executor.Lane{{Name: "lane", Mode: executor.Woken, Timers: []string{"on_lane"}}}}))
	if err != nil {
		return err
	}
	node, err := configured(c, "timekeeper")
	if err != nil {
		return err
	}
	var t ticks
	onLane, err1 := ex.NewTimer("on_lane", tickPeriod, func(i *executor.TimerInfo) { t.Lane++; t.LaneSkipped += int(i.Skipped) })
	inPool, err2 := ex.NewTimer("in_pool", tickPeriod, func(i *executor.TimerInfo) { t.Pool++; t.PoolSkipped += int(i.Skipped) })
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ran := make(chan error, 1)
	begin := pubsub.Monotonic()
	go func() { ran <- ex.Run(ctx) }()
	if err := c.say("ticking", nil); err != nil {
		return err
	}
	err = c.hear("end", nil)
	t.Due = int(time.Duration(pubsub.Monotonic()-begin) / tickPeriod)
	cancel()
	if err := errors.Join(err, <-ran, onLane.Close(), inPool.Close(), node.Close(), ex.Close()); err != nil {
		return err
	}
	if err := c.say("ticks", t); err != nil {
		return err
	}
	return untilEOF(c)
}

// Steps of the wall clock that libraries of C see move neither messages nor timers.
func TestClockSteps(t *testing.T) {
	libraries, err := filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
	if err != nil || len(libraries) == 0 {
		t.Fatal("this needs libfaketime: make setup-test")
	}
	table := kept.table(t, "clock", "clock of", "steps", "messages", "received", "lost", "longest silence", "ticks due", "on a lane", "in the pool",
		"source times that cannot be", "longest latency", "deadlines missed", "windows of statistics", "shortest", "longest")
	d := pubsubtest.NewDomain(t).Discovery()
	file := filepath.Join(t.TempDir(), "clock")
	step := func(to string) {
		if err := os.WriteFile(file, []byte(to), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	step("+0s")
	env := []string{"LD_PRELOAD=" + libraries[0], "FAKETIME_TIMESTAMP_FILE=" + file, "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1"}
	s := stream{Discovery: d, Topic: "/numbers", QoS: pubsub.DefaultQoS().KeepAll(), Size: 64, Count: 2000, Rate: 200, Limit: time.Minute}
	subscriber, publisher := start(t, nil, "subscriber", s, env...), start(t, nil, "publisher", s, env...)
	timers := start(t, nil, "timers", d, env...)
	publisher.hear(t, time.Minute, "ready", nil)
	subscriber.hear(t, time.Minute, "heard", nil)
	timers.hear(t, time.Minute, "ticking", nil)
	publisher.say(t, "go", nil)
	all := []string{}
	for _, offset := range steps {
		time.Sleep(time.Second)
		to := fmt.Sprintf("%+ds", int(offset.Seconds()))
		step(to)
		all = append(all, to)
	}
	var there sent
	var here received
	var ticked ticks
	publisher.hear(t, 2*time.Minute, "sent", &there)
	subscriber.say(t, "end", nil)
	subscriber.hear(t, time.Minute, "received", &here)
	timers.say(t, "end", nil)
	timers.hear(t, time.Minute, "ticks", &ticked)
	if err := here.check(s.QoS, &there); err != nil {
		t.Error(err)
	}
	ticked.check(t)
	table.add("C", strings.Join(all, ", "), s.Count, here.Received, here.Stats.Lost, here.Silence.Round(time.Millisecond), ticked.Due, ticked.Lane, ticked.Pool,
		"", "", "", "", "", "")
	w := start(t, nil, "own clock", pubsubtest.NewDomain(t).Discovery())
	var o ownTime
	w.hear(t, 2*time.Minute, "told", &o)
	o.Ticks.check(t)
	// One message on the lane and one in the pool are under way at each step. What they look like then is
	// two too old, two from the future, and one of 2 s.
	if o.Received != o.Published || o.Skewed != 8 || o.Latency > ownDeadline || o.Misses > 0 || o.Shortest <= 0 || o.Longest > ownDeadline || o.Windows == 0 {
		t.Errorf("%+v", o)
	}
	table.add("Go", strings.Join(all, ", "), o.Published, o.Received, 0, "", o.Ticks.Due, o.Ticks.Lane, o.Ticks.Pool,
		o.Skewed, o.Latency.Round(time.Millisecond), o.Misses, o.Windows, o.Shortest.Round(time.Millisecond), o.Longest.Round(time.Millisecond))
}

// steps are what the clocks are set to, in turn, from what they were.
var steps = []time.Duration{time.Hour, -time.Hour, 30 * 24 * time.Hour, -2 * time.Second, 0}

// A timer that follows the wall clock stands still, or runs through an hour at once.
func (k *ticks) check(t *testing.T) {
	t.Helper()
	for _, n := range []int{k.Lane + k.LaneSkipped, k.Pool + k.PoolSkipped} {
		if n < k.Due/2 || n > k.Due+k.Due/10+2 {
			t.Errorf("%d ticks, those left out included, and %d were due", n, k.Due)
		}
	}
}
