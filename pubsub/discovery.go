package pubsub

import (
	"encoding/xml"
	"fmt"
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
	// Domain is the ROS domain id, at most 232 with the default ports.
	Domain uint32
	Range  Range
	// Peers are the addresses of ROS_STATIC_PEERS.
	Peers []string
	// Loopback binds to the loopback interface alone (ROS_LOCALHOST_ONLY in Humble), so that
	// nothing leaves the machine whatever else is set.
	Loopback bool
	// MaxParticipants is how many participants (processes and lanes) of the domain discovery by
	// index can find on one host; 0 stands for 32, as in ROS 2. The port numbers allow 120.
	MaxParticipants int
	// Config is configuration for Cyclone DDS that wins over everything above: XML, or a file://
	// URI, or several of them separated by commas (CYCLONEDDS_URI).
	Config string
}

// maxDomain is the highest domain whose ports are below 65536 (RTPS 2.2, 9.6.1.1).
const maxDomain = 232

// DiscoveryFromEnv reads the settings as ROS 2 and Cyclone DDS do: ROS_DOMAIN_ID,
// ROS_AUTOMATIC_DISCOVERY_RANGE, ROS_STATIC_PEERS, ROS_LOCALHOST_ONLY and CYCLONEDDS_URI.
func DiscoveryFromEnv() (Discovery, error) { return discoveryFrom(os.Getenv) }

func discoveryFrom(env func(string) string) (Discovery, error) {
	d := Discovery{Config: env("CYCLONEDDS_URI")}
	var err error
	if d.Domain, err = parseDomain(env("ROS_DOMAIN_ID")); err != nil {
		return Discovery{}, err
	}
	switch r := env("ROS_AUTOMATIC_DISCOVERY_RANGE"); r {
	case "", "SUBNET":
		d.Range = RangeSubnet
	case "OFF":
		d.Range = RangeOff
	case "SYSTEM_DEFAULT":
		d.Range = RangeSystemDefault
	default: // LOCALHOST, and what the reference takes for it
		d.Range = RangeLocalhost
	}
	for _, p := range strings.Split(env("ROS_STATIC_PEERS"), ";") {
		if p != "" && len(p) <= 255 {
			d.Peers = append(d.Peers, p)
		}
	}
	if strings.HasPrefix(env("ROS_LOCALHOST_ONLY"), "1") {
		d.Range, d.Loopback, d.Peers = RangeLocalhost, true, nil
	}
	return d, nil
}

// parseDomain reads ROS_DOMAIN_ID as C's strtoul with base 0 does, as rcl uses it.
func parseDomain(s string) (uint32, error) {
	if s == "" || s == "-1" {
		return 0, nil
	}
	text := strings.TrimLeft(s, " \t\n\v\f\r")
	digits := regexp.MustCompile(`^\+?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)`).FindString(text)
	if digits == "" {
		return 0, fmt.Errorf("ROS_DOMAIN_ID: %q is not a number", s)
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(digits, "+"), 0, 64)
	if err != nil || n > maxDomain {
		return 0, fmt.Errorf("ROS_DOMAIN_ID: %s is above %d, the highest domain whose ports fit into 16 bits", digits, maxDomain)
	}
	if n == 0 && digits != text {
		return 0, fmt.Errorf("ROS_DOMAIN_ID: %q is not a number", s)
	}
	return uint32(n), nil
}

// validate checks what was set in code.
func (d Discovery) validate() error {
	if d.Domain > maxDomain {
		return fmt.Errorf("domain %d is above %d, the highest whose ports fit into 16 bits", d.Domain, maxDomain)
	}
	if d.Range > RangeSystemDefault {
		return fmt.Errorf("discovery range %d is unknown", d.Range)
	}
	if d.MaxParticipants < 0 || d.MaxParticipants > 120 {
		return fmt.Errorf("%d participants: discovery by index finds 1 to 120 on a host", d.MaxParticipants)
	}
	return nil
}

// key tells apart settings that cannot share a participant.
func (d Discovery) key() string { return fmt.Sprintf("%+v", d) }

