package top

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/statistics_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

func TestMain(m *testing.M) { os.Exit(pubsubtest.Run(m)) }

func newCollector(t *testing.T, d *pubsubtest.Domain, patterns ...string) *Collector {
	t.Helper()
	return pubsubtest.Must[*Collector](t)(NewCollector(d.NewNode("_top"), patterns, false))
}

// frame waits for a frame that ok accepts.
func frame(t *testing.T, c *Collector, ok func(*Frame) bool) *Frame {
	t.Helper()
	var f *Frame
	pubsubtest.Eventually(t, func() bool {
		var err error
		if f, err = c.Frame(); err != nil {
			t.Fatal(err)
		}
		return ok(f)
	})
	return f
}

func (f *Frame) topic(name string) *Topic {
	for i := range f.Topics {
		if f.Topics[i].Name == name {
			return &f.Topics[i]
		}
	}
	return nil
}

func TestCollector(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	node := d.NewNode("talker")
	pub := pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](node, "chatter", pubsub.DefaultQoS()))
	hidden := pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](node, "/_hidden", pubsub.DefaultQoS()))
	c := newCollector(t, d)

	frame(t, c, func(f *Frame) bool { return f.topic("/chatter") != nil && c.topics["/chatter"] != nil })
	pubsubtest.WaitForMatch(t, pub)
	const n = 20
	for range n {
		if err := pub.PublishAt(&std_msgs.String{Data: "seven b"}, time.Now().Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	rates := 0.0
	f := frame(t, c, func(f *Frame) bool {
		rates += f.topic("/chatter").Rate
		return c.topics["/chatter"].before.messages == n
	})
	got := f.topic("/chatter")
	if got.Type != "std_msgs/msg/String" || got.Publishers != 1 || got.Subscriptions != 0 || len(got.Warnings) != 0 || rates <= 0 {
		t.Errorf("%+v, rates %v", got, rates)
	}
	if bytes := c.topics["/chatter"].before.bytes; bytes != n*16 { // header, length, text and NUL
		t.Errorf("%d bytes", bytes)
	}
	if l := got.Latency; l == nil || l.P50 < time.Second || l.P50 > 20*time.Second || l.P99 < l.P50 {
		t.Errorf("latency %+v", l)
	}
	if f.topic("/_hidden") != nil || hidden.Subscribers() != 0 {
		t.Error("a hidden topic is watched")
	}

	if err := pub.Close(); err != nil {
		t.Fatal(err)
	}
	frame(t, c, func(f *Frame) bool { return f.topic("/chatter") == nil })
	if len(c.topics) != 0 {
		t.Error("the subscription of a topic that is gone stays")
	}
}

// What others announce that cannot be subscribed to leaves all else as it is.
func TestForeign(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](d.NewNode("talker"), "chatter", pubsub.DefaultQoS()))
	d.NewForeign("rt/foreign", "Foreign", "rt//bad", "Foreign")
	c := newCollector(t, d)
	f := frame(t, c, func(f *Frame) bool { return f.topic("/foreign") != nil && c.topics["/chatter"] != nil })
	if w := f.topic("/foreign").Warnings; len(w) != 1 || !strings.Contains(w[0], "Foreign") || len(f.Topics) != 2 {
		t.Errorf("%+v", f.Topics)
	}
}

func TestPatterns(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	node := d.NewNode("talker")
	for _, name := range []string{"/left/a", "/left/b", "/right/a", "/left/_c"} {
		pubsubtest.Must[*pubsub.Publisher[std_msgs.Bool]](t)(pubsub.NewPublisher[std_msgs.Bool](node, name, pubsub.DefaultQoS()))
	}
	f := frame(t, newCollector(t, d, "/left/*"), func(f *Frame) bool { return len(f.Topics) == 3 })
	if f.topic("/right/a") != nil {
		t.Errorf("%+v", f.Topics)
	}
	if _, err := NewCollector(node, []string{"[a"}, false); err == nil {
		t.Error("a bad pattern is accepted")
	}
}

func TestMetrics(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	pub := pubsubtest.Must[*pubsub.Publisher[statistics_msgs.MetricsMessage]](t)(
		pubsub.NewPublisher[statistics_msgs.MetricsMessage](d.NewNode("robot"), "/statistics", pubsub.DefaultQoS()))
	c := newCollector(t, d, "/none") // patterns do not matter for what nodes publish about themselves
	frame(t, c, func(*Frame) bool { return c.topics["/statistics"] != nil })
	pubsubtest.WaitForMatch(t, pub)
	point := func(kind uint8, v float64) statistics_msgs.StatisticDataPoint {
		return statistics_msgs.StatisticDataPoint{DataType: kind, Data: v}
	}
	for _, name := range []string{"period", "callback"} {
		if err := pub.Publish(&statistics_msgs.MetricsMessage{MeasurementSourceName: "control", MetricsSource: name, Unit: "ms",
			Statistics: []statistics_msgs.StatisticDataPoint{point(1, 1.5), point(3, 4), point(4, math.NaN()), point(5, 100), point(9, 7)}}); err != nil {
			t.Fatal(err)
		}
	}
	f := frame(t, c, func(f *Frame) bool { return len(f.Metrics) == 2 })
	m := f.Metrics[0]
	if m.Source != "control" || m.Name != "callback" || m.Unit != "ms" || *m.Mean != 1.5 || m.Min != nil || *m.Max != 4 || m.StdDev != nil || *m.Count != 100 {
		t.Errorf("%+v", m)
	}
	if len(f.Topics) != 0 {
		t.Errorf("%+v", f.Topics)
	}
	if got := c.metrics.list(time.Now().Add(forgotten + time.Second)); len(got) != 0 {
		t.Errorf("old metrics stay: %+v", got)
	}
}

