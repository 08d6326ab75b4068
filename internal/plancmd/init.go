package plancmd

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// A seen topic is one that somebody published on while Init listened.
type seen struct {
	name, typeName string
	publishers     int

	mu          sync.Mutex
	n           int
	first, last int64 // arrival, CLOCK_MONOTONIC
}

func (s *seen) arrived(_ []byte, info *pubsub.MessageInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n == 0 {
		s.first = info.Arrival
	}
	s.n++
	s.last = info.Arrival
}

// rate is how many messages came per second between the first and the last, 0 for fewer than two.
func (s *seen) rate() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n < 2 || s.last <= s.first {
		return 0
	}
	return float64(s.n-1) / (float64(s.last-s.first) / float64(time.Second))
}

// Init listens to all topics of the node's domain for a time and writes a plan with what it has seen:
// every topic with its rate, all in the background. Topics that appear while it listens count too;
// those of ROS 2 itself are left out.
func Init(ctx context.Context, n *pubsub.Node, listen time.Duration, w io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, listen)
	defer cancel()
	topics := map[string]*seen{}
	for {
		changed := n.GraphChanged()
		if err := subscribe(n, topics); err != nil {
			return err
		}
		select {
		case <-changed:
			continue
		case <-ctx.Done():
		}
		if err := context.Cause(ctx); err != context.DeadlineExceeded {
			return err
		}
		return write(w, n.Domain(), listen, topics)
	}
}

// subscribe listens to the topics that are new.
func subscribe(n *pubsub.Node, topics map[string]*seen) error {
	all, err := n.Topics()
	if err != nil {
		return err
	}
	for _, t := range all {
		if topics[t.Name] != nil || slices.Contains([]string{"/rosout", "/parameter_events"}, t.Name) {
			continue
		}
		endpoints, err := n.Endpoints(t.Name)
		if err != nil {
			return err
		}
		s := &seen{name: t.Name}
		for _, e := range endpoints {
			if e.Publisher {
				s.publishers++
				s.typeName = e.Type
			}
		}
		if s.publishers == 0 {
			continue
		}
		// Every publisher satisfies a best effort, volatile subscription.
		qos := pubsub.SensorDataQoS().KeepLast(1000)
		if _, err := pubsub.NewRawSubscription(n, t.Name, s.typeName, qos, s.arrived); err != nil {
			return err
		}
		topics[t.Name] = s
	}
	return nil
}

// write writes the plan, the fastest topics first.
func write(w io.Writer, domain uint32, listen time.Duration, topics map[string]*seen) error {
	var sorted []*seen
	for _, s := range topics {
		sorted = append(sorted, s)
	}
	slices.SortFunc(sorted, func(a, b *seen) int {
		if d := b.rate() - a.rate(); math.Abs(d) >= 0.5 {
			return int(math.Copysign(1, d))
		}
		return strings.Compare(a.name, b.name)
	})
	p := &printer{w: w}
	p.line("# What pinion plan init saw in domain %d within %v.", domain, listen)
	p.line("# A topic that must not wait gets a lane; `pinion plan check` tells what that guarantees.")
	p.line("lanes: {}")
	if len(sorted) > 0 {
		p.line("# Instead of this, for example:")
		p.line("# lanes:")
		p.line("#   control: {cpus: [1], policy: fifo, priority: 80, topics: [%s]}", sorted[0].name)
	}
	p.line("background: {workers: 1}")
	if len(sorted) == 0 {
		p.line("# No topic had a publisher.")
		return p.err
	}
	p.line("topics:")
	for _, s := range sorted {
		note := s.typeName + ", 1 publisher"
		if s.publishers > 1 {
			note = fmt.Sprintf("%s, %d publishers", s.typeName, s.publishers)
		}
		if rate := s.rate(); rate > 0 {
			p.line("  %s: {rate: %s} # %s", s.name, rateText(rate), note)
		} else {
			p.line("  %s: {} # %s, too few messages for a rate", s.name, note)
		}
	}
	return p.err
}

// rateText writes a rate to three digits, or to whole messages where that is more, without an exponent.
func rateText(rate float64) string {
	decimals := max(0, 2-int(math.Floor(math.Log10(rate))))
	text := strconv.FormatFloat(rate, 'f', decimals, 64)
	if decimals > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// A printer keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}
