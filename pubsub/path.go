package pubsub

import (
	"fmt"
	"slices"
	"sync"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"golang.org/x/sys/unix"
)

// ReceivePath is a way from the network into the process that it shares with nobody: sockets, a
// receive thread and a participant of its own. A scheduler places the subscriptions on it whose
// messages must not wait behind others.
//
// It costs about six threads and takes one of the participant indices of the host.
type ReceivePath struct {
	name        string
	session     *session
	domain      *cyclone.Domain
	participant *cyclone.Participant
	lister      *lister
	buffer      int // as session's
	once        sync.Once
	err         error
}

// NewReceivePath opens a receive path for subscriptions of nodes in this node's domain. The name
// shows in the graph: ROS 2 tools attribute a subscription on the path to a hidden node that is
// called after the subscription's node and the path.
func (n *Node) NewReceivePath(name string) (*ReceivePath, error) {
	if inDelivery() {
		return nil, fmt.Errorf("create receive path: %w", ErrInDelivery)
	}
	s := n.session
	domain, err := s.newInstance()
	if err != nil {
		return nil, fmt.Errorf("create receive path: %w", err)
	}
	p := &ReceivePath{name: name, session: s, domain: domain}
	if err := p.join(); err != nil {
		domain.Close()
		return nil, fmt.Errorf("create receive path: %w", err)
	}
	p.buffer = receiveBuffer(n.Domain())
	s.retain()
	return p, nil
}

// join creates the participant with what makes it one of ROS 2.
func (p *ReceivePath) join() (err error) {
	if p.participant, err = p.domain.NewParticipant(p.session.userData()); err != nil {
		return err
	}
	p.lister, err = newLister(p.participant, p.session.form)
	return err
}

// Thread is a thread of the operating system that serves a receive path.
type Thread struct {
	ID   int    // as gettid(2) returns it
	Name string // "recv" for the one that reads the sockets and runs inline callbacks
}

// ReceiveThreadName is the Name of the thread that reads a path's sockets.
const ReceiveThreadName = cyclone.ReceiveThread

// Threads returns the path's threads.
func (p *ReceivePath) Threads() []Thread {
	var threads []Thread
	for _, t := range p.domain.Threads() {
		threads = append(threads, Thread{t.TID, t.Name})
	}
	return threads
}

// current tells whether the calling thread is one of the path's.
func (p *ReceivePath) current() bool {
	tid := unix.Gettid()
	return slices.ContainsFunc(p.domain.Threads(), func(t cyclone.Thread) bool { return t.TID == tid })
}

// Close closes the path. Its subscriptions must have been closed before. It returns ErrInDelivery
// on a receive thread.
func (p *ReceivePath) Close() error {
	if inDelivery() {
		return ErrInDelivery
	}
	p.once.Do(func() {
		p.lister.close()
		p.err = p.domain.Close()
		forgetReceiveThreads(p.Threads())
		if err := p.session.release(); p.err == nil {
			p.err = err
		}
	})
	return p.err
}
