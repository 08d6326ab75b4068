package bag

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/security"
	"github.com/pinion-ros/pinion/msgs/rosgraph_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// sent is a message of the test.
type sent struct {
	topic, text string
	at          time.Time
}

// talk publishes on three topics, of which one is latched and had its message before anybody listened.
func talk(t *testing.T, node *pubsub.Node, recording func()) []sent {
	type publisher = *pubsub.Publisher[std_msgs.String]
	open := func(topic string, qos pubsub.QoS) publisher {
		return pubsubtest.Must[publisher](t)(pubsub.NewPublisher[std_msgs.String](node, topic, qos))
	}
	var all []sent
	say := func(p publisher, text string) {
		t.Helper()
		if err := p.Publish(&std_msgs.String{Data: text}); err != nil {
			t.Fatal(err)
		}
		all = append(all, sent{p.Topic(), text, time.Now()})
	}
	latched := open("latched", pubsub.DefaultQoS().TransientLocal())
	say(latched, "from before")
	// What has to be sent again must still be there.
	reliable, fast := open("reliable", pubsub.DefaultQoS().KeepLast(100)), open("fast", pubsub.SensorDataQoS())
	recording()
	pubsubtest.WaitForMatch(t, latched, reliable, fast)
	for i := range 20 {
		say(reliable, fmt.Sprint("reliable ", i))
		if i%2 == 0 {
			say(fast, fmt.Sprint("fast ", i))
		}
		time.Sleep(time.Duration(5+10*(i%3)) * time.Millisecond)
	}
	if err := reliable.WaitForAcknowledgements(pubsubtest.Context(t)); err != nil {
		t.Fatal(err)
	}
	return all
}

// record has another process record what talk says.
func record(t *testing.T, format Format) (string, []sent) {
	d := pubsubtest.NewDomain(t)
	dir := filepath.Join(t.TempDir(), "bag")
	var p *process
	said := talk(t, d.NewNode("talker"), func() { p = start(t, job{Discovery: d.Discovery(), Dir: dir, Format: format}) })
	pubsubtest.Eventually(t, func() bool { return holds(t, dir, said) })
	p.interrupt()
	var stats RecordStats
	p.end(&stats)
	all := len(said)
	said = heard(said, "/fast", stats)
	if int(stats.Messages) != len(said) || stats.Dropped+stats.Lost+stats.Malformed != 0 || len(stats.Topics) != 3 {
		t.Fatalf("recorded %+v of %d messages", stats, all)
	}
	return dir, said
}

// holds tells whether a bag that is being recorded has all that was said, but for the first messages of
// best effort.
func holds(t *testing.T, dir string, said []sent) bool {
	t.Helper()
	for _, topic := range []string{"/latched", "/reliable", "/fast"} {
		got, want := stored(t, dir, topic), only(said, topic)
		if len(got) == 0 || got[len(got)-1] != want[len(want)-1] || topic != "/fast" && len(got) != len(want) {
			return false
		}
	}
	return true
}

// stored returns what a bag that may be being recorded holds of a topic.
func stored(t *testing.T, dir, topic string) []string {
	t.Helper()
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	err = b.messages(pubsubtest.Context(t), selection{index: map[string]int{topic: 0}, until: math.MaxInt64}, func(_ int, _ int64, data []byte) error {
		var m std_msgs.String
		err := cdr.Unmarshal(data, &m)
		texts = append(texts, m.Data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// heard returns what was said without the first messages of best effort on the topic that were not
// recorded: their publisher is matched a moment before it is heard.
func heard(said []sent, topic string, stats RecordStats) []sent {
	i := slices.IndexFunc(stats.Topics, func(c TopicCount) bool { return c.Name == topic })
	if i < 0 {
		return said
	}
	missing := len(only(said, topic)) - int(stats.Topics[i].Messages)
	return slices.DeleteFunc(said, func(s sent) bool {
		if s.topic == topic {
			missing--
		}
		return s.topic == topic && missing >= 0
	})
}

// listener collects what is played.
type listener struct {
	mu  sync.Mutex
	got []sent
}

func listen(t *testing.T, node *pubsub.Node, topic string, qos pubsub.QoS, l *listener) {
	pubsubtest.Must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription(node, topic, qos,
		func(m *std_msgs.String, info *pubsub.MessageInfo) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.got = append(l.got, sent{"/" + topic, m.Data, info.SourceTime})
		}))
}

func (l *listener) texts() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var texts []string
	for _, s := range l.got {
		texts = append(texts, s.text)
	}
	return texts
}

// waitFor waits for the last of what is played: what has arrived may wait for its callback.
func (l *listener) waitFor(t *testing.T, want []string) {
	t.Helper()
	pubsubtest.Eventually(t, func() bool { return slices.Contains(l.texts(), want[len(want)-1]) })
}

func (l *listener) times() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	var times []time.Time
	for _, s := range l.got {
		times = append(times, s.at)
	}
	return times
}

