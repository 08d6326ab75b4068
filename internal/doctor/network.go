package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/pubsub"
)

// enoughBuffer holds a few images of several megabytes.
const enoughBuffer = 8 << 20

func receiveBuffer(s *System) (Result, error) {
	return s.atLeast("net.core.rmem_max", enoughBuffer, "bursts and large messages are lost in the kernel before anybody can read them")
}

func sendBuffer(s *System) (Result, error) {
	return s.atLeast("net.core.wmem_max", 2<<20, "a publisher of large messages blocks until the socket has room")
}

// atLeast checks a sysctl.
func (s *System) atLeast(key string, want int64, why string) (Result, error) {
	n, err := s.number("proc/sys/" + strings.ReplaceAll(key, ".", "/"))
	if err != nil {
		return Result{}, err
	}
	found := fmt.Sprintf("%s is %s", key, size(n))
	if n < want {
		return Result{Status: Warning, Found: found + ", less than " + size(want), Why: why, Fix: []string{setSysctl(key, want)}}, nil
	}
	return Result{Status: Good, Found: found}, nil
}

func setSysctl(key string, value int64) string {
	return fmt.Sprintf("sudo sysctl -w %s=%d", key, value)
}

// fragments looks at what a message of more than one packet needs on a lossy link.
func fragments(s *System) (Result, error) {
	seconds, err := s.number("proc/sys/net/ipv4/ipfrag_time")
	if err != nil {
		return Result{}, err
	}
	memory, err := s.number("proc/sys/net/ipv4/ipfrag_high_thresh")
	if err != nil {
		return Result{}, err
	}
	const want = 128 << 20
	r := Result{Status: Good, Found: fmt.Sprintf("kept for %d s in %s", seconds, size(memory))}
	if seconds > 3 {
		r.Fix = append(r.Fix, setSysctl("net.ipv4.ipfrag_time", 3))
	}
	if memory < want {
		r.Fix = append(r.Fix, setSysctl("net.ipv4.ipfrag_high_thresh", want))
	}
	if len(r.Fix) > 0 {
		r.Status, r.Why = Warning, "on a lossy link incomplete datagrams fill the memory, and then all large ones are lost"
	}
	return r, nil
}

func busyPolling(s *System) (Result, error) {
	poll, err := s.number("proc/sys/net/core/busy_poll")
	if err != nil {
		return Result{}, err
	}
	read, err := s.number("proc/sys/net/core/busy_read")
	if err != nil {
		return Result{}, err
	}
	found := fmt.Sprintf("busy_poll %d, busy_read %d", poll, read)
	if poll == 0 || read == 0 {
		return Result{Status: Warning, Found: found,
			Why: "at high rates network cards collect packets; polling takes a CPU and saves tens of microseconds",
			Fix: []string{setSysctl("net.core.busy_poll", 50), setSysctl("net.core.busy_read", 50)}}, nil
	}
	return Result{Status: Good, Found: found}, nil
}

// participants is how many processes of a domain find each other on a machine, as in ROS 2.
const participants = 32

// ports compares the domain's ports (RTPS 2.2, 9.6.1.1) with those that the kernel gives to anybody.
func ports(s *System) (Result, error) {
	if s.Domain < 0 || s.Domain > pubsub.MaxDomain {
		return Result{Status: Bad, Found: fmt.Sprintf("domain %d", s.Domain), Why: "its ports do not fit into 16 bits",
			Fix: []string{fmt.Sprintf("# export ROS_DOMAIN_ID=0, or any up to %d", pubsub.MaxDomain)}}, nil
	}
	text, err := s.text("proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return Result{}, err
	}
	var low, high int
	if _, err := fmt.Sscan(text, &low, &high); err != nil {
		return Result{}, fmt.Errorf("/proc/sys/net/ipv4/ip_local_port_range: %q", text)
	}
	first := 7400 + 250*s.Domain
	last := first + 11 + 2*(participants-1)
	found := fmt.Sprintf("domain %d uses ports %d to %d for %d participants on a machine, the kernel gives out %d to %d",
		s.Domain, first, last, participants, low, high)
	if first <= high && last >= low {
		return Result{Status: Warning, Found: found, Why: "another program may have taken a port that a node needs",
			Fix: []string{"# export ROS_DOMAIN_ID=0, or any up to 101 with Linux's defaults"}}, nil
	}
	return Result{Status: Good, Found: found}, nil
}

func cycloneVersion(s *System) (Result, error) {
	if s.Cyclone == "" {
		return Result{}, errors.New("not told")
	}
	if !strings.HasPrefix(s.Cyclone, "0.10.") && !strings.HasPrefix(s.Cyclone, "11.") {
		return Result{Status: Bad, Found: s.Cyclone, Why: "pinion is made for 0.10.x and 11.x"}, nil
	}
	return Result{Status: Good, Found: s.Cyclone}, nil
}
