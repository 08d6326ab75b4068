package security_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/internal/security"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

const peerVariable = "PINION_SECURITY_TEST_PEER"

func TestMain(m *testing.M) {
	text := os.Getenv(peerVariable)
	if text == "" {
		os.Exit(pubsubtest.Run(m))
	}
	var c peerConfig
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		err = c.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// enough is how many messages show that a talker is heard.
const enough = 10

// A peer is a process of its own, this test program again, with one node that talks or listens.
type peer struct {
	name string
	t    *testing.T
	cmd  *exec.Cmd
	in   io.Closer

	mu    sync.Mutex
	heard map[string]int // messages by what they say
	nodes string         // that the peer knew in the end
	over  chan struct{}
}

type peerConfig struct {
	Name      string
	Discovery pubsub.Discovery
	Security  pubsub.Security
	Enclave   string
	Topic     string
	Lane      bool   // to listen on
	Say       string // what a talker repeats; a listener says nothing
}

// run is the main function of a peer: it talks or listens until its standard input ends.
func (c peerConfig) run() error {
	var plan executor.Plan
	if c.Lane {
		plan.Lanes = []executor.Lane{{Name: "lane", Topics: []string{"/" + c.Topic}}}
	}
	ex, err := executor.New(executor.WithPlan(plan))
	if err != nil {
		return err
	}
	defer ex.Close()
	n, err := pubsub.NewNode(c.Name, pubsub.WithScheduler(ex), pubsub.WithDiscovery(c.Discovery), pubsub.WithSecurity(c.Security),
		pubsub.WithEnclave(c.Enclave), pubsub.WithRosout(false))
	if err != nil {
		return err
	}
	defer n.Close()
	end := make(chan struct{})
	go func() {
		defer close(end)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	if c.Say != "" {
		return c.talk(n, end)
	}
	_, err = pubsub.NewSubscription(n, c.Topic, pubsub.DefaultQoS(), func(m *std_msgs.String, _ *pubsub.MessageInfo) {
		fmt.Println("heard", m.Data)
	})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		defer stop()
		<-end
	}()
	if err := ex.Run(ctx); err != nil {
		return err
	}
	nodes, err := n.Nodes()
	for _, other := range nodes {
		fmt.Println("knows", other.Name, other.Enclave)
	}
	return err
}

func (c peerConfig) talk(n *pubsub.Node, end <-chan struct{}) error {
	p, err := pubsub.NewPublisher[std_msgs.String](n, c.Topic, pubsub.DefaultQoS())
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for {
		select {
		case <-end:
			return nil
		case <-time.After(20 * time.Millisecond):
			if err := p.Publish(&std_msgs.String{Data: c.Say}); err != nil {
				return err
			}
		}
	}
}

// start starts a peer and waits until its node is there.
func start(t *testing.T, c peerConfig) *peer {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{name: c.Name, t: t, cmd: exec.Command(os.Args[0]), heard: map[string]int{}, over: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), peerVariable+"="+string(text))
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.in = in
	t.Cleanup(p.stop)
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("%s: %q", c.Name, lines.Text())
	}
	go p.read(lines)
	return p
}

func (p *peer) read(lines *bufio.Scanner) {
	defer close(p.over)
	for lines.Scan() {
		p.mu.Lock()
		if what, ok := strings.CutPrefix(lines.Text(), "heard "); ok {
			p.heard[what]++
		} else {
			p.nodes += lines.Text() + "\n"
		}
		p.mu.Unlock()
	}
}

// wait waits until the peer has heard enough of that.
func (p *peer) wait(what string) {
	p.t.Helper()
	for end := time.Now().Add(90 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		p.mu.Lock()
		n := p.heard[what]
		p.mu.Unlock()
		if n >= enough {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("%s has heard %q %d times", p.name, what, n)
		}
	}
}

// stop ends the peer in order.
func (p *peer) stop() {
	if p.in == nil {
		return
	}
	p.in.Close()
	p.in = nil
	<-p.over
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("%s: %v", p.name, err)
	}
}

// enforce returns what nodes with that keystore need.
func enforce(dir string) pubsub.Security {
	return pubsub.Security{Enable: true, Enforce: true, Keystore: dir}
}

// newKeystore makes a keystore with enclaves that may do everything.
func newKeystore(t *testing.T, domain uint32, enclaves ...string) (*security.Keystore, string) {
	t.Helper()
	dir := t.TempDir()
	k, err := security.Create(dir, domain)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range enclaves {
		if err := k.CreateEnclave(name, domain, security.Everything()); err != nil {
			t.Fatal(err)
		}
	}
	return k, dir
}
