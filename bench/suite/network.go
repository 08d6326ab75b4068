package suite

import (
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/hosts"
)

// Networks between the ends of a run.
const (
	Loopback = "loopback"
	Hosts    = "hosts" // two network namespaces of this machine, joined by a cable with a rate limit
)

// DefaultBitRate is that of the cable between two hosts.
const DefaultBitRate = 1_000_000_000

// A network is where the two ends of a run are.
type network struct {
	what  string
	hosts [2]contender.Host
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
	return network{"the loopback interface of one machine", [2]contender.Host{host, host}}
}()

// network opens the network that the options ask for.
func (o *Options) network() (network, func(), error) {
	switch o.Network {
	case "", Loopback:
		return loopbackNetwork, func() {}, nil
	case Hosts:
	default:
		return network{}, nil, fmt.Errorf("there is no network %q; there are %s and %s", o.Network, Loopback, Hosts)
	}
	rate := o.BitRate
	if rate == 0 {
		rate = DefaultBitRate
	}
	pair, err := hosts.New(rate, o.Delay)
	if err != nil {
		return network{}, nil, err
	}
	n := network{what: fmt.Sprintf("two network namespaces of one machine, joined by a cable of %g Mbit/s", float64(rate)/1e6)}
	switch {
	case pair.Delayed:
		n.what += fmt.Sprintf(" and %v of delay each way", o.Delay)
	case o.Delay > 0:
		n.what += "; the kernel has no netem, so there is no delay"
	}
	env := []string{uri(fmt.Sprintf(`name="%s"`, hosts.Interface), hosts.Addresses[:]...), rmw}
	for i := range n.hosts {
		n.hosts[i] = contender.Host{Env: env, Namespace: pair.Namespaces[i]}
	}
	return n, pair.Close, nil
}
