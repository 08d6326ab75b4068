package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// ping keeps one message in flight and takes all times at its own end.
func ping(c contender.Config, node *rclgo.Node, _ io.Reader) (*contender.Result, error) {
	out, err := openOutlet(c, node, "/bench/ping", c.Size)
	if err != nil {
		return nil, err
	}
	defer out.close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &pinger{out: out, warmup: uint64(c.Warmup), total: uint64(c.Warmup + c.Count), done: cancel,
		latency: measure.NewHistogram(), forth: measure.NewHistogram(), back: measure.NewHistogram()}
	in, err := openInlet(c, node, "/bench/pong", p.received)
	if err != nil {
		return nil, err
	}
	defer in.close()
	go p.drive(ctx, in)
	if err := spin(ctx, node, nil); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := p.total - p.warmup
	return &contender.Result{Sent: sent, Received: sent - p.lost, Duplicates: p.duplicates, Latency: p.latency, Forth: p.forth, Back: p.back}, p.err
}

type pinger struct {
	out           *outlet
	warmup, total uint64
	done          func()

	mu                   sync.Mutex // for the message that is sent again after a loss
	number               uint64
	lost, duplicates     uint64
	sent                 int64
	latency, forth, back *measure.Histogram
	err                  error
}

// drive sends the first message and looks for losses.
func (p *pinger) drive(ctx context.Context, in *inlet) {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		subscribers, err := p.out.subscribers()
		publishers, err2 := in.publishers()
		if err = errors.Join(err, err2); err != nil || time.Now().After(deadline) {
			p.fail(errors.Join(errors.New("no pong within 30 s"), err))
			return
		}
		if subscribers > 0 && publishers > 0 {
			break
		}
	}
	time.Sleep(50 * time.Millisecond)
	p.mu.Lock()
	p.send()
	p.mu.Unlock()
	for ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
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

func (p *pinger) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	p.done()
}

// send is called with the lock held, as is next.
func (p *pinger) send() {
	p.sent = measure.Now()
	if err := p.out.send(contender.Stamp{Number: p.number, Intended: p.sent, Sent: p.sent}); err != nil {
		p.err = err
		p.done()
	}
}

func (p *pinger) next() {
	if p.number++; p.number < p.total {
		p.send()
		return
	}
	p.done()
}

func (p *pinger) received(s contender.Stamp) {
	now := measure.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.number >= p.total || s.Number != p.number {
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

func pong(c contender.Config, node *rclgo.Node, in io.Reader) (*contender.Result, error) {
	out, err := openOutlet(c, node, "/bench/pong", c.Size)
	if err != nil {
		return nil, err
	}
	defer out.close()
	var failed error
	s, err := openInlet(c, node, "/bench/ping", func(stamp contender.Stamp) {
		stamp.Arrived = measure.Now()
		if c.DelayMicrosec > 0 {
			measure.SleepUntil(stamp.Arrived + int64(c.DelayMicrosec*1000))
		}
		stamp.Replied = measure.Now()
		if err := out.send(stamp); err != nil {
			failed = err
		}
	})
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := spin(context.Background(), node, in); err != nil {
		return nil, err
	}
	return &contender.Result{}, failed
}
