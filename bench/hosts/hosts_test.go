package hosts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/bench/hosts/link"
	"github.com/pinion-ros/pinion/internal/leaktest"
	"github.com/vishvananda/netlink"
)

const childVariable = "PINION_HOSTS_CHILD"

// patience is for a machine that is busy with other things.
const patience = time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		child()
	}
	os.Exit(leaktest.Run(m))
}

// child makes hosts, tells which namespaces they are and waits for its end.
func child() {
	p, err := New(link.Settings{Seed: 1})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	cmd := exec.Command("sleep", "1000")
	if _, err := Start(cmd, p.Namespaces[1]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for _, ns := range p.Namespaces {
		fmt.Println(name(ns))
	}
	select {}
}

// name returns what /proc calls a namespace.
func name(ns *os.File) string {
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", ns.Fd()))
	if err != nil {
		return err.Error()
	}
	return name
}

// pair returns two hosts, or nil after a check of the reason where they are not permitted.
func pair(t *testing.T, settings string) *Pair {
	t.Helper()
	s, err := link.Parse(settings)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s)
	var permission *PermissionError
	if errors.As(err, &permission) && os.Geteuid() != 0 {
		t.Logf("only that the error says why can be tested here: %v", err)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if _, err := net.InterfaceByName(Interface); err == nil {
		t.Error("the link is seen outside of the hosts")
	}
	return p
}

// in is inside, for tests.
func in[T any](t *testing.T, ns *os.File, f func() (T, error)) T {
	t.Helper()
	v, err := inside(ns, f)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Data pass from host to host, no faster than the cable allows.
func TestCable(t *testing.T) {
	const size = 2_000_000 // 0.2 s at 10 MB/s
	p := pair(t, "rate=80mbit")
	if p == nil {
		return
	}
	if p.Via != Veth {
		t.Errorf("joined by %s", p)
	}
	listener := in(t, p.Namespaces[0], func() (net.Listener, error) { return net.Listen("tcp4", Addresses[0]+":7000") })
	defer listener.Close()
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = c.Write(make([]byte, size)) // the reader notices what is missing
	}()
	begin := time.Now()
	c := in(t, p.Namespaces[1], func() (net.Conn, error) { return net.DialTimeout("tcp4", Addresses[0]+":7000", patience) })
	defer c.Close()
	n, err := io.Copy(io.Discard, c)
	if took, least := time.Since(begin), 150*time.Millisecond; n != size || took < least || err != nil {
		t.Errorf("%d bytes in %v, %v; want %d in at least %v", n, took, err, size, least)
	}
}

// ends returns a socket of each host that sends to the other's.
func ends(t *testing.T, p *Pair) (conns [2]*net.UDPConn) {
	t.Helper()
	address := func(i int) *net.UDPAddr { return &net.UDPAddr{IP: net.ParseIP(Addresses[i]), Port: 7000} }
	for i := range conns {
		conns[i] = in(t, p.Namespaces[i], func() (*net.UDPConn, error) { return net.DialUDP("udp4", address(i), address(1-i)) })
		t.Cleanup(func() { conns[i].Close() })
	}
	return conns
}

// receive returns the datagrams that come until one says "end" or nothing comes for long.
func receive(t *testing.T, c *net.UDPConn) (all []string) {
	t.Helper()
	buffer := make([]byte, 1<<16)
	for {
		_ = c.SetReadDeadline(time.Now().Add(patience)) // an open socket takes it
		n, err := c.Read(buffer)
		if err != nil {
			t.Fatalf("after %d datagrams: %v", len(all), err)
		}
		if text := string(buffer[:n]); text != "end" {
			all = append(all, text)
			continue
		}
		return all
	}
}

// What becomes of datagrams is what the line does to frames of the same seed, and is counted.
func TestLink(t *testing.T) {
	const n = 150
	p := pair(t, "loss=20%,dup=10%,delay=3ms,seed=4")
	if p == nil {
		return
	}
	if p.Via != TAP {
		t.Fatalf("joined by %s", p)
	}
	introduce(t, p)
	conns := ends(t, p)
	line, buffer := link.NewLine(p.Settings, 0), make([]byte, 100)
	for i := range n {
		begin := time.Now()
		send(t, conns[0], fmt.Sprint(i))
		line.Put([]byte(fmt.Sprint(i)), 0)
		for want := line.Pop(time.Hour); want != nil; want = line.Pop(time.Hour) {
			_ = conns[1].SetReadDeadline(time.Now().Add(patience)) // an open socket takes it
			n, err := conns[1].Read(buffer)
			if got := buffer[:n]; err != nil || !bytes.Equal(got, want) {
				t.Fatalf("datagram %q, %v; want %q", got, err, want)
			}
			if took := time.Since(begin); took < 3*time.Millisecond {
				t.Errorf("%q has arrived after %v", want, took)
			}
		}
	}
	counters, err := p.Counters()
	if err != nil || counters[0] != line.Counters() || counters[1] != (link.Counters{}) {
		t.Errorf("counted %+v, %v; want %+v and nothing the other way", counters, err, line.Counters())
	}
}

// introduce tells the hosts each other's hardware address, so that they need not ask.
func introduce(t *testing.T, p *Pair) {
	t.Helper()
	for i, h := range p.handles {
		here, err := h.LinkByName(Interface)
		if err != nil {
			t.Fatal(err)
		}
		there, err := p.handles[1-i].LinkByName(Interface)
		if err != nil {
			t.Fatal(err)
		}
		err = h.NeighSet(&netlink.Neigh{LinkIndex: here.Attrs().Index, State: netlink.NUD_PERMANENT,
			IP: net.ParseIP(Addresses[1-i]), HardwareAddr: there.Attrs().HardwareAddr})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func send(t *testing.T, c *net.UDPConn, text string) {
	t.Helper()
	if _, err := c.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

// resolve has the hosts learn each other's hardware address, in spite of losses.
func resolve(t *testing.T, conns [2]*net.UDPConn) {
	t.Helper()
	buffer := make([]byte, 100)
	for i, c := range conns {
		for end := time.Now().Add(patience); ; {
			if time.Now().After(end) {
				t.Fatal("nothing gets through")
			}
			send(t, conns[1-i], "hello")
			_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // an open socket takes it
			if _, err := c.Read(buffer); err == nil {
				break
			}
		}
	}
}

// A link that is down carries nothing, and carries again when it is up.
func TestDown(t *testing.T) {
	for _, settings := range []string{"", "seed=1"} {
		t.Run(settings, func(t *testing.T) {
			p := pair(t, settings)
			if p == nil {
				return
			}
			conns := ends(t, p)
			resolve(t, conns)
			if err := p.SetUp(false); err != nil {
				t.Fatal(err)
			}
			// A cable that is down has no route: the error is the kernel's way to say so.
			_, _ = conns[0].Write([]byte("down"))
			for end := time.Now().Add(patience); p.Via == TAP; time.Sleep(time.Millisecond) {
				counters, err := p.Counters()
				if err != nil || time.Now().After(end) {
					t.Fatalf("counted %+v, %v", counters, err)
				}
				if counters[0].Down > 0 {
					break
				}
			}
			if err := p.SetUp(true); err != nil {
				t.Fatal(err)
			}
			resolve(t, conns)
			send(t, conns[0], "end")
			if got := receive(t, conns[1]); slices.Contains(got, "down") {
				t.Errorf("%q came through", got)
			}
		})
	}
}

func TestMTU(t *testing.T) {
	for _, settings := range []string{"mtu=576", "mtu=576,seed=1"} {
		t.Run(settings, func(t *testing.T) {
			p := pair(t, settings)
			if p == nil {
				return
			}
			for _, ns := range p.Namespaces {
				device := in(t, ns, func() (*net.Interface, error) { return net.InterfaceByName(Interface) })
				if device.MTU != 576 {
					t.Errorf("MTU %d", device.MTU)
				}
			}
			conns := ends(t, p)
			resolve(t, conns)
			large := strings.Repeat("x", 5000) // in fragments
			send(t, conns[0], large)
			send(t, conns[0], "end")
			if got := receive(t, conns[1]); !slices.Contains(got, large) {
				t.Errorf("%d datagrams, the large one not among them", len(got))
			}
		})
	}
}

// However the process ends, nothing holds its namespaces then.
func TestCleanup(t *testing.T) {
	if pair(t, "seed=1") == nil {
		return
	}
	// Where the tests themselves run in the background of a script, their children would ignore it, too.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT)
	t.Cleanup(func() { signal.Stop(caught) })
	for _, ending := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(ending.String(), func(t *testing.T) {
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = append(os.Environ(), childVariable+"=1")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			var names []string
			for lines := bufio.NewScanner(out); len(names) < 2 && lines.Scan(); {
				names = append(names, lines.Text())
			}
			if len(names) != 2 || len(holders(t, names)) == 0 {
				t.Fatalf("the namespaces are %q, held by %q", names, holders(t, names))
			}
			if err := cmd.Process.Signal(ending); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // killed, as it was meant to be
			for end := time.Now().Add(patience); len(holders(t, names)) > 0; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%q are held by %q", names, holders(t, names))
				}
			}
		})
	}
}

// holders returns what keeps namespaces alive: threads, descriptors and mounts.
func holders(t *testing.T, names []string) (found []string) {
	t.Helper()
	for _, pattern := range []string{"/proc/[0-9]*/task/[0-9]*/ns/net", "/proc/[0-9]*/fd/*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			// What has ended meanwhile holds nothing.
			if target, err := os.Readlink(path); err == nil && slices.Contains(names, target) {
				found = append(found, path)
			}
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.Contains(string(mounts), name) {
			found = append(found, "mount of "+name)
		}
	}
	return found
}
