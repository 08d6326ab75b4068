package pubsub

import (
	"errors"
	"fmt"
	"sync"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// ReceivePath is a way from the network into the process that it shares with nobody: sockets, a
// receive thread and a participant of its own. A scheduler places the subscriptions on it whose
// messages must not wait behind others.
//
// It costs about seven threads and takes one of the participant indices of the host.
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
	if p.participant, err = p.domain.NewParticipant(p.session.userData(), p.session.security); err != nil {
		return err
	}
	if p.Thread() == 0 {
		return errors.New("this version of Cyclone DDS does not tell which of its threads receives")
	}
	p.lister, err = newLister(p.participant, p.session.form)
	return err
}

// Thread returns the id, as gettid(2) gives it, of the thread that reads the path's data from the socket
// and runs inline callbacks. The threads beside it are for discovery and housekeeping.
func (p *ReceivePath) Thread() int { return p.participant.ReceiveThread() }

// delivering tells whether the caller is an inline callback of the path.
func (p *ReceivePath) delivering() bool { return p.participant.Delivering() }

// Close closes the path. Its subscriptions must have been closed before. It returns ErrInDelivery
// on a receive thread.
func (p *ReceivePath) Close() error {
	if inDelivery() {
		return ErrInDelivery
	}
	p.once.Do(func() {
		p.lister.close()
		p.err = p.domain.Close()
		if err := p.session.release(); p.err == nil {
			p.err = err
		}
	})
	return p.err
}