func TestMetricsAreBounded(t *testing.T) {
	var m metrics
	m.add([]byte("no message"), time.Now())
	for i := range maxMetrics + 10 {
		payload, err := cdr.Marshal(&statistics_msgs.MetricsMessage{MetricsSource: strings.Repeat("x", i)})
		if err != nil {
			t.Fatal(err)
		}
		m.add(payload, time.Now())
	}
	if got := len(m.list(time.Now())); got != maxMetrics {
		t.Errorf("%d metrics", got)
	}
}

func TestWarnings(t *testing.T) {
	endpoint := func(node string, publisher bool, change func(*pubsub.EndpointInfo)) pubsub.EndpointInfo {
		e := pubsub.EndpointInfo{Node: node, Namespace: "/", Publisher: publisher, Type: "a/msg/A", QoS: pubsub.DefaultQoS()}
		if change != nil {
			change(&e)
		}
		return e
	}
	pub, sub := endpoint("pub", true, nil), endpoint("sub", false, nil)
	for _, c := range []struct {
		name      string
		endpoints []pubsub.EndpointInfo
		want      string
	}{
		{"fine", []pubsub.EndpointInfo{pub, sub}, ""},
		{"alone", []pubsub.EndpointInfo{pub}, ""},
		{"QoS", []pubsub.EndpointInfo{endpoint("pub", true, func(e *pubsub.EndpointInfo) { e.QoS = pubsub.SensorDataQoS() }),
			endpoint("", false, func(e *pubsub.EndpointInfo) { e.QoS = pubsub.DefaultQoS().TransientLocal() })},
			"QoS: /pub offers less than an unknown node asks for: RELIABILITY, DURABILITY"},
		{"types", []pubsub.EndpointInfo{pub, endpoint("sub", false, func(e *pubsub.EndpointInfo) { e.Type = "a/msg/B" })},
			"types: /pub has a/msg/A, /sub has a/msg/B"},
		{"definitions", []pubsub.EndpointInfo{endpoint("pub", true, func(e *pubsub.EndpointInfo) { e.TypeHash = "1" }), sub,
			endpoint("sub", false, func(e *pubsub.EndpointInfo) { e.TypeHash = "2" })},
			"types: /pub and /sub define a/msg/A differently"},
		{"once", []pubsub.EndpointInfo{pub, pub, endpoint("s", false, func(e *pubsub.EndpointInfo) { e.QoS.Durability = pubsub.TransientLocal })},
			"QoS: /pub offers less than /s asks for: DURABILITY"},
	} {
		if got := strings.Join(warnings(c.endpoints), "; "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	var crowd []pubsub.EndpointInfo // of which each pair would have its own
	for i := range 3000 {
		crowd = append(crowd, endpoint(fmt.Sprint("n", i), true, func(e *pubsub.EndpointInfo) { e.Type = fmt.Sprint("a/msg/T", i) }))
	}
	if got := warnings(crowd); len(got) != maxWarnings+1 || got[maxWarnings] != "and more" {
		t.Errorf("%d warnings: %q", len(got), got)
	}
}

// TestExecutor watches an executor that publishes its statistics.
func TestExecutor(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	ex := pubsubtest.Must[*executor.Executor](t)(executor.New(executor.WithPlan(executor.Plan{
		Lanes:  []executor.Lane{{Name: "control", Mode: executor.Woken, Topics: []string{"/joints"}}},
		Topics: []executor.Topic{{Name: "/joints", Budget: time.Nanosecond, Deadline: time.Nanosecond}},
	})))
	node := d.NewNode("arm", pubsub.WithScheduler(ex))
	sub := pubsubtest.Must[*pubsub.Subscription[std_msgs.Bool]](t)(
		pubsub.NewSubscription(node, "joints", pubsub.DefaultQoS(), func(*std_msgs.Bool, *pubsub.MessageInfo) {}))
	pub := pubsubtest.Must[*pubsub.Publisher[std_msgs.Bool]](t)(pubsub.NewPublisher[std_msgs.Bool](d.NewNode("robot"), "joints", pubsub.DefaultQoS()))
	pubsubtest.WaitForMatch(t, sub, pub)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer func() {
		cancel()
		wg.Wait()
		node.Close()
		if err := ex.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, f := range []func() error{
		func() error { return ex.Run(ctx) },
		func() error { return ex.PublishStatistics(ctx, node, 50*time.Millisecond) },
	} {
		wg.Go(func() {
			if err := f(); err != nil {
				t.Error(err)
			}
		})
	}
	c := newCollector(t, d)
	complete := func(l *lane) bool {
		return l.metric(calls).Mean != nil && l.metric(jitters).Max != nil && l.metric(misses).total > 0 && l.metric(overruns).total > 0
	}
	frame(t, c, func(f *Frame) bool {
		if err := pub.Publish(&std_msgs.Bool{}); err != nil {
			t.Fatal(err)
		}
		rows := lanesOf(f.Metrics)
		lanes.sort(rows, 0, false)
		return len(rows) == 2 && rows[0].source == "arm lane control" && complete(&rows[0]) &&
			rows[1].source == "arm /joints" && complete(&rows[1]) && rows[1].metric(ages).Max != nil
	})
}

func TestEmptyFrame(t *testing.T) {
	for want, f := range map[string]*Frame{
		"domain 7 has no topics\n":                        {Domain: 7},
		"domain 7 has no topics that match /a* or /b/*\n": {Domain: 7, patterns: []string{"/a*", "/b/*"}},
	} {
		if got := string(f.text()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		v := newView(80, 24, false)
		v.update(f)
		if got := v.topicDetail() + "\n"; got != want {
			t.Errorf("live: got %q, want %q", got, want)
		}
	}
}
