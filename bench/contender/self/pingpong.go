package self

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/pubsub"
)

const (
	pingTopic = "/bench/ping"
	pongTopic = "/bench/pong"
)

// An end of the ping-pong sends and receives stamps, whatever the type of the messages that carry them.
type end struct {
	send  func(contender.Stamp) error
	match func(context.Context) error
}

func openEnd(c contender.Config, node *pubsub.Node, in, out string, received func(contender.Stamp)) (*end, error) {
	outlet, err := openOutlet(c, node, out, c.Size, executor.UsedBy(in))
	if err != nil {
		return nil, err
	}
	publishers, err := openInlet(c, node, in, received)
	if err != nil {
		return nil, err
	}
	return &end{
		send: outlet.send,
		match: func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
			defer cancel()
			if err := outlet.match(ctx, 1); err != nil {
				return err
			}
			return publishers(ctx, 1)
		},
	}, nil
}

// A pinger keeps one message in flight and takes all times at its own end; those that the pong adds are
// for the audit.
type pinger struct {
	*end
	warmup, total uint64

	mu                   sync.Mutex // for the message that is sent again after a loss
	number               uint64
	lost, duplicates     uint64
	sent                 int64
	latency, forth, back *measure.Histogram
	err                  error
	done                 chan struct{}
}

func ping(ctx context.Context, c contender.Config, node *pubsub.Node, s *scheduler) (*contender.Result, error) {
	p := &pinger{warmup: uint64(c.Warmup), total: uint64(c.Warmup + c.Count), done: make(chan struct{}),
		latency: measure.NewHistogram(), forth: measure.NewHistogram(), back: measure.NewHistogram()}
	var err error
	if p.end, err = openEnd(c, node, pongTopic, pingTopic, p.received); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ran := make(chan error, 1)
	go func() { ran <- s.run(ctx) }()
	err = p.match(ctx)
	if err == nil {
		time.Sleep(50 * time.Millisecond)
		p.start()
		p.wait(ctx)
	}
	cancel()
	if err := errors.Join(err, <-ran, node.Close(), p.err); err != nil {
		return nil, err
	}
	sent := p.total - p.warmup
	return &contender.Result{Sent: sent, Received: sent - p.lost, Duplicates: p.duplicates,
		Latency: p.latency, Forth: p.forth, Back: p.back}, nil
}

func (p *pinger) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sendPing()
}

// sendPing is called with the lock held, as is next.
func (p *pinger) sendPing() {
	p.sent = measure.Now()
	if err := p.send(contender.Stamp{Number: p.number, Intended: p.sent, Sent: p.sent}); err != nil {
		p.err = err
		close(p.done)
		p.number = p.total
	}
}

func (p *pinger) next() {
	if p.number++; p.number < p.total {
		p.sendPing()
		return
	}
	close(p.done)
}

func (p *pinger) received(s contender.Stamp) {
	now := measure.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.Number != p.number || p.number >= p.total {
		p.duplicates++
		return
	}
	if p.number >= p.warmup {
		p.latency.Record(now - p.sent)
		if s.Replied != 0 {
			p.forth.Record(s.Arrived - p.sent)
			p.back.Record(now - s.Replied)
		}
	}
	p.next()
}

// wait looks for losses until the last answer or the end of ctx.
func (p *pinger) wait(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
			p.mu.Lock()
			if p.number < p.total && measure.Now()-p.sent > int64(time.Second) {
				if p.number >= p.warmup {
					p.lost++
				}
				p.next()
			}
			p.mu.Unlock()
		}
	}
}

// pong answers until ctx ends.
func pong(ctx context.Context, c contender.Config, node *pubsub.Node, s *scheduler) (*contender.Result, error) {
	delay := int64(c.DelayMicrosec * 1000)
	var e *end
	var failed error
	ready := make(chan struct{})
	e, err := openEnd(c, node, pingTopic, pongTopic, func(s contender.Stamp) {
		s.Arrived = measure.Now()
		<-ready
		if delay > 0 {
			measure.SleepUntil(s.Arrived + delay)
		}
		s.Replied = measure.Now()
		if err := e.send(s); err != nil {
			failed = err
		}
	})
	if err != nil {
		return nil, err
	}
	close(ready)
	if err := errors.Join(s.run(ctx), node.Close(), failed); err != nil {
		return nil, err
	}
	return &contender.Result{}, nil
}
