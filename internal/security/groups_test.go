package security_test

import (
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// Three groups are in one domain and on one topic: at home in a keystore, with certificates of a foreign
// one that otherwise is the same, and without any. Each hears its
// own talker, on a lane, and nobody else's.
func TestStrangers(t *testing.T) {
	d := pubsubtest.NewDomain(t).Discovery()
	_, home := newKeystore(t, d.Domain, "/talker", "/listener")
	_, foreign := newKeystore(t, d.Domain, "/talker", "/listener")
	groups := map[string]pubsub.Security{"home": enforce(home), "foreign": enforce(foreign), "plain": {}}
	listeners := map[string]*peer{}
	for name, s := range groups {
		listeners[name] = start(t, peerConfig{Name: name + "_listener", Discovery: d, Security: s, Enclave: "/listener", Topic: "chatter", Lane: true})
	}
	for name, s := range groups {
		start(t, peerConfig{Name: name + "_talker", Discovery: d, Security: s, Enclave: "/talker", Topic: "chatter", Say: name})
	}
	for name, l := range listeners {
		l.wait(name)
	}
	for name, l := range listeners {
		l.stop()
		for what, n := range l.heard {
			if what != name {
				t.Errorf("%s heard %d messages of %s", l.name, n, what)
			}
		}
		if !strings.Contains(l.nodes, "knows "+name+"_talker /talker\n") {
			t.Errorf("%s does not know its talker in:\n%s", l.name, l.nodes)
		}
		for other := range groups {
			if other != name && strings.Contains(l.nodes, other) {
				t.Errorf("%s knows strangers:\n%s", l.name, l.nodes)
			}
		}
	}
}
