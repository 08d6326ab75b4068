package security_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Neither what is said nor the topic's name can be read on the wire, where without security both can.
func TestNothingToRead(t *testing.T) {
	tap, err := openTap()
	if errors.Is(err, unix.EPERM) {
		inNamespace(t)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer tap.Close()
	for _, secured := range []bool{false, true} {
		d := pubsubtest.NewDomain(t).Discovery()
		var s pubsub.Security
		if secured {
			_, dir := newKeystore(t, d.Domain, "/talker", "/listener")
			s = enforce(dir)
		}
		marker, topic := rand.Text(), "topic_"+strings.ToLower(rand.Text())
		seen, end := make(chan map[string]int, 1), rand.Text()
		go func() { seen <- watch(tap, end, marker, topic, "RTPS") }()
		listener := start(t, peerConfig{Name: "listener", Discovery: d, Security: s, Enclave: "/listener", Topic: topic})
		start(t, peerConfig{Name: "talker", Discovery: d, Security: s, Enclave: "/talker", Topic: topic, Say: marker})
		listener.wait(marker)
		found := ended(t, seen, end)
		if found["RTPS"] == 0 {
			t.Error("nothing was seen at all")
		}
		for _, text := range []string{marker, topic} {
			if (found[text] > 0) == secured {
				t.Errorf("secured %v: %s was seen in %d of %d packets", secured, text, found[text], found["RTPS"])
			}
		}
	}
}

// openTap opens a socket that gets all packets of the loopback interface.
func openTap() (*os.File, error) {
	all := uint16(unix.ETH_P_ALL)<<8 | unix.ETH_P_ALL>>8 // network byte order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, int(all))
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	tap := os.NewFile(uintptr(fd), "packet socket")
	lo, err := netlink.LinkByName("lo")
	if err == nil {
		err = netlink.LinkSetUp(lo) // which it is not in a new namespace
	}
	if err == nil && unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20) != nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 64<<20) // as much as anybody gets
	}
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: lo.Attrs().Index})
	}
	if err != nil {
		tap.Close()
		return nil, err
	}
	return tap, nil
}

// watch counts the packets that contain each of the texts, until one contains end.
func watch(tap *os.File, end string, texts ...string) map[string]int {
	found := map[string]int{}
	packet := make([]byte, 1<<16)
	for {
		n, err := tap.Read(packet)
		if errors.Is(err, os.ErrClosed) {
			return found
		}
		if err != nil {
			continue // a packet was dropped, which the control run would show
		}
		if bytes.Contains(packet[:n], []byte(end)) {
			return found
		}
		for _, text := range texts {
			if bytes.Contains(packet[:n], []byte(text)) {
				found[text]++
			}
		}
	}
}

// ended sends the packet at which watch ends, behind all that is still to be read, and returns what it
// has found.
func ended(t *testing.T, seen <-chan map[string]int, end string) map[string]int {
	t.Helper()
	conn, err := net.Dial("udp4", "127.0.0.1:9") // where nobody has to listen
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for {
		_, _ = conn.Write([]byte(end)) // every other one is told that nobody listens
		select {
		case found := <-seen:
			return found
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// inNamespace runs the test again as root of namespaces of its own, where everybody may listen.
func inNamespace(t *testing.T) {
	const again = "PINION_SECURITY_TEST_NAMESPACE"
	if os.Getenv(again) != "" {
		t.Fatal("a packet socket is not allowed in a network namespace of one's own")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), again+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the test needs CAP_NET_RAW, or namespaces for users: %v\n%s", err, out)
	}
}