func only(said []sent, topic string) []string {
	var texts []string
	for _, s := range said {
		if s.topic == topic {
			texts = append(texts, s.text)
		}
	}
	return texts
}

func TestRoundTrip(t *testing.T) {
	for name, format := range map[string]Format{"jazzy": FormatJazzy, "humble": FormatHumble} {
		t.Run(name, func(t *testing.T) { testRoundTrip(t, format) })
	}
}

func testRoundTrip(t *testing.T, format Format) {
	dir, said := record(t, format)
	d := pubsubtest.NewDomain(t)
	node := d.NewNode("listener")
	var reliable, fast, latched, late listener
	listen(t, node, "renamed", pubsub.DefaultQoS().KeepLast(100), &reliable)
	listen(t, node, "fast", pubsub.SensorDataQoS().KeepLast(100), &fast)
	listen(t, node, "latched", pubsub.DefaultQoS().TransientLocal(), &latched)
	p := start(t, job{Discovery: d.Discovery(), Dir: dir, Play: &PlayConfig{Filter: Filter{All: true}, Rate: 2, Wait: pubsubtest.Timeout, Delay: time.Second},
		Remap: []string{"/reliable:=/renamed"}})
	pubsubtest.Eventually(t, func() bool { return len(reliable.texts()) > 3 })
	listen(t, node, "latched", pubsub.DefaultQoS().TransientLocal(), &late)
	pubsubtest.Eventually(t, func() bool { return len(late.texts()) > 0 })
	var stats PlayStats
	p.end(&stats)
	if int(stats.Published) != len(said) || stats.Failed != 0 {
		t.Errorf("played %+v of %d messages", stats, len(said))
	}
	for _, c := range []struct {
		l    *listener
		want []string
	}{{&reliable, only(said, "/reliable")}, {&latched, only(said, "/latched")}, {&late, only(said, "/latched")}} {
		c.l.waitFor(t, c.want)
		if got := c.l.texts(); !slices.Equal(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	fast.waitFor(t, only(said, "/fast"))
	checkBestEffort(t, fast.texts(), only(said, "/fast"))
	checkPace(t, reliable.times(), recorded(t, dir, "/reliable")/2-stats.Late)
}

// A bag is played from an offset, for a time, with its time on /clock.
func TestPlayPart(t *testing.T) {
	b := writeMessages(t, RecordConfig{}, 20, 100)
	d := pubsubtest.NewDomain(t)
	player, listener := d.NewNode("player"), d.NewNode("listener")
	var mu sync.Mutex
	var played []int
	var clock []time.Duration
	pubsubtest.Must[*pubsub.RawSubscription](t)(pubsub.NewRawSubscription(listener, "chatter", "std_msgs/msg/String", pubsub.DefaultQoS().KeepLast(100),
		func(data []byte, _ *pubsub.MessageInfo) {
			mu.Lock()
			defer mu.Unlock()
			for i := range 20 {
				if bytes.Equal(data, message(i, 100)) {
					played = append(played, i)
				}
			}
		}))
	pubsubtest.Must[*pubsub.Subscription[rosgraph_msgs.Clock]](t)(pubsub.NewSubscription(listener, "clock", pubsub.ClockQoS().KeepLast(1000),
		func(m *rosgraph_msgs.Clock, _ *pubsub.MessageInfo) {
			mu.Lock()
			defer mu.Unlock()
			clock = append(clock, time.Duration(m.Clock.AsTime().UnixNano()))
		}))
	stats, err := Play(pubsubtest.Context(t), player, b, PlayConfig{Filter: Filter{All: true}, Rate: 10, Wait: pubsubtest.Timeout,
		Offset: 4500 * time.Millisecond, Length: 10 * time.Second, Clock: 100})
	if err != nil || stats.Published != 10 {
		t.Errorf("%+v, %v", stats, err)
	}
	pubsubtest.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(played) >= 10 && len(clock) > 0 // what has arrived may wait for its callback
	})
	mu.Lock()
	defer mu.Unlock()
	if want := []int{5, 6, 7, 8, 9, 10, 11, 12, 13, 14}; !slices.Equal(played, want) {
		t.Errorf("played %v, want %v", played, want)
	}
	if !slices.IsSorted(clock) || clock[0] < 4500*time.Millisecond || clock[0] > 20*time.Second {
		t.Errorf("the clock showed %v", clock)
	}
}

