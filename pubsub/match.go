package pubsub

import (
	"context"
	"sync"
)

// matchCount is how many peers an endpoint has now, and a way to wait for them.
type matchCount struct {
	mu      sync.Mutex
	n       int
	changed chan struct{}
	absent  bool // the endpoint is in another process and will have no peers here
	closed  bool
}

func (m *matchCount) set(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n = n
	m.wake()
}

// close ends all waiting.
func (m *matchCount) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.wake()
}

func (m *matchCount) wake() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

func (m *matchCount) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

// wait returns nil when there are n peers, or the error of ctx, or ErrClosed.
func (m *matchCount) wait(ctx context.Context, n int) error {
	if inDelivery() {
		return ErrInDelivery
	}
	if m.absent {
		return ErrOtherPart
	}
	for {
		m.mu.Lock()
		if m.closed {
			m.mu.Unlock()
			return ErrClosed
		}
		if m.n >= n {
			m.mu.Unlock()
			return nil
		}
		if m.changed == nil {
			m.changed = make(chan struct{})
		}
		changed := m.changed
		m.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
