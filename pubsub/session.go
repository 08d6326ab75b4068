package pubsub

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// A session is what the nodes of a process share in one domain: the domain instance of Cyclone DDS,
// the participant, and the goroutines that serve them. ROS 2 calls it a context.
type session struct {
	discovery   Discovery
	enclave     string
	security    *cyclone.Security // nil for none
	form        graphForm
	domain      *cyclone.Domain
	participant *cyclone.Participant
	events      *eventLoop
	graph       *graph
	announcer   *announcer
	locals      *locals
	buffer      int         // bytes that the sockets can hold
	toldBuffer  atomic.Bool // that a message was bigger

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

// acquire returns the session for the settings, which release gives back. What concerns all its nodes
// goes to the log of the first.
func acquire(d Discovery, enclave string, security *cyclone.Security, form graphForm, log *zap.Logger) (*session, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	sessions.Lock()
	defer sessions.Unlock()
	if s := sessions.open[d.Domain]; s != nil {
		if s.discovery.key() != d.key() || s.enclave != enclave || !sameSecurity(s.security, security) || s.form != form {
			return nil, fmt.Errorf("domain %d is in use in this process with other settings: nodes of one domain need the same discovery settings, enclave, security and distribution", d.Domain)
		}
		s.refs++
		return s, nil
	}
	s, err := openSession(d, enclave, security, form, log)
	if err != nil {
		return nil, err
	}
	sessions.open[d.Domain] = s
	return s, nil
}

func openSession(d Discovery, enclave string, security *cyclone.Security, form graphForm, log *zap.Logger) (*session, error) {
	config, err := d.config(d.Domain, false)
	if err != nil {
		return nil, err
	}
	domain, err := cyclone.NewDomain(d.Domain, config)
	if err != nil {
		return nil, d.explain(err)
	}
	s := &session{discovery: d, enclave: enclave, security: security, form: form, domain: domain, locals: newLocals(), refs: 1}
	if err := s.join(log); err != nil {
		domain.Close()
		return nil, s.explain(err)
	}
	s.events = newEventLoop()
	s.buffer = receiveBuffer(d.Domain)
	return s, nil
}

// join creates the participant with what makes it one of ROS 2.
func (s *session) join(log *zap.Logger) (err error) {
	if s.participant, err = s.domain.NewParticipant(s.userData(), s.security); err != nil {
		return err
	}
	lister, err := newLister(s.participant, s.form)
	if err != nil {
		return err
	}
	if s.graph, err = openGraph(s.participant, s.form, log); err != nil {
		lister.close()
		return err
	}
	s.announcer = &announcer{lister: lister, graph: s.graph}
	return nil
}

// explain is for errors of join.
func (s *session) explain(err error) error {
	if s.security == nil {
		return s.discovery.explain(err)
	}
	if errors.Is(err, cyclone.ErrNotAllowed) || errors.Is(err, cyclone.ErrUnspecified) { // the latter for participants
		err = fmt.Errorf("%w: %w", ErrNotPermitted, err)
	}
	return fmt.Errorf("join domain %d with the enclave in %s: %w", s.discovery.Domain, filepath.Dir(s.security.Certificate), err)
}

// userData is what the session's participants announce.
func (s *session) userData() string { return "enclave=" + s.enclave + ";" }

// explain adds which setting may be the cause when a domain cannot be created.
func (d Discovery) explain(err error) error {
	if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) { // says enough
		return fmt.Errorf("join domain %d: %w", d.Domain, err)
	}
	hint := "check that a network interface is up"
	if d.Range != RangeSystemDefault {
		hint = fmt.Sprintf("at most %d participants (processes and lanes) of a domain fit on this host, see Discovery.MaxParticipants or MaxAutoParticipantIndex in CYCLONEDDS_URI; otherwise ", d.maxIndex()) + hint
	}
	if d.Config != "" {
		hint = "check that CYCLONEDDS_URI is valid; otherwise " + hint
	}
	return fmt.Errorf("join domain %d: %w (%s)", d.Domain, err, hint)
}

func (s *session) retain() {
	sessions.Lock()
	defer sessions.Unlock()
	s.refs++
}

// release closes the session with its last user.
func (s *session) release() error {
	last, err := s.drop()
	if last {
		s.events.close() // not under the lock, for which a handler may wait
	}
	return err
}

func (s *session) drop() (last bool, err error) {
	sessions.Lock()
	defer sessions.Unlock()
	if s.refs--; s.refs > 0 {
		return false, nil
	}
	delete(sessions.open, s.discovery.Domain)
	if s.loop != nil {
		s.loop.close()
	}
	s.graph.close()
	s.announcer.lister.close()
	return true, s.domain.Close()
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
