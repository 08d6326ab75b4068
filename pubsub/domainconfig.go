package pubsub

import (
	"encoding/xml"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
)

// config returns the settings for a domain instance that is called id inside the process, the
// user's last: nothing may follow them, whose closing tags Cyclone DDS lets people leave out.
//
// A path's instance gets data by unicast only, on the thread that Cyclone DDS has for it. By multicast it
// is not announced, and the socket for it, which would get what others want, has a port that nobody sends
// to: among those that RTPS gives a domain (RTPS 2.2, 9.6.1.1) the third is unused.
func (d Discovery) config(id uint32, path bool) (string, error) {
	user, err := readConfig(d.Config)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(`<Domain Id="any"><General>`)
	if len(user.interfaces(d.Domain)) == 0 { // Cyclone DDS would add ours
		b.WriteString(d.interfaces())
	}
	switch {
	case d.Range == RangeLocalhost || d.Range == RangeOff:
		b.WriteString(`<AllowMulticast>false</AllowMulticast>`)
	case path:
		b.WriteString(`<AllowMulticast>spdp</AllowMulticast>`)
	}
	b.WriteString(`</General><Discovery>`)
	if path {
		b.WriteString(`<Ports><MulticastDataOffset>2</MulticastDataOffset></Ports>`)
	}
	if id != d.Domain {
		fmt.Fprintf(&b, `<ExternalDomainId>%d</ExternalDomainId>`, d.Domain)
	}
	if d.Range == RangeOff {
		fmt.Fprintf(&b, `<Tag>ros_discovery_off_%d</Tag>`, os.Getpid())
	}
	if d.Range != RangeSystemDefault {
		fmt.Fprintf(&b, `<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>%d</MaxAutoParticipantIndex>`, d.maxIndex())
		b.WriteString(peers(d.peers()))
		b.WriteString(d.lease())
	}
	b.WriteString(`</Discovery>`)
	// Fast DDS takes from a key hash which endpoint has gone. Without one it stays matched with a closed
	// subscription and waits for its acknowledgments.
	b.WriteString(`<Internal><GenerateKeyhash>true</GenerateKeyhash>`)
	b.WriteString(d.heartbeats())
	fmt.Fprintf(&b, `<SocketReceiveBufferSize max="%dB"/>`, wantedBuffer)
	b.WriteString(`</Internal>`)
	if path {
		b.WriteString(pathSizing)
		user = user.unicast()
	}
	b.WriteString(`</Domain>,`)
	b.WriteString(user.text(d.Domain, id))
	return b.String(), nil
}

// pathSizing keeps the instances of paths, of which there may be dozens, small. Each receiving thread has a
// buffer, fills it with what has to be kept for longer than a moment, takes another one and, when nobody
// needs the first any more, frees that. With 1 MiB, which is Cyclone DDS's default, it takes half an hour
// until memory does not grow any more, and longer to get a buffer when memory is locked.
const pathSizing = `<Sizing><ReceiveBufferSize>256 KiB</ReceiveBufferSize></Sizing>`

// interfaces selects more than Cyclone DDS would by itself where that misses somebody: Humble's
// ROS_LOCALHOST_ONLY binds to the loopback interface alone, while later distributions stay on the
// network's interface and find each other at the host's ports. To hear both takes both.
func (d Discovery) interfaces() string {
	switch {
	case d.Loopback || d.Range == RangeOff:
		return `<Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>`
	case d.Range == RangeLocalhost && hasNetwork():
		return `<Interfaces><NetworkInterface address="127.0.0.1" presence_required="false"/><NetworkInterface autodetermine="true"/></Interfaces>`
	}
	return ""
}

// hasNetwork tells whether Cyclone DDS would choose another interface than the loopback one, which
// must not be selected twice.
func hasNetwork() bool {
	interfaces, err := net.Interfaces()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(interfaces, func(i net.Interface) bool {
		addresses, err := i.Addrs()
		return err == nil && i.Flags&net.FlagUp != 0 && i.Flags&net.FlagLoopback == 0 && slices.ContainsFunc(addresses, isIPv4)
	})
}

func isIPv4(a net.Addr) bool {
	n, ok := a.(*net.IPNet)
	return ok && n.IP.To4() != nil
}

// maxIndex is what Cyclone DDS calls the highest index, which it never assigns: there is one less.
func (d Discovery) maxIndex() int {
	switch {
	case d.MaxParticipants != 0:
		return d.MaxParticipants
	case d.Range == RangeOff: // ROS 2 has no limit there
		return participantLimit(d.Domain)
	}
	return rosParticipants
}

// lease gives many participants more time than the usual 10 s to hear from each other: on a host where
// a hundred start at once they would otherwise give each other up and begin anew, over and over.
func (d Discovery) lease() string {
	if n := d.MaxParticipants; n > rosParticipants {
		return fmt.Sprintf("<LeaseDuration>%ds</LeaseDuration>", 10*n*n/(rosParticipants*rosParticipants))
	}
	return ""
}

// heartbeats makes them rarer among many participants. Without multicast each writer that waits for one
// of them sends its heartbeat to all, ten times a second, and all answer: a hundred that start at once
// would have time for nothing else.
func (d Discovery) heartbeats() string {
	if n := d.MaxParticipants; n > rosParticipants {
		return fmt.Sprintf("<HeartbeatInterval>%dms</HeartbeatInterval>", 100+33*(n-rosParticipants))
	}
	return ""
}

// peers returns the addresses where others are looked for. With discovery off these are the lanes of
// the process, which alone have its tag.
func (d Discovery) peers() []string {
	switch d.Range {
	case RangeOff:
		return []string{"localhost"}
	case RangeLocalhost:
		return append([]string{"localhost"}, d.Peers...)
	}
	return d.Peers
}

func peers(addresses []string) string {
	if len(addresses) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<Peers>")
	for _, a := range addresses {
		b.WriteString(`<Peer Address="`)
		// Writing to a strings.Builder cannot fail.
		_ = xml.EscapeText(&b, []byte(a))
		b.WriteString(`"/>`)
	}
	b.WriteString("</Peers>")
	return b.String()
}
