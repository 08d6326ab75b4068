package role

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
)

// A pinger keeps one message in flight and takes all times at its own end; those that the pong adds are
// for the audit.
type pinger struct {
	out           Outlet
	warmup, total uint64

	mu                   sync.Mutex // for the message that is sent again after a loss
	number               uint64
	lost, duplicates     uint64
	sent                 int64
	latency, forth, back *measure.Histogram
	err                  error
	done                 chan struct{}
}

// Ping measures round trips.
func Ping(ctx context.Context, c contender.Config, n Node) (*contender.Result, error) {
	p := &pinger{warmup: uint64(c.Warmup), total: uint64(c.Warmup + c.Count), done: make(chan struct{}),
		latency: measure.NewHistogram(), forth: measure.NewHistogram(), back: measure.NewHistogram()}
	var err error
	if p.out, err = n.Outlet(PingTopic, c.Size, PongTopic); err != nil {
		return nil, err
	}
	in, err := n.Inlet(PongTopic, p.received)
	if err != nil {
		return nil, err
	}
	err = beside(ctx, n, func(ctx context.Context) error {
		if err := p.match(ctx, in); err != nil {
			return err
		}
		p.start()
		p.wait(ctx)
		return nil
	})
	if err := errors.Join(err, p.err); err != nil {
		return nil, err
	}
	sent := p.total - p.warmup
	return &contender.Result{Sent: sent, Received: sent - p.lost, Duplicates: p.duplicates,
		Latency: p.latency, Forth: p.forth, Back: p.back}, nil
}

// match returns when the pong is there.
func (p *pinger) match(ctx context.Context, in Inlet) error {
	ctx, cancel := context.WithTimeout(ctx, matching)
	defer cancel()
	if err := p.out.WaitForSubscribers(ctx, 1); err != nil {
		return err
	}
	if err := in.WaitForPublishers(ctx, 1); err != nil {
		return err
	}
	time.Sleep(settling)
	return nil
}

func (p *pinger) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.send()
}

// send is called with the lock held, as is next.
func (p *pinger) send() {
	p.sent = measure.Now()
	if err := p.out.Send(contender.Stamp{Number: p.number, Intended: p.sent, Sent: p.sent}); err != nil {
		p.err = err
		close(p.done)
		p.number = p.total
	}
}

func (p *pinger) next() {
	if p.number++; p.number < p.total {
		p.send()
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

// Pong answers until ctx ends.
func Pong(ctx context.Context, c contender.Config, n Node) (*contender.Result, error) {
	out, err := n.Outlet(PongTopic, c.Size, PingTopic)
	if err != nil {
		return nil, err
	}
	delay := int64(c.DelayMicrosec * 1000)
	var failed error
	_, err = n.Inlet(PingTopic, func(s contender.Stamp) {
		s.Arrived = measure.Now()
		if delay > 0 {
			measure.SleepUntil(s.Arrived + delay)
		}
		s.Replied = measure.Now()
		if err := out.Send(s); err != nil {
			failed = err
		}
	})
	if err != nil {
		return nil, err
	}
	err = errors.Join(n.Run(ctx), n.Close())
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	return &contender.Result{}, nil
}
