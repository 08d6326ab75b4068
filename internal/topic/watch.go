package topic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/pubsub"
)

// Watch says how topics are measured: over the last Window messages, with a report each second.
type Watch struct {
	Window    int
	Times     int // reports to print, 0 for no end
	JSON      bool
	Out       io.Writer     // for reports
	Err       io.Writer     // for everything else
	Every     time.Duration // time between reports, 0 for a second
	Timeout   time.Duration // when to end even so, 0 for never; a failure where reports are to come
	Discovery time.Duration // how long a topic may take to be discovered without a word about it
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
	topic string // full name
	mu    sync.Mutex
	meter meter
	sub   *pubsub.RawSubscription
	count int   // messages
	bad   error // the last that could not be measured
}

// watchDepth keeps messages that come while the program is busy. Measuring needs no reliability: it
// would have publishers wait for this program.
const watchDepth = 1000

func (w *watched) open(n *pubsub.Node, typeName string) error {
	var err error
	w.sub, err = pubsub.NewRawSubscription(n, w.topic, typeName, pubsub.SensorDataQoS().KeepLast(watchDepth), func(payload []byte, info *pubsub.MessageInfo) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.count++
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
func (w Watch) Rates(ctx context.Context, n *pubsub.Node, topics ...string) error {
	return w.run(ctx, n, topics, func(string, string) (meter, error) { return newRate(w.Window), nil })
}

// Bandwidth prints the bandwidth of a topic, as `ros2 topic bw` does.
func (w Watch) Bandwidth(ctx context.Context, n *pubsub.Node, topic string) error {
	return w.run(ctx, n, []string{topic}, func(topic, _ string) (meter, error) {
		if !w.JSON {
			fmt.Fprintf(w.Out, "Subscribed to [%s]\n", topic)
		}
		return newBandwidth(w.Window), nil
	})
}

// Delay prints how old the stamps of headers are when messages arrive, as `ros2 topic delay` does. The
// messages must begin with a header, as find tells by the name of their type.
func (w Watch) Delay(ctx context.Context, n *pubsub.Node, topic string, find func(typeName string) (*dynamic.Type, error)) error {
	return w.run(ctx, n, []string{topic}, func(topic, typeName string) (meter, error) {
		t, err := find(typeName)
		if err != nil {
			return nil, fmt.Errorf("topic %s: %w", topic, err)
		}
		m, err := newDelay(w.Window, t)
		if err != nil {
			return nil, fmt.Errorf("topic %s: %w", topic, err)
		}
		return m, nil
	})
}

// run measures topics, each with a meter that newMeter returns for its full name and type, until ctx
// ends, which is no error.
func (w Watch) run(ctx context.Context, n *pubsub.Node, names []string, newMeter func(topic, typeName string) (meter, error)) error {
	if w.Every == 0 {
		w.Every = time.Second
	}
	if w.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, w.Timeout, ErrTimeout)
		defer cancel()
	}
	var topics []*watched
	defer func() {
		for _, t := range topics {
			if t.sub != nil {
				_ = t.sub.Close() // which fails only within a callback
			}
		}
	}()
	for _, name := range names {
		full, err := Resolve(n, name)
		if err != nil {
			return err
		}
		t := &watched{topic: full}
		topics = append(topics, t)
		typeName, err := w.typeOf(ctx, n, full)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			break
		}
		if t.meter, err = newMeter(full, typeName); err != nil {
			return err
		}
		if err := t.open(n, typeName); err != nil {
			return err
		}
	}
	return w.reports(ctx, topics)
}

// typeOf waits until the topic has a type or ctx ends, and says what it waits for.
func (w Watch) typeOf(ctx context.Context, n *pubsub.Node, topic string) (string, error) {
	for told := false; ; told = true {
		changed := n.GraphChanged()
		endpoints, err := Await(ctx, n, topic, w.Discovery)
		if err != nil || ctx.Err() != nil {
			return "", err
		}
		published := slices.ContainsFunc(endpoints, func(e pubsub.EndpointInfo) bool { return e.Publisher })
		if !published && !told {
			fmt.Fprintf(w.Err, "WARNING: topic [%s] does not appear to be published yet\n", topic)
		}
		if len(endpoints) > 0 {
			return OnlyType(topic, endpoints)
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// reports prints reports until ctx ends, or as many as were asked for.
func (w Watch) reports(ctx context.Context, topics []*watched) error {
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	printed := 0
	for w.Times == 0 || printed < w.Times {
		select {
		case <-ctx.Done():
			return w.ended(ctx, topics, printed)
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

// ended tells why there is no report, or returns ErrTimeout if there are fewer than were asked for.
func (w Watch) ended(ctx context.Context, topics []*watched, printed int) error {
	var counts []string
	for _, t := range topics {
		t.mu.Lock()
		counts = append(counts, fmt.Sprintf("topic %s: %s", t.topic, messages(t.count)))
		t.mu.Unlock()
	}
	if came := strings.Join(counts, ", "); errors.Is(context.Cause(ctx), ErrTimeout) && w.Times > 0 {
		return fmt.Errorf("%w after %v with %d of %d reports; %s", ErrTimeout, w.Timeout, printed, w.Times, came)
	} else if printed == 0 {
		fmt.Fprintln(w.Err, "pinion:", came)
	}
	return nil
}

// messages says how many came, of which one is too few to measure anything.
func messages(n int) string {
	switch n {
	case 0:
		return "nothing was published"
	case 1:
		return "one message came, which is too few"
	}
	return fmt.Sprintf("%d messages came", n)
}

// print prints a report of all topics that have something to tell, and whether there is one.
func (w Watch) print(topics []*watched) (bool, error) {
	var reports []report
	var names []string
	var faults []error
	for _, t := range topics {
		r, err := t.report()
		if err != nil {
			faults = append(faults, fmt.Errorf("topic %s: %w", t.topic, err))
		}
		if r == nil {
			continue
		}
		if w.JSON {
			stats := t.sub.Stats()
			if err := w.object(r.object(t.topic, stats.Lost+stats.Overwritten)); err != nil {
				return false, err
			}
		}
		reports, names = append(reports, r), append(names, t.topic)
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
