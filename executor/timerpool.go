package executor

import (
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// A poolClock makes the pool's timers ready when they are due.
type poolClock struct {
	changed chan struct{} // a timer came, or has run
	stop    chan struct{}
}

func newPoolClock() poolClock {
	return poolClock{changed: make(chan struct{}, 1), stop: make(chan struct{})}
}

func (c *poolClock) change() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

func (p *pool) addTimer(t *Timer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timers[t] = &task{limit: 1, ran: p.clock.change, run: func() bool {
		t.run()
		return false
	}}
	p.clock.change()
	return nil
}

func (p *pool) removeTimer(t *Timer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timers[t].gone = true
	delete(p.timers, t)
}

func (p *pool) watchClock() {
	wait := time.NewTimer(0)
	defer wait.Stop()
	for {
		select {
		case <-p.clock.stop:
			return
		case <-p.clock.changed:
		case <-wait.C:
		}
		if next := p.ring(); next < never {
			wait.Reset(time.Duration(next - pubsub.Monotonic()))
		}
	}
}

// ring makes ready what is due, and returns when there is more to do.
func (p *pool) ring() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := int64(never)
	for timer, task := range p.timers {
		if task.queued || task.running > 0 {
			continue // it tells when it has run
		}
		due := timer.arm()
		if due <= pubsub.Monotonic() {
			p.enqueue(task, due)
		} else {
			next = min(next, due)
		}
	}
	return next
}
