package interop

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/pubsub"
)

// Peer is a running peer. Its methods may be called from any goroutine.
type Peer struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer

	mu        sync.Mutex
	stdin     io.WriteCloser
	endpoints []*Endpoint

	done chan struct{} // closed when the output has ended, err is set then
	err  error
}

// Endpoint is a publisher or subscription of a peer.
type Endpoint struct {
	peer *Peer
	id   int

	mu      sync.Mutex
	state   State
	data    []string
	ended   []Ended
	changed chan struct{} // closed at the next change
}

// Ended is what has become of an instance. Of its text only the key counts, which it has in the place
// where that is in a message.
type Ended struct{ State, Text string }

// State is what a peer has told of an endpoint.
type State struct {
	Created      bool
	Matched      int // endpoints that it is matched with now
	Written      int // messages that it has given to its DDS
	Flushed      int // calls of Flush that are done
	Received     int
	Ended        int   // instances that were disposed of or lost their last publisher, each time
	Incompatible []int // ids of the policies for which it refused others (DDS 1.4, 2.3.3)
}

// Start starts the program in a domain, on the loopback interface alone.
func (program *Program) Start(domain uint32) (*Peer, error) {
	p := &Peer{done: make(chan struct{})}
	p.cmd = exec.Command(program.Path, strconv.Itoa(int(domain)))
	p.cmd.Env = append(os.Environ(), program.Env...)
	p.cmd.Stderr = &p.stderr
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start peer: %w", err)
	}
	go p.read(stdout)
	return p, nil
}

// Publisher creates a publisher for messages of the type.
func (p *Peer) Publisher(topic string, t *cdr.Type, qos pubsub.QoS) (*Endpoint, error) {
	return p.create("pub", topic, t, qos)
}

// Subscription creates a subscription for messages of the type.
func (p *Peer) Subscription(topic string, t *cdr.Type, qos pubsub.QoS) (*Endpoint, error) {
	return p.create("sub", topic, t, qos)
}

func (p *Peer) create(role, topic string, t *cdr.Type, qos pubsub.QoS) (*Endpoint, error) {
	p.mu.Lock()
	e := &Endpoint{peer: p, id: len(p.endpoints), changed: make(chan struct{})}
	p.endpoints = append(p.endpoints, e)
	p.mu.Unlock()
	reliability, durability := "reliable", "volatile"
	if qos.Reliability == pubsub.BestEffort {
		reliability = "best_effort"
	}
	if qos.Durability == pubsub.TransientLocal {
		durability = "transient_local"
	}
	return e, p.command(role, strconv.Itoa(e.id), topic, t.Name, reliability, durability, strconv.Itoa(qos.Depth))
}

func (p *Peer) command(words ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := io.WriteString(p.stdin, strings.Join(words, " ")+"\n"); err != nil {
		return fmt.Errorf("command to peer: %w", err)
	}
	return nil
}

// Stop has the peer end, after subscriptions have acknowledged what it published, and returns the
// error with which it ended if it did not do so as it should.
func (p *Peer) Stop() error {
	p.mu.Lock()
	p.stdin.Close()
	p.mu.Unlock()
	<-p.done
	return p.err
}

// read takes in what the peer prints until it ends.
func (p *Peer) read(stdout io.Reader) {
	defer close(p.done)
	r := bufio.NewReader(stdout)
	for {
		text, err := r.ReadString('\n')
		if err != nil {
			break
		}
		if err := p.take(text); err != nil && p.err == nil {
			p.err = err
		}
	}
	if err := p.cmd.Wait(); err != nil {
		p.err = fmt.Errorf("peer: %w: %s", err, strings.TrimSpace(p.stderr.String()))
	}
}

func (p *Peer) take(text string) error {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	id, rest, _ := strings.Cut(rest, " ")
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := strconv.Atoi(id)
	if err != nil || n < 0 || n >= len(p.endpoints) {
		return fmt.Errorf("peer printed %.80q", text)
	}
	return p.endpoints[n].take(word, rest)
}

func (e *Endpoint) take(word, rest string) (err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch word {
	case "created":
		e.state.Created = true
	case "matched":
		e.state.Matched, err = strconv.Atoi(rest)
	case "written":
		e.state.Written++
	case "flushed":
		e.state.Flushed++
	case "incompatible":
		var policy int
		policy, err = strconv.Atoi(rest)
		e.state.Incompatible = append(e.state.Incompatible, policy)
	case "data":
		e.state.Received++
		e.data = append(e.data, rest)
	case pubsub.InstanceDisposed.String(), pubsub.InstanceUnowned.String():
		e.state.Ended++
		e.ended = append(e.ended, Ended{word, rest})
	default:
		err = fmt.Errorf("peer printed the unknown word %.80q", word)
	}
	close(e.changed)
	e.changed = make(chan struct{})
	return err
}

// Publish has the peer publish m and does not wait for that.
func (e *Endpoint) Publish(m cdr.Message) error { return e.write("write", m) }

// Dispose has the peer dispose of the instance with the key of m, and counts as a message written.
func (e *Endpoint) Dispose(m cdr.Message) error { return e.write("dispose", m) }

// Unregister has the peer unregister the instance with the key of m, and counts as a message written.
func (e *Endpoint) Unregister(m cdr.Message) error { return e.write("unregister", m) }

func (e *Endpoint) write(command string, m cdr.Message) error {
	fields, err := Fields(m)
	if err != nil {
		return err
	}
	return e.peer.command(append([]string{command, strconv.Itoa(e.id)}, texts(fields)...)...)
}

// Flush waits until subscriptions have acknowledged everything that was published.
func (e *Endpoint) Flush(ctx context.Context) error {
	n := e.State().Flushed
	if err := e.peer.command("flush", strconv.Itoa(e.id)); err != nil {
		return err
	}
	return e.Wait(ctx, func(s State) bool { return s.Flushed > n })
}

// State returns what the peer has told so far.
func (e *Endpoint) State() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.state
	s.Incompatible = append([]int(nil), s.Incompatible...)
	return s
}

// Wait waits until ok holds for the endpoint's state, the peer ends or ctx does.
func (e *Endpoint) Wait(ctx context.Context, ok func(State) bool) error {
	for {
		e.mu.Lock()
		changed := e.changed
		e.mu.Unlock()
		s := e.State()
		if ok(s) {
			return nil
		}
		select {
		case <-changed:
		case <-e.peer.done:
			return fmt.Errorf("the peer has ended (%v), the endpoint's last state is %+v", e.peer.err, s)
		case <-ctx.Done():
			return fmt.Errorf("%w, the endpoint's last state is %+v", ctx.Err(), s)
		}
	}
}

// Received returns the messages that the subscription has received, in the form that Compare takes.
func (e *Endpoint) Received() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.data...)
}

// Ended returns what the subscription has been told of instances.
func (e *Endpoint) Ended() []Ended {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Ended(nil), e.ended...)
}
