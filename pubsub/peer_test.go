package pubsub_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// A peer is a process of its own: this test program again, told by the environment to be one.
type peer struct {
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.Closer
}

const peerVariable = "PINION_TEST_PEER"

type peerConfig struct {
	Discovery pubsub.Discovery
	Distro    string
	Part      string // the node is /left/arm in that part of a program, without /rosout
	Fill      bool   // open receive paths until there are too many, and print what came of it
	Census    string // name of the node, which counts the others that are called so but for a number
}

// startPeer starts a node "peer" with a publisher on "peer_topic" and waits until it is there. With
// distro "garbage" it also writes nonsense where nodes are announced.
func startPeer(t testing.TB, d pubsub.Discovery, distro string) *peer {
	t.Helper()
	return runningPeer(t, peerConfig{Discovery: d, Distro: distro})
}

// startPart is startPeer for a part called control.
func startPart(t testing.TB, d pubsub.Discovery) *peer {
	t.Helper()
	return runningPeer(t, peerConfig{Discovery: d, Part: "control"})
}

func runningPeer(t testing.TB, c peerConfig) *peer {
	t.Helper()
	cmd := peerCommand(t, c)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &peer{t, cmd, stdin}
	t.Cleanup(p.stop)
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatalf("peer: %q, %v", line, err)
	}
	return p
}

// peerOutput runs a peer until it ends.
func peerOutput(t testing.TB, c peerConfig) string {
	t.Helper()
	out, err := peerCommand(t, c).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func peerCommand(t testing.TB, c peerConfig) *exec.Cmd {
	t.Helper()
	config, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), peerVariable+"="+string(config))
	cmd.Stderr = os.Stderr
	return cmd
}

// stop ends the process, in order.
func (p *peer) stop() {
	if p.stdin == nil {
		return
	}
	p.stdin.Close()
	p.stdin = nil
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("peer: %v", err)
	}
}

// runPeer is the main function of a peer: it runs until its standard input ends.
func runPeer(config string) error {
	var c peerConfig
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return err
	}
	name, options := cmp.Or(c.Census, "peer"), []pubsub.Option{pubsub.WithDiscovery(c.Discovery), pubsub.WithDistro(c.Distro), pubsub.WithEnclave("/peers")}
	if c.Part != "" {
		name, options = "arm", append(options, pubsub.WithNamespace("/left"), pubsub.WithRosout(false), pubsub.WithScheduler(&divided{own: c.Part}))
	}
	n, err := pubsub.NewNode(name, options...)
	if err != nil {
		return err
	}
	defer n.Close()
	if c.Fill {
		return fill(n)
	}
	if c.Census != "" {
		return census(n)
	}
	if _, err := pubsub.NewPublisher[std_msgs.String](n, "peer_topic", pubsub.DefaultQoS().KeepLast(3)); err != nil {
		return err
	}
	if c.Distro == "garbage" {
		if err := pubsub.WriteDiscovery(n, []byte{0, 1, 0, 0, 1, 2, 3, 4, 5}); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// fill opens receive paths until that fails, and prints how many participants there are, and the error.
func fill(n *pubsub.Node) error {
	for participants := 1; ; participants++ {
		p, err := n.NewReceivePath(fmt.Sprint(participants))
		if err != nil {
			_, err = fmt.Print(participants, " ", err)
			return err
		}
		defer p.Close()
	}
}

// census prints how many nodes there are that are called as n and a number, at first and whenever that
// has changed, until its standard input ends.
func census(n *pubsub.Node) error {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		io.Copy(io.Discard, os.Stdin)
	}()
	kind := strings.TrimRight(n.Name(), "0123456789")
	for before, tick := -1, time.Tick(time.Second); ; {
		nodes, err := n.Nodes()
		if err != nil {
			return err
		}
		names := map[string]bool{}
		for _, info := range nodes {
			if strings.TrimRight(info.Name, "0123456789") == kind {
				names[info.Name] = true
			}
		}
		if len(names) != before {
			before = len(names)
			fmt.Println(before)
		}
		select {
		case <-ended:
			return nil
		case <-tick:
		}
	}
}