// config returns the settings for a domain instance that is called id inside the process. One
// receive thread is what a lane needs, so that its callbacks come on one thread.
func (d Discovery) config(id uint32, oneThread bool) (string, error) {
	var b strings.Builder
	b.WriteString(`<Domain Id="any"><General>`)
	if d.Loopback {
		b.WriteString(`<Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>`)
	}
	if d.Range == RangeLocalhost || d.Range == RangeOff {
		b.WriteString(`<AllowMulticast>false</AllowMulticast>`)
	}
	b.WriteString(`</General><Discovery>`)
	switch d.Range {
	case RangeOff:
		fmt.Fprintf(&b, `<ParticipantIndex>none</ParticipantIndex><Tag>ros_discovery_off_%d</Tag>`, os.Getpid())
	case RangeSubnet, RangeLocalhost:
		fmt.Fprintf(&b, `<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>%d</MaxAutoParticipantIndex>`, d.maxIndex())
		b.WriteString(d.peers())
	}
	b.WriteString(`</Discovery></Domain>`)
	user, err := userConfig(d.Config, d.Domain, id)
	if err != nil {
		return "", err
	}
	b.WriteString(user)
	b.WriteString(`<Domain Id="any">`)
	if id != d.Domain {
		fmt.Fprintf(&b, `<Discovery><ExternalDomainId>%d</ExternalDomainId></Discovery>`, d.Domain)
	}
	if oneThread {
		b.WriteString(`<Internal><MultipleReceiveThreads>false</MultipleReceiveThreads></Internal>`)
	}
	b.WriteString(`</Domain>`)
	return b.String(), nil
}

// maxIndex counts from 0.
func (d Discovery) maxIndex() int {
	if d.MaxParticipants == 0 {
		return 32
	}
	return d.MaxParticipants - 1
}

func (d Discovery) peers() string {
	peers := d.Peers
	if d.Range == RangeLocalhost {
		peers = append([]string{"localhost"}, peers...)
	}
	if len(peers) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<Peers>")
	for _, p := range peers {
		b.WriteString(`<Peer Address="`)
		// Writing to a strings.Builder cannot fail.
		_ = xml.EscapeText(&b, []byte(p))
		b.WriteString(`"/>`)
	}
	b.WriteString("</Peers>")
	return b.String()
}

// userConfig returns the text of CYCLONEDDS_URI for an instance that is called id inside the process:
// where the text addresses the wire's domain, it means this instance as well.
func userConfig(uri string, wire, id uint32) (string, error) {
	if uri == "" || wire == id {
		return between(uri), nil
	}
	var texts []string
	for _, part := range splitConfig(uri) {
		text := part
		if !strings.HasPrefix(part, "<") {
			data, err := os.ReadFile(strings.TrimPrefix(part, "file://"))
			if err != nil {
				return "", fmt.Errorf("CYCLONEDDS_URI: %w", err)
			}
			text = strings.TrimSpace(string(data))
		}
		texts = append(texts, renameDomain(text, wire, id))
	}
	return between(strings.Join(texts, ",")), nil
}

// between separates a user's text, which may be a file name, from ours on both sides.
func between(s string) string {
	if s == "" {
		return ""
	}
	return "," + s + ","
}

// splitConfig separates files from each other and from XML, in which commas are text.
func splitConfig(uri string) []string {
	var parts []string
	for uri = strings.TrimSpace(uri); uri != ""; uri = strings.TrimLeft(uri, " \t\r\n,") {
		end := strings.IndexByte(uri, ',')
		if uri[0] == '<' {
			end = len(uri)
			if i := fileAfterXML.FindStringIndex(uri); i != nil {
				end = i[0] + 1
			}
		}
		if end < 0 {
			end = len(uri)
		}
		if part := strings.TrimSpace(uri[:end]); part != "" {
			parts = append(parts, part)
		}
		uri = uri[end:]
	}
	return parts
}

var (
	fileAfterXML = regexp.MustCompile(`>\s*,\s*[^<\s]`)
	domainID     = regexp.MustCompile(`(<\s*(?:Domain|dds:Domain)\s[^>]*?\b[Ii]d\s*=\s*)("[^"]*"|'[^']*')`)
)

// renameDomain lets Domain elements for the wire's id address the instance called id.
func renameDomain(text string, wire, id uint32) string {
	return domainID.ReplaceAllStringFunc(text, func(s string) string {
		m := domainID.FindStringSubmatch(s)
		if strings.TrimSpace(m[2][1:len(m[2])-1]) != strconv.FormatUint(uint64(wire), 10) {
			return s
		}
		return m[1] + `"` + strconv.FormatUint(uint64(id), 10) + `"`
	})
}
