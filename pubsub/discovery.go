package pubsub

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Range tells how far discovery looks for other participants (ROS_AUTOMATIC_DISCOVERY_RANGE).
type Range uint8

// The discovery ranges of ROS 2.
const (
	RangeSubnet        Range = iota // multicast on the chosen interfaces, and the static peers
	RangeLocalhost                  // this machine
	RangeOff                        // nobody
	RangeSystemDefault              // what Cyclone DDS does by itself
)

// Discovery says where a node looks for others. The zero value is domain 0 and RangeSubnet.
type Discovery struct {
	// Domain is the ROS domain id, at most MaxDomain.
	Domain uint32
	Range  Range
	// Peers are the addresses of ROS_STATIC_PEERS. They count in RangeSubnet and RangeLocalhost.
	Peers []string
	// Loopback binds to the loopback interface alone, as Humble does for ROS_LOCALHOST_ONLY, so that
	// nothing leaves the machine whatever else is set.
	Loopback bool
	// MaxParticipants is how many participants (processes and lanes) of the domain fit on a host, and
	// how many are looked for there; 0 stands for 32, as in ROS 2. The port numbers allow 120, in
	// domains near the highest fewer. With more than 32 it takes others longer to notice that a process
	// has died, up to 140 s, and up to 3 s instead of 0.1 s until a reliable message is repeated that was
	// lost behind all others.
	MaxParticipants int
	// Config is configuration for Cyclone DDS that wins over everything above: XML, or the name of a
	// file or its file:// URI, or several of them separated by commas (CYCLONEDDS_URI).
	Config string
}

// MaxDomain is the highest domain whose ports are below 65536 (RTPS 2.2, 9.6.1.1).
const MaxDomain = 232

const (
	// maxParticipants is how many have their ports below those of the next domain.
	maxParticipants = 120
	// rosParticipants is how many rmw_cyclonedds allows.
	rosParticipants = 32
	// maxPeer is how long the address of a static peer may be (rmw).
	maxPeer = 255
)

// DiscoveryFromEnv reads the settings as ROS 2 and Cyclone DDS do: ROS_DOMAIN_ID,
// ROS_AUTOMATIC_DISCOVERY_RANGE, ROS_STATIC_PEERS, ROS_LOCALHOST_ONLY and CYCLONEDDS_URI. With
// ROS_DISTRO=humble, ROS_LOCALHOST_ONLY stands for Loopback, otherwise for RangeLocalhost, and the
// other two are not known.
func DiscoveryFromEnv() (Discovery, error) {
	d, _, err := discoveryFrom(os.Getenv, os.Getenv("ROS_DISTRO"))
	return d, err
}

