package topic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/pubsub"
)

// Watch says how topics are measured: over the last Window messages, with a report each second.
type Watch struct {
	Window int
	Times  int // reports to print, 0 for no end
	JSON   bool
	Out    io.Writer
	Every  time.Duration // time between reports, 0 for a second
}

// Source is a topic to be measured.
type Source struct {
	Topic string
	Type  string
}

// A meter measures one topic. It is used by one goroutine at a time.
type meter interface {
	add(payload []byte, info *pubsub.MessageInfo) error
	// report returns what there is to tell since the last report, nil for nothing.
	report(now int64) report
}

// A report prints what was measured.
type report interface {
	text() string
	object(topic string, lost uint64) any
}

// watched is a topic with its meter.
type watched struct {
	Source
	mu    sync.Mutex
	meter meter
	sub   *pubsub.RawSubscription
	bad   error // the last that could not be measured
}

// watchDepth keeps messages that come while the program is busy. Measuring needs no reliability: it
// would have publishers wait for this program.
const watchDepth = 1000

func (w *watched) open(n *pubsub.Node) error {
	var err error
	w.sub, err = pubsub.NewRawSubscription(n, w.Topic, w.Type, pubsub.SensorDataQoS().KeepLast(watchDepth), func(payload []byte, info *pubsub.MessageInfo) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if err := w.meter.add(payload, info); err != nil {
			w.bad = err
		}
	})
	return err
}

func (w *watched) report() (report, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.bad
	w.bad = nil
	return w.meter.report(pubsub.Monotonic()), err
}

// Rates prints the rates of topics, as `ros2 topic hz` does.
func (w Watch) Rates(ctx context.Context, n *pubsub.Node, sources []Source) error {
	var topics []*watched
	for _, s := range sources {
		topics = append(topics, &watched{Source: s, meter: newRate(w.Window)})
	}
	return w.run(ctx, n, topics)
}

// Bandwidth prints the bandwidth of a topic, as `ros2 topic bw` does.
func (w Watch) Bandwidth(ctx context.Context, n *pubsub.Node, s Source) error {
	if !w.JSON {
		fmt.Fprintf(w.Out, "Subscribed to [%s]\n", s.Topic)
	}
	return w.run(ctx, n, []*watched{{Source: s, meter: newBandwidth(w.Window)}})
}

// Delay prints how old the stamps of headers are when messages arrive, as `ros2 topic delay` does. The
// messages must begin with a header.
func (w Watch) Delay(ctx context.Context, n *pubsub.Node, s Source, t *dynamic.Type) error {
	m, err := newDelay(w.Window, t)
	if err != nil {
		return fmt.Errorf("topic %s: %w", s.Topic, err)
	}
	return w.run(ctx, n, []*watched{{Source: s, meter: m}})
}

func (w Watch) run(ctx context.Context, n *pubsub.Node, topics []*watched) error {
	if w.Every == 0 {
		w.Every = time.Second
	}
	defer func() {
		for _, t := range topics {
			if t.sub != nil {
				_ = t.sub.Close() // which fails only within a callback
			}
		}
	}()
	for _, t := range topics {
		if err := t.open(n); err != nil {
			return err
		}
	}
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	for printed := 0; w.Times == 0 || printed < w.Times; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		some, err := w.print(topics)
		if err != nil {
			return err
		}
		if some {
			printed++
		}
	}
	return nil
}

// print prints a report of all topics that have something to tell, and whether there is one.
func (w Watch) print(topics []*watched) (bool, error) {
	var reports []report
	var names []string
	var faults []error
	for _, t := range topics {
		r, err := t.report()
		if err != nil {
			faults = append(faults, fmt.Errorf("topic %s: %w", t.Topic, err))
		}
		if r == nil {
			continue
		}
		if w.JSON {
			stats := t.sub.Stats()
			if err := w.object(r.object(t.Topic, stats.Lost+stats.Overwritten)); err != nil {
				return false, err
			}
		}
		reports, names = append(reports, r), append(names, t.Topic)
	}
	if len(faults) > 0 {
		return false, errors.Join(faults...)
	}
	if len(reports) == 0 || w.JSON {
		return len(reports) > 0, nil
	}
	text := reports[0].text()
	if len(topics) > 1 {
		text = rateTable(names, reports)
	}
	_, err := io.WriteString(w.Out, text)
	return true, err
}

func (w Watch) object(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Out.Write(append(text, '\n'))
	return err
}
