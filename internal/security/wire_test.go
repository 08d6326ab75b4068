package security_test

import (
	"bytes"
	"crypto/rand"
	"errors"
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
		seen := make(chan map[string]int)
		stop := make(chan struct{})
		go func() { seen <- watch(tap, stop, marker, topic, "RTPS") }()
		listener := start(t, peerConfig{Name: "listener", Discovery: d, Security: s, Enclave: "/listener", Topic: topic})
		start(t, peerConfig{Name: "talker", Discovery: d, Security: s, Enclave: "/talker", Topic: topic, Say: marker})
		listener.wait(marker)
		close(stop)
		found := <-seen
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

// watch counts the packets that contain each of the texts, until stop is closed.
func watch(tap *os.File, stop <-chan struct{}, texts ...string) map[string]int {
	found := map[string]int{}
	packet := make([]byte, 1<<16)
	for {
		select {
		case <-stop:
			return found
		default:
		}
		_ = tap.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		n, err := tap.Read(packet)
		if err != nil {
			continue // the time is up, or a packet was dropped, which the control run would show
		}
		for _, text := range texts {
			if bytes.Contains(packet[:n], []byte(text)) {
				found[text]++
			}
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
