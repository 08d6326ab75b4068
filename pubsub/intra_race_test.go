//go:build race

package pubsub_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

const violateVariable = "PINION_TEST_VIOLATE"

// Whoever writes to a message that was handed over is found: the test runs itself again in the role of
// the offender.
func TestIntraProcessOwnership(t *testing.T) {
	if who := os.Getenv(violateVariable); who != "" {
		violate(t, who)
		return
	}
	for _, who := range []string{"publisher", "subscription", "nobody"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestIntraProcessOwnership$")
		cmd.Env = append(os.Environ(), violateVariable+"="+who)
		out, err := cmd.CombinedOutput()
		found := strings.Contains(string(out), "DATA RACE") || strings.Contains(string(out), "was changed after it was handed over")
		if found != (who != "nobody") || found != (err != nil) {
			t.Errorf("%s writes: %v\n%s", who, err, out)
		}
	}
}

func violate(t *testing.T, who string) {
	d := pubsubtest.NewDomain(t)
	pub := intraPub(t, d.NewNode("a"), pubsub.DefaultQoS())
	published, done := make(chan struct{}), make(chan struct{}, 2)
	for _, n := range []*pubsub.Node{d.NewNode("b"), newQueued(t, d, "c")} {
		intraSub(t, n, pubsub.DefaultQoS(), func(m *std_msgs.String, _ *pubsub.MessageInfo) {
			<-published
			if who == "subscription" {
				m.Data = "changed"
			}
			done <- struct{}{}
		})
	}
	m := own("x")
	publishOwned(t, pub, m)
	if who == "publisher" {
		m.Data = "changed"
	}
	close(published)
	pubsubtest.Receive(t, done)
	pubsubtest.Receive(t, done)
}

// queued runs the callbacks of a node's subscriptions on a goroutine of its own.
type queued struct{ *pubsub.Queue }

func newQueued(t *testing.T, d *pubsubtest.Domain, name string) *pubsub.Node {
	t.Helper()
	s := queued{must[*pubsub.Queue](t)(pubsub.NewQueue())}
	n := d.NewNode(name, pubsub.WithScheduler(s))
	go func() {
		ready := make([]pubsub.Ready, 1)
		for s.Wait() {
			for s.Pop(ready) > 0 {
				ready[0].Receiver.Dispatch(16)
			}
		}
	}()
	t.Cleanup(s.Close)
	return n
}

func (s queued) Place(*pubsub.Receiver) (pubsub.Placement, error) {
	return pubsub.Placement{Queue: s.Queue}, nil
}

func (s queued) Remove(*pubsub.Receiver) {}
