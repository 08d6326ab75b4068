// Package pubsubtest helps to test programs that use package pubsub: nodes that see each other and
// nobody else, waiting for messages and matches, and a check that nothing is left behind.
//
//	func TestEcho(t *testing.T) {
//		domain := pubsubtest.NewDomain(t)
//		node := domain.NewNode("echo")
//		...
//	}
//
//	func TestMain(m *testing.M) { os.Exit(pubsubtest.Run(m)) }
package pubsubtest

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"

	"github.com/pinion-ros/pinion/pubsub"
)

// Domain is a DDS domain on the loopback interface that belongs to one test.
type Domain struct {
	t         testing.TB
	discovery pubsub.Discovery
}

// NewDomain returns a domain that no other test uses at the same time, in this process or another.
// It does not depend on the environment.
func NewDomain(t testing.TB) *Domain {
	t.Helper()
	id, release := claim()
	t.Cleanup(release)
	return &Domain{t, pubsub.Discovery{
		Domain:   id,
		Range:    pubsub.RangeLocalhost,
		Loopback: true,
		// Whoever else has the domain id, a robot's nodes for example, is not heard.
		Config: fmt.Sprintf(`<Domain Id="any"><Discovery><Tag>test_%d_%d</Tag></Discovery></Domain>`, os.Getpid(), domains.Add(1)),
	}}
}

// domains counts those of the process, whose tags must differ.
var domains atomic.Uint64

// Discovery returns the settings that nodes in other processes need to be in the domain.
func (d *Domain) Discovery() pubsub.Discovery { return d.discovery }

// NewNode returns a node in the domain, which is closed when the test ends. It does not publish on
// /rosout unless an option says so.
func (d *Domain) NewNode(name string, options ...pubsub.Option) *pubsub.Node {
	d.t.Helper()
	base := []pubsub.Option{pubsub.WithDiscovery(d.discovery), pubsub.WithRosout(false)}
	n, err := pubsub.NewNode(name, append(base, options...)...)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		if err := n.Close(); err != nil {
			d.t.Error(err)
		}
	})
	return n
}

// The ports of these domains are below those that Linux gives to clients.
const firstDomain, lastDomain = 40, 101

// claim returns the id of a domain that no other process claims, as long as there is one. The claims
// are abstract Unix sockets, which exist per network namespace, as ports do, and end with the process.
func claim() (id uint32, release func()) {
	for id := uint32(lastDomain); id >= firstDomain; id-- {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: fmt.Sprintf("@pinion/domain/%d", id), Net: "unix"})
		if err != nil {
			continue
		}
		if portsFree(id) {
			return id, func() { l.Close() }
		}
		l.Close()
	}
	return lastDomain, func() {} // shared, which the tag makes harmless
}

// portsFree reports whether the first participants of a domain would get their ports (RTPS 2.2, 9.6.1.1):
// who does not claim the domain may have them, and Cyclone DDS keeps those of a participant that it refused.
func portsFree(domain uint32) bool {
	for i := range 8 {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7400 + 250*int(domain) + 10 + i})
		if err != nil {
			return false
		}
		c.Close()
	}
	return true
}
