package interop

import (
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// Every field of every type must count: the comparison fails for each that differs, and names it.
func TestCompareFails(t *testing.T) {
	for _, typ := range types(t) {
		all := fields(t, value(typ, 3))
		printed := texts(all)
		if err := Compare(all, strings.Join(printed, " ")); err != nil {
			t.Fatalf("%s: a message differs from itself: %v", typ.Name, err)
		}
		for i, f := range all {
			changed := append([]string(nil), printed...)
			changed[i] += "0"
			if err := Compare(all, strings.Join(changed, " ")); err == nil || !strings.HasPrefix(err.Error(), f.Path+" is ") {
				t.Fatalf("%s: with another %s: %v", typ.Name, f.Path, err)
			}
			if err := Compare(all, strings.Join(printed[:i], " ")); err == nil {
				t.Fatalf("%s: a message that ends before %s is taken for whole", typ.Name, f.Path)
			}
		}
		if err := Compare(all, strings.Join(append(printed, "0"), " ")); err == nil {
			t.Fatalf("%s: a field too many is not noticed", typ.Name)
		}
	}
}

// The peer must print what it received and not what it would have liked to: a message with one byte
// changed on the way differs in one field.
func TestChangedByte(t *testing.T) {
	program, _ := cyclonePeer(t)
	node, peer := newNode(t), start(t, program)
	m := sensor_msgs.NewJointState()
	m.Header.FrameId = "base"
	m.Name = []string{"elbow", "wrist"}
	m.Position = []float64{1, 2}
	want := fields(t, m)
	data := get[[]byte](t)(cdr.Marshal(m))

	remote := get[*Endpoint](t)(peer.Subscription("/changed", m.CDRType(), pubsub.DefaultQoS()))
	pub := get[*pubsub.RawPublisher](t)(pubsub.NewRawPublisher(node, "changed", m.CDRType().Name, pubsub.DefaultQoS()))
	check(t, pub.WaitForSubscribers(timeout(t), 1))
	for i, field := range []string{"", "header.stamp.sec", "header.stamp.nanosec", "header.frame_id", "name[0]"} {
		changed := append([]byte(nil), data...)
		if field != "" {
			changed[map[string]int{"header.stamp.sec": 4, "header.stamp.nanosec": 8, "header.frame_id": 16, "name[0]": 32}[field]] ^= 1
		}
		check(t, pub.Publish(changed))
		check(t, remote.Wait(timeout(t), func(s State) bool { return s.Received > i }))
		err := Compare(want, remote.Received()[i])
		if (err == nil) != (field == "") || err != nil && !strings.HasPrefix(err.Error(), field+" is ") {
			t.Errorf("change of %q: %v", field, err)
		}
	}
}

// What a peer cannot do it says, and its end is noticed.
func TestPeerFaults(t *testing.T) {
	program, _ := cyclonePeer(t)
	for _, tt := range []struct {
		name, want string
		commands   []string
	}{
		{"unknown type", "type x/msg/X is not compiled in", []string{"pub 0 /x x/msg/X reliable volatile 1"}},
		{"missing field", "a word is missing", []string{"pub 0 /x std_msgs/msg/String reliable volatile 1", "write 0"}},
		{"field too many", "more fields than std_msgs/msg/String has", []string{"pub 0 /x std_msgs/msg/String reliable volatile 1", "write 0 s s"}},
		{"bad value", "10 is not a string", []string{"pub 0 /x std_msgs/msg/String reliable volatile 1", "write 0 10"}},
		{"bad policy", "sometimes is neither", []string{"sub 0 /x std_msgs/msg/String sometimes volatile 1"}},
		{"bad command", "dance is neither", []string{"dance 0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := get[*Peer](t)(program.Start(domain.Domain))
			p.endpoints = []*Endpoint{{peer: p, changed: make(chan struct{})}}
			for _, c := range tt.commands {
				check(t, p.command(c))
			}
			if err := p.endpoints[0].Wait(timeout(t), func(State) bool { return false }); err == nil || !strings.Contains(err.Error(), "has ended") {
				t.Errorf("waiting ended with %v", err)
			}
			if err := p.Stop(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the peer ended with %v, want %q", err, tt.want)
			}
		})
	}
}

// A machine without the tools is told how to get them.
func TestMissingTool(t *testing.T) {
	_, err := run(t.TempDir(), nil, "idlc-that-is-not-installed")
	if err == nil || !strings.Contains(err.Error(), "make setup-test") {
		t.Errorf("a missing tool is reported as %v", err)
	}
}