// checkBestEffort wants the messages in their order. The first ones may be missing: a publisher of best
// effort is matched a moment before it is heard.
func checkBestEffort(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) == 0 || len(got) > len(want) || !slices.Equal(got, want[len(want)-len(got):]) {
		t.Errorf("got %q, want the end of %q", got, want)
	}
}

// recorded returns the time between the first and the last message of a topic in a bag.
func recorded(t *testing.T, dir, topic string) time.Duration {
	t.Helper()
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var at []int64
	err = b.messages(pubsubtest.Context(t), selection{index: map[string]int{topic: 0}, until: math.MaxInt64}, func(_ int, time int64, _ []byte) error {
		at = append(at, time)
		return nil
	})
	if err != nil || len(at) == 0 {
		t.Fatalf("%d messages of %s, %v", len(at), topic, err)
	}
	return time.Duration(slices.Max(at) - slices.Min(at))
}

// checkPace wants the messages to have been published as far apart as that; the tenth is for what lies
// between being due and the time that a message carries.
func checkPace(t *testing.T, times []time.Time, want time.Duration) {
	t.Helper()
	if got := times[len(times)-1].Sub(times[0]); got < want*9/10 {
		t.Errorf("the messages were played within %v, want %v", got, want)
	}
}

// What was written a moment ago is there after a crash, without metadata.yaml, and can be played.
func TestKill(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	dir := filepath.Join(t.TempDir(), "bag")
	node := d.NewNode("talker")
	pub := pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](node, "chatter", pubsub.DefaultQoS()))
	p := start(t, job{Discovery: d.Discovery(), Dir: dir})
	pubsubtest.WaitForMatch(t, pub)
	text := string(make([]byte, 2000))
	before := 0 // in the bag before the crash
	n := 0
	for end := time.Now().Add(pubsubtest.Timeout); before < 200 && time.Now().Before(end); n++ {
		if err := pub.Publish(&std_msgs.String{Data: fmt.Sprint(n, text)}); err != nil {
			t.Fatal(err)
		}
		if n%100 == 99 {
			before = len(stored(t, dir, "/chatter"))
		}
		time.Sleep(time.Millisecond)
	}
	p.kill()
	if _, err := os.Stat(filepath.Join(dir, MetadataFile)); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the recording was complete: %v", err)
	}
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !b.Rebuilt || before < 200 || int(b.Messages) < before || int(b.Messages) > n {
		t.Fatalf("%d messages after the crash, %d before; %d were published", b.Messages, before, n)
	}
	if b, err = Reindex(dir); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*-wal")); err != nil || len(left) > 0 {
		t.Errorf("after reindex there is %v, %v", left, err)
	}
	again, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again.Rebuilt || again.Messages != b.Messages || again.Duration != b.Duration || len(again.Topics[0].Offered) != 1 {
		t.Errorf("after reindex %+v, before %+v", again, b)
	}
	stats, err := Play(pubsubtest.Context(t), node, again, PlayConfig{Filter: Filter{All: true}, Rate: 100})
	if err != nil || stats.Published != b.Messages {
		t.Errorf("played %+v of %d: %v", stats, b.Messages, err)
	}
}

