package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Flags of /sys/class/net/*/flags, see netdevice(7).
const (
	flagUp        = 1 << 0
	flagLoopback  = 1 << 3
	flagMulticast = 1 << 12
)

// An iface is a network interface.
type iface struct {
	name  string
	index int64
	flags uint64
	mtu   int64
}

// networks returns the interfaces to look at.
func (s *System) networks() ([]iface, error) {
	all, err := s.allInterfaces()
	if err != nil {
		return nil, err
	}
	selected := s.Interfaces
	if len(selected) == 0 {
		selected = []string{""}
	}
	var found []iface
	for _, name := range selected {
		i := slices.IndexFunc(all, func(i iface) bool { return i.name == name })
		if name == "" {
			i = determined(all)
		}
		switch {
		case i >= 0:
			found = append(found, all[i])
		case name == "":
			return nil, errors.New("no interface but loopback is up")
		default:
			return nil, fmt.Errorf("there is no interface %s", name)
		}
	}
	return found, nil
}

// determined returns which interface Cyclone DDS would take: the first that is up and not loopback,
// with multicast if there is one.
func determined(all []iface) int {
	best := -1
	for i, n := range all {
		if n.flags&flagUp == 0 || n.flags&flagLoopback != 0 {
			continue
		}
		if n.flags&flagMulticast != 0 {
			return i
		}
		if best < 0 {
			best = i
		}
	}
	return best
}

// allInterfaces returns the interfaces of the machine in the order of the kernel.
func (s *System) allInterfaces() ([]iface, error) {
	dirs, err := fs.Glob(s.Root, "sys/class/net/*")
	if err != nil {
		return nil, err
	}
	var all []iface
	for _, dir := range dirs {
		text, err := s.text(dir + "/flags")
		if err != nil {
			continue // not an interface: bonding_masters lies there too
		}
		i := iface{name: path.Base(dir)}
		if i.flags, err = strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64); err != nil {
			return nil, err
		}
		if i.index, err = s.number(dir + "/ifindex"); err != nil {
			return nil, err
		}
		if i.mtu, err = s.number(dir + "/mtu"); err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b iface) int { return cmp.Compare(a.index, b.index) })
	return all, nil
}

// InterfaceNames replaces addresses by the names of the interfaces that have them.
func InterfaceNames(namesOrAddresses []string) ([]string, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	names := slices.Clone(namesOrAddresses)
	for _, i := range interfaces {
		addresses, err := i.Addrs()
		if err != nil {
			return nil, err
		}
		for _, a := range addresses {
			n, ok := a.(*net.IPNet)
			for k, name := range namesOrAddresses {
				if ok && n.IP.Equal(net.ParseIP(name)) {
					names[k] = i.Name
				}
			}
		}
	}
	return names, nil
}

// onlyLocal is what checks of the network find where it is not used.
var onlyLocal = Result{Status: Good, Found: "not used: the environment keeps nodes on this machine"}

// eachNetwork sums up what check finds about each interface: the worst status counts.
func (s *System) eachNetwork(check func(iface) Result) (Result, error) {
	if s.Local {
		return onlyLocal, nil
	}
	networks, err := s.networks()
	if err != nil {
		return Result{}, err
	}
	sum := Result{Status: Good}
	var found, why []string
	for _, n := range networks {
		r := check(n)
		found = append(found, r.Found)
		if r.Why != "" && !slices.Contains(why, r.Why) {
			why = append(why, r.Why)
		}
		sum.Fix = append(sum.Fix, r.Fix...)
		if r.Status == Bad || sum.Status == Good {
			sum.Status = r.Status
		}
	}
	sum.Found, sum.Why = strings.Join(found, ", "), strings.Join(why, "; ")
	return sum, nil
}

func multicast(s *System) (Result, error) {
	return s.eachNetwork(func(i iface) Result {
		switch {
		case i.flags&flagUp == 0:
			return Result{Status: Bad, Found: i.name + " is down", Why: "nothing reaches other machines",
				Fix: []string{"sudo ip link set " + i.name + " up"}}
		case i.flags&flagLoopback != 0:
			return Result{Status: Good, Found: i.name + " needs none"}
		case i.flags&flagMulticast == 0:
			return Result{Status: Bad, Found: i.name + " has no multicast",
				Why: "nodes on other machines are not discovered, except static peers (ROS_STATIC_PEERS)",
				Fix: []string{"sudo ip link set " + i.name + " multicast on"}}
		}
		return Result{Status: Good, Found: i.name + " is up and has multicast"}
	})
}

// ethernet is what most machines have.
const ethernet = 1500

func mtu(s *System) (Result, error) {
	return s.eachNetwork(func(i iface) Result {
		r := Result{Status: Good, Found: fmt.Sprintf("%s has %d bytes", i.name, i.mtu)}
		if i.mtu < ethernet {
			r.Status, r.Why = Warning, "messages are cut into more packets than on other machines, each of which can be lost"
			r.Fix = []string{fmt.Sprintf("# unless a tunnel or an overlay needs it so: sudo ip link set %s mtu %d", i.name, ethernet)}
		}
		return r
	})
}
