package top

import (
	"slices"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// trendLength is how many frames a sparkline shows at the most.
const trendLength = 40

// depth of the queues keeps what comes while top is busy.
const depth = 1000

// A Collector measures the topics of a domain. Its methods are for one goroutine.
type Collector struct {
	node     *pubsub.Node
	patterns []string
	hidden   bool
	topics   map[string]*watched
	metrics  metrics
	last     time.Time
}

// watched is a topic that is subscribed to.
type watched struct {
	typeName string
	sub      *pubsub.RawSubscription
	meter    meter
	before   counted
	trend    []float64
}

// NewCollector returns a collector that looks through node, which the caller closes after it. Topics
// that match none of the patterns (pubsub.MatchName, all for none) are left out, and so are hidden ones
// unless wanted; those on which nodes publish about themselves are read in any case.
func NewCollector(node *pubsub.Node, patterns []string, hidden bool) (*Collector, error) {
	for _, p := range patterns {
		if err := pubsub.ValidatePattern(p); err != nil {
			return nil, err
		}
	}
	return &Collector{node: node, patterns: patterns, hidden: hidden, topics: map[string]*watched{}, last: time.Now()}, nil
}

// Frame returns what was measured since the frame before.
func (c *Collector) Frame() (*Frame, error) {
	topics, err := c.node.Topics()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	f := &Frame{Time: now, Domain: c.node.Domain(), Topics: []Topic{}, patterns: c.patterns}
	alive := map[string]bool{}
	for _, t := range topics {
		if !c.wants(t.Name) && !slices.Contains(t.Types, metricsType) {
			continue
		}
		row, err := c.topic(t.Name, now.Sub(c.last).Seconds())
		if err != nil {
			return nil, err
		}
		if row == nil {
			continue
		}
		alive[t.Name] = true
		if c.wants(t.Name) {
			f.Topics = append(f.Topics, *row)
		}
	}
	c.last = now
	f.Metrics = c.metrics.list(now)
	return f, c.forget(alive)
}

func (c *Collector) wants(topic string) bool {
	if len(c.patterns) == 0 {
		return c.hidden || !strings.Contains(topic, "/_")
	}
	return slices.ContainsFunc(c.patterns, func(p string) bool { return pubsub.MatchName(p, topic) })
}

// topic returns a row, nil for a topic that has no endpoints but top's own.
func (c *Collector) topic(name string, seconds float64) (*Topic, error) {
	endpoints, err := c.node.Endpoints(name)
	if err != nil {
		return nil, err
	}
	w := c.topics[name]
	if w != nil {
		endpoints = slices.DeleteFunc(endpoints, func(e pubsub.EndpointInfo) bool { return e.GUID == w.sub.GUID() })
	}
	if len(endpoints) == 0 {
		return nil, nil
	}
	row := &Topic{Name: name, Type: endpoints[0].Type, Warnings: warnings(endpoints)}
	for _, e := range endpoints {
		if e.Publisher {
			row.Publishers++
		} else {
			row.Subscriptions++
		}
	}
	if w != nil && w.typeName != row.Type { // the topic came back with another one
		delete(c.topics, name)
		if err := w.sub.Close(); err != nil {
			return nil, err
		}
		w = nil
	}
	if w == nil && row.Publishers > 0 {
		if w, err = c.watch(name, row.Type); err != nil { // others can have announced anything
			row.Warnings = append(row.Warnings, "not measured: "+err.Error())
		}
	}
	if w != nil {
		w.measure(row, seconds)
	}
	return row, nil
}

// watch subscribes to a topic so that any publisher suits, and none waits for top.
func (c *Collector) watch(name, typeName string) (*watched, error) {
	w := &watched{typeName: typeName}
	callback := func(payload []byte, info *pubsub.MessageInfo) { w.meter.add(len(payload), info) }
	if typeName == metricsType {
		callback = func(payload []byte, info *pubsub.MessageInfo) {
			w.meter.add(len(payload), info)
			c.metrics.add(payload, time.Now())
		}
	}
	var err error
	if w.sub, err = pubsub.NewRawSubscription(c.node, name, typeName, pubsub.SensorDataQoS().KeepLast(depth), callback); err != nil {
		return nil, err
	}
	c.topics[name] = w
	return w, nil
}

func (w *watched) measure(row *Topic, seconds float64) {
	now, stats := w.meter.read(), w.sub.Stats()
	if seconds > 0 {
		row.Rate = float64(now.messages-w.before.messages) / seconds
		row.Bandwidth = float64(now.bytes-w.before.bytes) / seconds
	}
	row.Latency, row.Lost = now.latency, stats.Lost+stats.Overwritten
	w.before, w.trend = now, push(w.trend, row.Rate)
	row.trend = slices.Clone(w.trend)
}

// forget closes the subscriptions of topics that are gone.
func (c *Collector) forget(alive map[string]bool) error {
	for name, w := range c.topics {
		if alive[name] {
			continue
		}
		delete(c.topics, name)
		if err := w.sub.Close(); err != nil {
			return err
		}
	}
	return nil
}