// A recording on a disk that gets full ends, says why and what is missing, and leaves a bag that is whole.
func TestFullDisk(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	dir := filepath.Join(t.TempDir(), "bag")
	node, talker := d.NewNode("recorder"), d.NewNode("talker")
	pub := pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](talker, "chatter", pubsub.DefaultQoS()))
	w, err := create(RecordConfig{Dir: dir, Distro: "jazzy", Filter: Filter{All: true}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.file.db.Exec(`PRAGMA max_page_count = 1000`); err != nil { // as if the disk had no more
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(pubsubtest.Context(t))
	defer cancel()
	type result struct {
		stats RecordStats
		err   error
	}
	done := make(chan result, 1)
	go func() {
		stats, err := recordTo(ctx, node, w)
		done <- result{stats, err}
	}()
	pubsubtest.WaitForMatch(t, pub)
	text := string(make([]byte, 10000))
	published := 0
	for len(done) == 0 {
		if err := pub.Publish(&std_msgs.String{Data: text}); err != nil {
			t.Fatal(err)
		}
		published++
		time.Sleep(time.Millisecond)
	}
	r := pubsubtest.Receive(t, done)
	if !errors.Is(r.err, ErrFull) {
		t.Errorf("the recording ended with %v", r.err)
	}
	if r.stats.Messages == 0 || r.stats.Dropped == 0 || int(r.stats.Messages+r.stats.Dropped) > published {
		t.Errorf("of %d messages %+v", published, r.stats)
	}
	for _, remove := range []bool{false, true} {
		if remove {
			if err := os.Remove(filepath.Join(dir, MetadataFile)); err != nil {
				t.Fatal(err)
			}
		}
		if b, err := Open(dir); err != nil || b.Messages != r.stats.Messages {
			t.Errorf("the bag: %v, %+v, want %d messages", err, b, r.stats.Messages)
		}
	}
}

// Each publisher is recorded with all that it offers, once.
func TestMixedOffers(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	dir := filepath.Join(t.TempDir(), "bag")
	node, talker := d.NewNode("recorder"), d.NewNode("talker")
	open := func(qos pubsub.QoS) *pubsub.Publisher[std_msgs.String] {
		return pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](talker, "chatter", qos))
	}
	say := func(p *pubsub.Publisher[std_msgs.String], text string) {
		t.Helper()
		if err := p.Publish(&std_msgs.String{Data: text}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(pubsubtest.Context(t))
	done := make(chan RecordStats, 1)
	plain := open(pubsub.DefaultQoS())
	go func() {
		stats, err := Record(ctx, node, RecordConfig{Dir: dir, Filter: Filter{Topics: []string{"/chatter"}}})
		if err != nil {
			t.Error(err)
		}
		done <- stats
	}()
	pubsubtest.WaitForMatch(t, plain)
	say(plain, "plain")
	latched := open(pubsub.DefaultQoS().TransientLocal())
	say(latched, "latched")
	if err := latched.WaitForSubscribers(pubsubtest.Context(t), 2); err != nil {
		t.Fatal(err)
	}
	weak := open(pubsub.SensorDataQoS())
	pubsubtest.WaitForMatch(t, weak)
	say(weak, "weak")
	say(latched, "latched again")
	pubsubtest.Eventually(t, func() bool { return len(stored(t, dir, "/chatter")) >= 4 })
	cancel()
	stats := pubsubtest.Receive(t, done)
	if stats.Messages != 4 || len(stats.Topics[0].Offered) != 3 {
		t.Errorf("recorded %+v", stats)
	}
	texts := stored(t, dir, "/chatter")
	slices.Sort(texts)
	if !slices.Equal(texts, []string{"latched", "latched again", "plain", "weak"}) {
		t.Errorf("the bag holds %q", texts)
	}
}

// A topic that the recorder's enclave does not allow is left out, and all others are recorded.
func TestRecordNotPermitted(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	id := d.Discovery().Domain
	dir := t.TempDir()
	k := pubsubtest.Must[*security.Keystore](t)(security.Create(filepath.Join(dir, "keystore"), id))
	err := k.CreateEnclave("/", id, security.Permissions{Allow: security.Topics{Publish: []string{"rt/*"}, Subscribe: []string{"rt/b"}}})
	if err != nil {
		t.Fatal(err)
	}
	node := d.NewNode("recorder", pubsub.WithSecurity(pubsub.Security{Enable: true, Enforce: true, Keystore: filepath.Join(dir, "keystore")}))
	var pubs []*pubsub.Publisher[std_msgs.String]
	for _, topic := range []string{"a", "b"} {
		pubs = append(pubs, pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](node, topic, pubsub.DefaultQoS())))
	}
	ctx, cancel := context.WithCancel(pubsubtest.Context(t))
	done := make(chan error, 1)
	go func() {
		_, err := Record(ctx, node, RecordConfig{Dir: filepath.Join(dir, "bag"), Filter: Filter{All: true}})
		done <- err
	}()
	pubsubtest.WaitForMatch(t, pubs[1])
	cancel()
	if err := pubsubtest.Receive(t, done); err != nil || pubs[0].Subscribers() != 0 {
		t.Errorf("%v, %d subscribers of what is not permitted", err, pubs[0].Subscribers())
	}
}

// What others announce that cannot be recorded does not end the recording of all else.
func TestForeign(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	node := d.NewNode("recorder")
	d.NewForeign("rt/a", "Foreign", "rt//b", "std_msgs::msg::dds_::String_", "rt/c", "a::b::dds_::../../x_")
	if err := node.WaitForTopic(pubsubtest.Context(t), "/c"); err != nil {
		t.Fatal(err)
	}
	pub := pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](d.NewNode("talker"), "z", pubsub.DefaultQoS()))
	ctx, cancel := context.WithCancel(pubsubtest.Context(t))
	done := make(chan error, 1)
	dir := filepath.Join(t.TempDir(), "bag")
	go func() {
		_, err := Record(ctx, node, RecordConfig{Dir: dir, Filter: Filter{All: true}})
		done <- err
	}()
	pubsubtest.WaitForMatch(t, pub)
	cancel()
	if err := pubsubtest.Receive(t, done); err != nil {
		t.Error(err)
	}
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Topics) != 1 || b.Topics[0].Name != "/z" {
		t.Errorf("%+v", b.Topics)
	}
}
