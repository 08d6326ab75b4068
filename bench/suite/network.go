package suite

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/hosts"
	"github.com/pinion-ros/pinion/bench/hosts/link"
)

// Networks between the ends of a run.
const (
	Loopback = "loopback"
	Hosts    = "hosts" // two network namespaces of this machine, joined by a cable with a rate limit
)

// DefaultLink joins two hosts unless the options say otherwise.
var DefaultLink = link.Settings{Rate: 1_000_000_000}

// A network is where the two ends of a run are.
type network struct {
	what  string
	hosts [2]contender.Host
	pair  *hosts.Pair // nil for the loopback interface
}

// close gives the network up and returns what its link did to frames, if that was counted.
func (n *network) close() ([]link.Counters, error) {
	if n.pair == nil {
		return nil, nil
	}
	defer n.pair.Close()
	return n.pair.Counters()
}

// uri configures Cyclone DDS for one interface and discovery by index, with room for a participant per
// lane.
func uri(networkInterface string, peers ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `CYCLONEDDS_URI=<Domain Id="any"><General><Interfaces><NetworkInterface %s/></Interfaces>`, networkInterface)
	b.WriteString(`<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>` +
		`<MaxAutoParticipantIndex>63</MaxAutoParticipantIndex><Peers>`)
	for _, p := range peers {
		fmt.Fprintf(&b, `<Peer Address="%s"/>`, p)
	}
	b.WriteString(`</Peers></Discovery></Domain>`)
	return b.String()
}

// rmw has contenders on ROS 2 use the same DDS as all others.
const rmw = "RMW_IMPLEMENTATION=rmw_cyclonedds_cpp"

var loopbackNetwork = func() network {
	host := contender.Host{Env: []string{uri(`address="127.0.0.1"`, "127.0.0.1"), rmw}}
	return network{what: "the loopback interface of one machine", hosts: [2]contender.Host{host, host}}
}()

// network opens the network that the options ask for.
func (o *Options) network() (network, error) {
	switch o.Network {
	case "", Loopback:
		return loopbackNetwork, nil
	case Hosts:
		return hostNetwork(cmp.Or(o.Link, DefaultLink))
	}
	return network{}, fmt.Errorf("there is no network %q; there are %s and %s", o.Network, Loopback, Hosts)
}

func hostNetwork(s link.Settings) (network, error) {
	pair, err := hosts.New(s)
	if err != nil {
		return network{}, err
	}
	n := network{what: fmt.Sprintf("two network namespaces of one machine, joined by %s", pair), pair: pair}
	env := []string{uri(fmt.Sprintf(`name="%s"`, hosts.Interface), hosts.Addresses[:]...), rmw}
	for i := range n.hosts {
		n.hosts[i] = contender.Host{Env: env, Namespace: pair.Namespaces[i]}
	}
	return n, nil
}
