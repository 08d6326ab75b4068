package pubsub_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"golang.org/x/sys/unix"
)

// A receive path is a domain instance of its own, which all settings of its node must reach.
func TestPathSettings(t *testing.T) {
	id := newDomain(t).Domain
	file := filepath.Join(t.TempDir(), "cyclone.xml")
	tag := fmt.Sprintf(`<CycloneDDS><!-- c --><Domain Id="%d"><Discovery><Tag>pinion_test</Tag></Discovery></Domain></CycloneDDS>`, id)
	if err := os.WriteFile(file, []byte(tag+"\n<!-- end -->\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	local := pubsub.Discovery{Domain: id, Loopback: true, Range: pubsub.RangeLocalhost}
	with := func(change func(*pubsub.Discovery)) pubsub.Discovery {
		d := local
		change(&d)
		return d
	}
	for _, tt := range []struct {
		name string
		d    pubsub.Discovery
	}{
		{"localhost", local},
		{"off", with(func(d *pubsub.Discovery) { d.Range = pubsub.RangeOff })},
		{"domain id", with(func(d *pubsub.Discovery) { d.Config = tag })},
		{"domain id as element", with(func(d *pubsub.Discovery) {
			d.Config = fmt.Sprintf(`<CycloneDDS><Domain><Id>%d</Id><Discovery><Tag>pinion_test</Tag></Discovery></Domain></CycloneDDS>`, id)
		})},
		{"file", with(func(d *pubsub.Discovery) { d.Config = "file://" + file })},
		{"closing tags left out", with(func(d *pubsub.Discovery) {
			d.Config = "<Discovery><Tag>pinion_test</></>,<General><MaxMessageSize>14000B"
		})},
		{"system default", pubsub.Discovery{Domain: id, Range: pubsub.RangeSystemDefault,
			Config: `<General><Interfaces><NetworkInterface address="127.0.0.1"/></></>`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &inline{}
			n := nodeIn(t, tt.d, "lanes", pubsub.WithScheduler(s))
			got := make(chan string, 9)
			must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription(n, "lanes", pubsub.DefaultQoS(),
				func(m *std_msgs.String, _ *pubsub.MessageInfo) { got <- m.Data }))
			pub := newString(t, n, "lanes", pubsub.DefaultQoS())
			if err := pub.WaitForSubscribers(pubsubtest.Context(t), 1); err != nil {
				t.Fatal(err)
			}
			if err := pub.Publish(&std_msgs.String{Data: tt.name}); err != nil {
				t.Fatal(err)
			}
			if m := next(t, got); m != tt.name {
				t.Errorf("got %q", m)
			}
			n.Close()
			s.path.Close()
		})
	}
}

// As many participants as were asked for fit, and one more is refused with what to change. This runs
// in a process of its own because Cyclone DDS keeps the ports of the one that was refused.
func TestParticipantLimit(t *testing.T) {
	for _, limit := range []int{1, 3} {
		d := newDomain(t)
		d.MaxParticipants = limit
		count, text, _ := strings.Cut(peerOutput(t, peerConfig{Discovery: d, Fill: true}), " ")
		if count != fmt.Sprint(limit) {
			t.Errorf("%s participants, want %d", count, limit)
		}
		for _, s := range []string{"Discovery.MaxParticipants", fmt.Sprintf("at most %d", limit), "free participant index"} {
			if !strings.Contains(text, s) && !(cyclone.Eleven && s == "free participant index") {
				t.Errorf("no %q in %q", s, text)
			}
		}
	}
}

// What publishers send by multicast, for other readers, leaves a path alone: its data comes by unicast,
// once, on its own thread.
func TestPathBesideMulticast(t *testing.T) {
	const count = 200
	id := newDomain(t).Domain
	const multicast = `<General><Interfaces><NetworkInterface address="127.0.0.1" multicast="true"/></Interfaces><AllowMulticast>true</AllowMulticast></General>`
	s := &inline{}
	n := nodeIn(t, pubsub.Discovery{Domain: id, Range: pubsub.RangeSystemDefault, Config: multicast}, "unicast", pubsub.WithScheduler(s))
	threads := make(chan int, 2*count)
	must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription(n, "flood", pubsub.DefaultQoS().KeepAll(),
		func(*std_msgs.String, *pubsub.MessageInfo) { threads <- unix.Gettid() }))
	pub := newString(t, n, "flood", pubsub.DefaultQoS().KeepAll())
	var others []*cyclone.Reader
	for i := range uint32(3) {
		d := must[*cyclone.Domain](t)(cyclone.NewDomain(2000+i, fmt.Sprintf(`<Discovery><ExternalDomainId>%d</ExternalDomainId></Discovery>,%s`, id, multicast)))
		defer d.Close()
		p := must[*cyclone.Participant](t)(d.NewParticipant("", nil))
		topic := must[*cyclone.Topic](t)(p.NewTopic("rt/flood", "std_msgs::msg::dds_::String_"))
		others = append(others, must[*cyclone.Reader](t)(topic.NewReader(cyclone.ReaderConfig{QoS: cyclone.QoS{Reliability: cyclone.Reliable, History: cyclone.KeepAll}})))
	}
	if err := pub.WaitForSubscribers(pubsubtest.Context(t), 1+len(others)); err != nil {
		t.Fatal(err)
	}
	for range count {
		if err := pub.Publish(&std_msgs.String{Data: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	for range count {
		if tid := next(t, threads); tid != s.path.Thread() {
			t.Fatalf("a callback on thread %d, want %d", tid, s.path.Thread())
		}
	}
	if err := pub.WaitForAcknowledgements(pubsubtest.Context(t)); err != nil {
		t.Fatal(err)
	}
	for _, r := range others {
		r.Close()
	}
	n.Close()
	s.path.Close()
	if len(threads) != 0 {
		t.Errorf("%d callbacks too many", len(threads))
	}
}
