package bag

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

// PlayConfig says what is played and how.
type PlayConfig struct {
	Filter Filter
	Rate   float64       // how many times as fast as recorded, above 0
	Offset time.Duration // from the bag's start; what is latched comes from before, too
	Length time.Duration // of the part that is played, in the bag's time, 0 for all
	Clock  float64       // how often in a second to publish the bag's time on /clock, instead of what was recorded there
	Loop   bool          // play again and again until ctx ends
	Delay  time.Duration // before the first message
	// Wait is how long to wait before that until each topic has a subscription.
	Wait time.Duration
}

// matchWait is how much later a subscription may match a publisher than the other way round. What is
// best effort is lost meanwhile.
const matchWait = 100 * time.Millisecond

// PlayStats tells what was played.
type PlayStats struct {
	Published uint64
	Failed    uint64        // could not be published, as their subscriptions were too slow or they are no messages
	Late      time.Duration // the most that a message was late
}

// player is a bag being played: one goroutine reads ahead, one publishes.
type player struct {
	PlayConfig
	bag        *Bag
	node       *pubsub.Node
	publishers []*pubsub.RawPublisher
	index      map[string]int // of the publishers, by the topics' names in the bag
	latched    map[string]bool
	stats      PlayStats
	failing    []bool
	clock      *simClock // nil for none
}

// Play plays a bag until its end, or until ctx ends, which is no error then. The node's remapping
// rules rename the topics. Reliable subscriptions have got all when it returns, if they are quick
// enough.
func Play(ctx context.Context, node *pubsub.Node, b *Bag, c PlayConfig) (PlayStats, error) {
	if !(c.Rate > 0 && c.Rate < 1e9) {
		return PlayStats{}, fmt.Errorf("a rate of %v: it must be above 0", c.Rate)
	}
	if c.Clock != 0 && !(c.Clock >= minClock && c.Clock <= maxClock) {
		return PlayStats{}, fmt.Errorf("a clock of %v Hz: it must be from %v to %v", c.Clock, minClock, maxClock)
	}
	p := &player{PlayConfig: c, bag: b, node: node, index: map[string]int{}, latched: map[string]bool{}}
	err := p.open()
	if err == nil && c.Clock > 0 {
		p.clock, err = newSimClock(node, c.Clock)
	}
	if err == nil {
		err = p.wait(ctx)
	}
	if err == nil {
		err = p.repeat(ctx)
	}
	err = errors.Join(err, p.clock.close())
	if err == nil {
		p.flush(ctx)
	}
	for _, pub := range p.publishers {
		err = errors.Join(err, pub.Close())
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil
	}
	return p.stats, err
}

// open creates the publishers.
func (p *player) open() error {
	for _, t := range p.bag.Topics {
		if !p.Filter.selects(t.Name) || t.Name == clockTopic && p.Clock > 0 {
			continue
		}
		if t.Encoding != "cdr" {
			return fmt.Errorf("topic %s: its messages are serialized as %q, not as cdr", t.Name, t.Encoding)
		}
		qos, same := offer(t.Offered)
		if !same {
			p.node.Logger().Warn("the publishers that were recorded offered different things: offering the best of all", zap.String("topic", t.Name))
		}
		pub, err := pubsub.NewRawPublisher(p.node, t.Name, t.Type, qos, pubsub.WithMaxBlocking(time.Second))
		if err != nil {
			return err
		}
		p.index[t.Name] = len(p.publishers)
		p.latched[t.Name] = qos.Durability == pubsub.TransientLocal
		p.publishers = append(p.publishers, pub)
	}
	p.failing = make([]bool, len(p.publishers))
	if len(p.publishers) == 0 {
		return fmt.Errorf("%s: no topic is selected of %d", p.bag.Path, len(p.bag.Topics))
	}
	return nil
}

// wait waits for subscriptions, then for the delay.
func (p *player) wait(ctx context.Context) error {
	delay := p.Delay
	if p.Wait > 0 {
		delay = max(delay, matchWait)
		limited, cancel := context.WithTimeout(ctx, p.Wait)
		defer cancel()
		for _, pub := range p.publishers {
			if err := pub.WaitForSubscribers(limited, 1); err != nil && ctx.Err() == nil {
				p.node.Logger().Warn("nobody subscribes", zap.String("topic", pub.Topic()))
			}
		}
	}
	return sleepUntil(ctx, pubsub.Monotonic()+int64(delay))
}

// shortestPass is the least time between the starts of two passes, for bags that are over at once.
const shortestPass = int64(100 * time.Millisecond)

// repeat plays the bag, again and again if it shall.
func (p *player) repeat(ctx context.Context) error {
	for {
		start, before := pubsub.Monotonic(), p.stats
		if err := p.once(ctx); err != nil || !p.Loop {
			return err
		}
		if p.stats.Published+p.stats.Failed == before.Published+before.Failed {
			return nil
		}
		if err := sleepUntil(ctx, start+shortestPass); err != nil {
			return err
		}
	}
}

// once plays the bag from the offset to its end.
func (p *player) once(ctx context.Context) error {
	s, err := p.selection()
	if err != nil {
		return err
	}
	ahead := readAhead(ctx, func(ctx context.Context, f messageFunc) error { return p.bag.messages(ctx, s, f) })
	defer ahead.stop()
	var line *timeline
	for b := range ahead.batches {
		for _, e := range b.entries {
			if line == nil {
				line = &timeline{pubsub.Monotonic(), max(s.from, e.time), p.Rate}
				p.clock.follow(line)
			}
			if err := p.publish(ctx, line, e, b.message(e)); err != nil {
				return err
			}
		}
		ahead.reuse(b)
	}
	return ahead.err()
}

// selection returns what is played of the bag.
func (p *player) selection() (selection, error) {
	// The first message and the last, whatever the description says.
	s := selection{p.index, p.latched, math.MinInt64, math.MaxInt64}
	if p.Offset > p.bag.Duration {
		return s, fmt.Errorf("%s: is %v long, an offset of %v is beyond its end", p.bag.Path, p.bag.Duration, p.Offset)
	}
	if p.Offset > 0 {
		s.from = p.bag.Start + int64(p.Offset)
	}
	if p.Length > 0 && p.Length < p.bag.Duration-p.Offset {
		s.until = p.bag.Start + int64(p.Offset+p.Length)
	}
	return s, nil
}

// publish publishes a message when it is due.
func (p *player) publish(ctx context.Context, line *timeline, e entry, data []byte) error {
	due := line.due(e.time)
	if err := sleepUntil(ctx, due); err != nil {
		return err
	}
	p.stats.Late = max(p.stats.Late, time.Duration(pubsub.Monotonic()-due))
	pub := p.publishers[e.topic]
	if err := pub.Publish(data); err != nil {
		p.stats.Failed++
		if !p.failing[e.topic] {
			p.failing[e.topic] = true
			p.node.Logger().Warn("message could not be published", zap.String("topic", pub.Topic()), zap.Error(err))
		}
		return nil
	}
	p.failing[e.topic] = false
	p.stats.Published++
	return nil
}

// flush waits for reliable subscriptions to acknowledge what was published, but not for ever.
func (p *player) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, pub := range p.publishers {
		if err := pub.WaitForAcknowledgements(ctx); err != nil {
			p.node.Logger().Warn("not all was acknowledged", zap.String("topic", pub.Topic()), zap.Error(err))
		}
	}
}
