package pubsub

import (
	"fmt"
	"sync"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// A session is what the nodes of a process share in one domain: the domain instance of Cyclone DDS,
// the participant, and the goroutines that serve them. ROS 2 calls it a context.
type session struct {
	discovery   Discovery
	enclave     string
	domain      *cyclone.Domain
	participant *cyclone.Participant
	events      *eventLoop

	mu   sync.Mutex
	refs int // nodes and receive paths
	loop *loop
}

// Cyclone DDS has one table of domains per process, so there is one of sessions.
var sessions = struct {
	sync.Mutex
	open map[uint32]*session
	next uint32 // id of the next domain instance that has another id on the wire
}{open: map[uint32]*session{}, next: firstInstance}

// firstInstance is above every domain id that can be on the wire.
const firstInstance = 1000

// acquire returns the session for the settings, which release gives back.
func acquire(d Discovery, enclave string) (*session, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	sessions.Lock()
	defer sessions.Unlock()
	if s := sessions.open[d.Domain]; s != nil {
		if s.discovery.key() != d.key() || s.enclave != enclave {
			return nil, fmt.Errorf("domain %d is in use in this process with other settings: nodes of one domain need the same discovery settings and enclave", d.Domain)
		}
		s.refs++
		return s, nil
	}
	s, err := openSession(d, enclave)
	if err != nil {
		return nil, err
	}
	sessions.open[d.Domain] = s
	return s, nil
}

func openSession(d Discovery, enclave string) (*session, error) {
	config, err := d.config(d.Domain, false)
	if err != nil {
		return nil, err
	}
	domain, err := cyclone.NewDomain(d.Domain, config)
	if err != nil {
		return nil, d.explain(err)
	}
	participant, err := domain.NewParticipant("enclave=" + enclave + ";")
	if err != nil {
		domain.Close()
		return nil, err
	}
	return &session{discovery: d, enclave: enclave, domain: domain, participant: participant, events: newEventLoop(), refs: 1}, nil
}

// explain adds what is most often wrong when a domain cannot be created; Cyclone DDS logs the cause.
func (d Discovery) explain(err error) error {
	hint := "see the message of Cyclone DDS above; check that a network interface is up"
	if d.Config != "" {
		hint += " and that CYCLONEDDS_URI is valid"
	}
	if d.Range == RangeSubnet || d.Range == RangeLocalhost {
		hint += fmt.Sprintf("; at most %d participants fit on this host (Discovery.MaxParticipants)", d.maxIndex()+1)
	}
	return fmt.Errorf("join domain %d: %w: %s", d.Domain, err, hint)
}

func (s *session) retain() {
	sessions.Lock()
	defer sessions.Unlock()
	s.refs++
}

// release closes the session with its last user.
func (s *session) release() error {
	sessions.Lock()
	defer sessions.Unlock()
	if s.refs--; s.refs > 0 {
		return nil
	}
	delete(sessions.open, s.discovery.Domain)
	if s.loop != nil {
		s.loop.close()
	}
	err := s.domain.Close()
	s.events.close()
	return err
}

// newInstance opens a second domain instance with the session's settings.
func (s *session) newInstance() (*cyclone.Domain, error) {
	sessions.Lock()
	id := sessions.next
	sessions.next++
	sessions.Unlock()
	config, err := s.discovery.config(id, true)
	if err != nil {
		return nil, err
	}
	domain, err := cyclone.NewDomain(id, config)
	if err != nil {
		return nil, s.discovery.explain(err)
	}
	return domain, nil
}

// defaultLoop is where nodes without a scheduler have their callbacks run.
func (s *session) defaultLoop() (*loop, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loop == nil {
		l, err := newLoop()
		if err != nil {
			return nil, err
		}
		s.loop = l
	}
	return s.loop, nil
}