// discoveryFrom also returns what the user should be warned of.
func discoveryFrom(env func(string) string, distro string) (d Discovery, warnings []string, err error) {
	d.Config = env("CYCLONEDDS_URI")
	id := env("ROS_DOMAIN_ID")
	if d.Domain, err = parseDomain(id); err != nil {
		return Discovery{}, nil, err
	}
	if id != "" && id != strconv.Itoa(int(d.Domain)) {
		warnings = append(warnings, fmt.Sprintf("ROS_DOMAIN_ID: %q is read as %d, as ROS 2 does", id, d.Domain))
	}
	only := env("ROS_LOCALHOST_ONLY")
	localhost := strings.HasPrefix(only, "1")
	if !localhost && only != "" && only != "0" {
		warnings = append(warnings, fmt.Sprintf("ROS_LOCALHOST_ONLY: %q is not 1, so it does not keep nodes on this machine", only))
	}
	if formOf(distro) == humbleForm {
		if d.Loopback = localhost; localhost {
			d.Range = RangeLocalhost
		}
		return d, warnings, nil
	}
	if localhost {
		d.Range = RangeLocalhost
		return d, warnings, nil
	}
	switch r := env("ROS_AUTOMATIC_DISCOVERY_RANGE"); r {
	case "", "SUBNET":
		d.Range = RangeSubnet
	case "OFF":
		d.Range = RangeOff
	case "SYSTEM_DEFAULT":
		d.Range = RangeSystemDefault
	case "LOCALHOST":
		d.Range = RangeLocalhost
	default:
		d.Range = RangeLocalhost
		warnings = append(warnings, fmt.Sprintf("ROS_AUTOMATIC_DISCOVERY_RANGE: %q is none of OFF, LOCALHOST, SUBNET and SYSTEM_DEFAULT, taken for LOCALHOST", r))
	}
	for _, p := range strings.Split(env("ROS_STATIC_PEERS"), ";") {
		switch {
		case len(p) > maxPeer:
			warnings = append(warnings, fmt.Sprintf("ROS_STATIC_PEERS: %.40s... is longer than %d characters, left out", p, maxPeer))
		case p != "":
			d.Peers = append(d.Peers, p)
		}
	}
	if len(d.Peers) > 0 && (d.Range == RangeOff || d.Range == RangeSystemDefault) {
		warnings = append(warnings, "ROS_STATIC_PEERS has no effect with this ROS_AUTOMATIC_DISCOVERY_RANGE")
	}
	return d, warnings, nil
}

var domainDigits = regexp.MustCompile(`^[+-]?(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)`)

// parseDomain reads ROS_DOMAIN_ID as rcl does, with C's strtoul and base 0: what follows a number
// other than zero is ignored, and minus one stands for the default.
func parseDomain(s string) (uint32, error) {
	if s == "" {
		return 0, nil
	}
	text := strings.TrimLeft(s, " \t\n\v\f\r")
	digits := domainDigits.FindString(text)
	n, err := strconv.ParseUint(strings.TrimLeft(digits, "+-"), 0, 64)
	if strings.HasPrefix(digits, "-") {
		n = -n
	}
	switch {
	case digits == "" || n == 0 && digits != text:
		return 0, fmt.Errorf("ROS_DOMAIN_ID: %q is not a number", s)
	case err == nil && n == math.MaxUint64:
		return 0, nil
	case err != nil || n > MaxDomain:
		return 0, fmt.Errorf("ROS_DOMAIN_ID: %s is not in 0 to %d, the domains whose ports fit into 16 bits", digits, MaxDomain)
	}
	return uint32(n), nil
}

// validate checks what was set in code.
func (d Discovery) validate() error {
	if d.Domain > MaxDomain {
		return fmt.Errorf("domain %d is above %d, the highest whose ports fit into 16 bits", d.Domain, MaxDomain)
	}
	if d.Range > RangeSystemDefault {
		return fmt.Errorf("discovery range %d is unknown", d.Range)
	}
	if limit := participantLimit(d.Domain); d.MaxParticipants < 0 || d.MaxParticipants > limit {
		return fmt.Errorf("%d participants: in domain %d there are ports for 1 to %d on a host", d.MaxParticipants, d.Domain, limit)
	}
	return nil
}

// participantLimit is how many participants have ports in the domain (RTPS 2.2, 9.6.1.1). Cyclone DDS
// wants those of one more to be valid.
func participantLimit(domain uint32) int {
	return min(maxParticipants, (math.MaxUint16-7400-250*int(domain)-11)/2)
}

// Interfaces returns the network interfaces that Config selects for the domain, by the names or
// addresses that stand there, "" for one that Cyclone DDS determines. Without a selection there are
// none, and Cyclone DDS determines one. It fails where a file of Config cannot be read.
func (d Discovery) Interfaces() ([]string, error) {
	c, err := readConfig(d.Config)
	if err != nil {
		return nil, err
	}
	return c.interfaces(d.Domain), nil
}

// key tells apart settings that cannot share a participant.
func (d Discovery) key() string { return fmt.Sprintf("%+v", d) }
