package crossarch

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/bench/gamepad_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

const (
	// peerVariable holds the command that starts the peer: this test's binary for another
	// architecture, and what emulates it. Without it the peer is this binary.
	peerVariable = "PINION_CROSSARCH_PEER"
	// domainVariable makes the process a peer in the domain whose settings it holds.
	domainVariable = "PINION_CROSSARCH_DOMAIN"
)

func TestMain(m *testing.M) {
	if settings := os.Getenv(domainVariable); settings != "" {
		if err := echo(settings); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		return
	}
	os.Exit(pubsubtest.Run(m))
}

// echo publishes what it receives, decoded and encoded again, until its standard input ends.
func echo(settings string) error {
	var d pubsub.Discovery
	if err := json.Unmarshal([]byte(settings), &d); err != nil {
		return err
	}
	node, err := pubsub.NewNode("peer", pubsub.WithDiscovery(d), pubsub.WithRosout(false))
	if err != nil {
		return err
	}
	defer node.Close()
	pub, err := pubsub.NewPublisher[gamepad_msgs.GamepadState](node, "back", pubsub.DefaultQoS().KeepLast(100))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), pubsubtest.Timeout)
	defer cancel()
	if err := pub.WaitForSubscribers(ctx, 1); err != nil { // before anything can come that is to be answered
		return err
	}
	_, err = pubsub.NewSubscription(node, "there", pubsub.DefaultQoS().KeepLast(100), func(m *gamepad_msgs.GamepadState, _ *pubsub.MessageInfo) {
		if err := pub.Publish(m); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
		}
	})
	if err != nil {
		return err
	}
	os.Stdin.Read(make([]byte, 1))
	return nil
}

// peer starts the process at the other end.
func peer(t *testing.T, d pubsub.Discovery) {
	command := []string{"/proc/self/exe"}
	if text := os.Getenv(peerVariable); text != "" {
		command = strings.Fields(text)
	}
	settings, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), domainVariable+"="+string(settings))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("peer %q: %v", command, err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("peer %q: %v", command, err)
		}
	})
}

// messages returns edge values, then random ones.
func messages() []*gamepad_msgs.GamepadState {
	low, high := gamepad_msgs.NewGamepadState(), gamepad_msgs.NewGamepadState()
	low.Stamp.Sec, high.Stamp.Sec = math.MinInt32, math.MaxInt32
	high.Stamp.Nanosec, high.Sequence = math.MaxUint32, math.MaxUint32
	low.Battery, high.Battery = float32(math.Inf(-1)), math.SmallestNonzeroFloat32
	for i := range high.Axes {
		low.Axes[i], high.Axes[i] = -math.MaxFloat32, float32(i)/7
	}
	for i := range high.Buttons {
		high.Buttons[i] = uint8(255 - i)
	}
	all := []*gamepad_msgs.GamepadState{gamepad_msgs.NewGamepadState(), low, high}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		m := gamepad_msgs.NewGamepadState()
		m.Stamp.Sec, m.Stamp.Nanosec, m.Sequence, m.Battery = int32(r.Uint32()), r.Uint32(), r.Uint32(), r.Float32()
		for i := range m.Axes {
			m.Axes[i] = r.Float32()*2 - 1
		}
		for i := range m.Buttons {
			m.Buttons[i] = uint8(r.Uint32())
		}
		all = append(all, m)
	}
	return all
}

func TestExchange(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	node := d.NewNode("here")
	back := pubsubtest.Must[*pubsub.Subscription[gamepad_msgs.GamepadState]](t)(
		pubsub.NewSubscription[gamepad_msgs.GamepadState](node, "back", pubsub.DefaultQoS().KeepLast(100), nil))
	there := pubsubtest.Must[*pubsub.Publisher[gamepad_msgs.GamepadState]](t)(
		pubsub.NewPublisher[gamepad_msgs.GamepadState](node, "there", pubsub.DefaultQoS().KeepLast(100)))
	peer(t, d.Discovery())
	pubsubtest.WaitForMatch(t, there, back)
	for i, want := range messages() {
		if err := there.Publish(want); err != nil {
			t.Fatal(err)
		}
		if got, _ := pubsubtest.Next(t, back); !got.Equal(want) {
			t.Errorf("message %d came back as\n%v\nwant\n%v", i, got, want)
		}
	}
}
