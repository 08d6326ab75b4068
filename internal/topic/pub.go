package topic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/internal/pytext"
	"github.com/pinion-ros/pinion/pubsub"
)

// Pub says what is published on a topic.
type Pub struct {
	Topic     string
	Type      *dynamic.Type
	Values    *dynamic.Node // the words auto and now stand for the time of each message
	QoS       pubsub.QoS
	Rate      float64       // per second
	Times     int           // messages to publish, 0 for no end
	Print     int           // every which message is printed, 0 for none
	Wait      int           // subscriptions that must be there before
	MaxWait   time.Duration // for them, 0 for no limit
	Settle    time.Duration // how long the first message waits for a subscription at the most if Wait is 0
	KeepAlive time.Duration // how long the publisher stays after the last message
	JSON      bool
	Out       io.Writer
}

// The range of rates: what a timer of Go can do.
const minRate, maxRate = 1e-6, 1e6

// Run publishes until ctx ends, which is no error, or as many messages as were asked for.
func (p *Pub) Run(ctx context.Context, n *pubsub.Node) error {
	if !(p.Rate >= minRate && p.Rate <= maxRate) {
		return fmt.Errorf("a rate of %v per second is not in %v to %v", p.Rate, minRate, maxRate)
	}
	if _, err := p.message(time.Now()); err != nil {
		return err // before anybody waits
	}
	cdr.Register(p.Type.CDR()) // so that its hash is announced
	pub, err := pubsub.NewRawPublisher(n, p.Topic, p.Type.String(), p.QoS)
	if err != nil {
		return err
	}
	err = p.wait(ctx, pub)
	if err == nil {
		p.beHeard(ctx, pub)
		err = p.publish(ctx, pub)
	}
	return errors.Join(err, pub.Close())
}

func (p *Pub) message(now time.Time) (*dynamic.Message, error) {
	m, err := p.Type.FromNode(p.Values, dynamic.Now(now))
	if err != nil {
		return nil, fmt.Errorf("the values do not fit %s: %w", p.Type, err)
	}
	return m, nil
}

// wait waits for subscriptions and says so each second.
func (p *Pub) wait(ctx context.Context, pub *pubsub.RawPublisher) error {
	if p.Wait == 0 {
		return p.settle(ctx, pub)
	}
	end := time.Now().Add(p.MaxWait)
	for ctx.Err() == nil {
		slice := time.Second
		if p.MaxWait > 0 {
			slice = min(slice, time.Until(end))
		}
		if pub.Subscribers() >= p.Wait {
			return nil
		}
		if slice <= 0 {
			return fmt.Errorf("topic %s: %w after %v of waiting for subscriptions: %d are wanted, there are %d; nothing was published",
				p.Topic, ErrTimeout, p.MaxWait, p.Wait, pub.Subscribers())
		}
		p.say("Waiting for at least %d matching subscription(s)...\n", p.Wait)
		turn, cancel := context.WithTimeout(ctx, slice)
		err := pub.WaitForSubscribers(turn, p.Wait)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return nil
}

// settle keeps the first message from being sent before those who are there have been discovered.
func (p *Pub) settle(ctx context.Context, pub *pubsub.RawPublisher) error {
	ctx, cancel := context.WithTimeout(ctx, p.Settle)
	defer cancel()
	err := pub.WaitForSubscribers(ctx, 1)
	if ctx.Err() != nil {
		return nil // nobody is there, or the command ends
	}
	return err
}

// matchWait is how much later a subscription may match the publisher than the other way round. What is
// reliable is sent again to it.
const matchWait = 100 * time.Millisecond

// beHeard keeps the first message from being lost on subscriptions of best effort.
func (p *Pub) beHeard(ctx context.Context, pub *pubsub.RawPublisher) {
	if pub.Subscribers() == 0 {
		return
	}
	select {
	case <-time.After(matchWait):
	case <-ctx.Done():
	}
}

// say prints what scripts do not read.
func (p *Pub) say(format string, args ...any) {
	if !p.JSON {
		fmt.Fprintf(p.Out, format, args...)
	}
}

// ackWait is how long the last messages may take until they are acknowledged. KeepAlive alone is
// too short for a slow link.
const ackWait = 2 * time.Second

func (p *Pub) publish(ctx context.Context, pub *pubsub.RawPublisher) error {
	if ctx.Err() != nil {
		return nil
	}
	p.say("publisher: beginning loop\n")
	tick := time.NewTicker(time.Duration(float64(time.Second) / p.Rate))
	defer tick.Stop()
	for i := 1; ; i++ {
		if err := p.one(pub, i); err != nil {
			return err
		}
		if i == p.Times {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
	return p.linger(ctx, pub)
}

// linger gives the last messages time to get across.
func (p *Pub) linger(ctx context.Context, pub *pubsub.RawPublisher) error {
	acknowledged, cancel := context.WithTimeout(ctx, ackWait)
	defer cancel()
	err := pub.WaitForAcknowledgements(acknowledged)
	if acknowledged.Err() != nil {
		err = nil // a subscription that is gone or stuck is not our fault
	}
	select {
	case <-time.After(p.KeepAlive):
	case <-ctx.Done():
	}
	return err
}

func (p *Pub) one(pub *pubsub.RawPublisher, i int) error {
	now := time.Now()
	m, err := p.message(now)
	if err != nil {
		return err
	}
	data, err := cdr.Marshal(m)
	if err != nil {
		return err
	}
	if p.Print > 0 && i%p.Print == 0 {
		if err := p.print(i, m); err != nil {
			return err
		}
	}
	return pub.PublishAt(data, now)
}

func (p *Pub) print(i int, m *dynamic.Message) error {
	if !p.JSON {
		_, err := fmt.Fprintf(p.Out, "publishing #%d: %s\n\n", i, pytext.Repr(m))
		return err
	}
	text, err := cdr.AppendJSON(nil, m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Out, "{\"number\":%d,\"message\":%s}\n", i, text)
	return err
}
