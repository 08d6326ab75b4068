// Package hosts makes two hosts of one machine: network namespaces joined by a cable, or by a link with
// faults. Nothing of them has a name outside, so that the kernel removes all of it when this process and
// those in the namespaces have ended, however they end.
package hosts

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/pinion-ros/pinion/bench/hosts/link"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Interface is the name of each host's interface.
const Interface = "cable0"

// Addresses are those of the hosts.
var Addresses = [2]string{"10.190.77.1", "10.190.77.2"}

// Via is what joins two hosts.
type Via string

const (
	Veth  Via = "veth"  // the kernel's cable; a limit of the rate is the kernel's tbf
	Netem Via = "netem" // the same with the kernel's netem, whose chance has no seed and which counts nothing
	TAP   Via = "tap"   // TAP devices, between which this process carries frames as package link says
)

// A Pair is two hosts. Close it.
type Pair struct {
	Namespaces [2]*os.File
	Via        Via
	// Settings are those in force; with TAP there is always a seed.
	Settings link.Settings

	handles [2]*netlink.Handle
	taps    []int   // descriptors, and what carries frames
	wires   []*wire // from each host
}

// PermissionError tells what making hosts needs.
type PermissionError struct{ Err error }

// Error says what to do.
func (e *PermissionError) Error() string {
	return fmt.Sprintf("two hosts need CAP_NET_ADMIN and CAP_SYS_ADMIN (run as root, or in a container with --privileged): %v", e.Err)
}

// Unwrap returns the error of the system call.
func (e *PermissionError) Unwrap() error { return e.Err }

// New joins two hosts. What the settings ask for the kernel does if it can: always where there are no
// faults and no seed, and with faults where it has netem, they have no seed, and frames are not to be
// reordered, which netem does otherwise. All else is done by this process, through TAP devices.
func New(s link.Settings) (*Pair, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("make two hosts: %w", err)
	}
	p := &Pair{Settings: s}
	err := p.namespaces()
	if err == nil {
		err = p.join()
	}
	if err == nil {
		return p, nil
	}
	p.Close()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return nil, &PermissionError{err}
	}
	return nil, fmt.Errorf("make two hosts: %w", err)
}

func (p *Pair) namespaces() error {
	for i := range p.Namespaces {
		var err error
		if p.Namespaces[i], err = newNamespace(); err != nil {
			return err
		}
		if p.handles[i], err = handle(p.Namespaces[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *Pair) join() error {
	s := &p.Settings
	if s.Seed == 0 && s.Reorder == 0 {
		err := p.cable()
		if !errors.Is(err, errNoNetem) {
			return err
		}
		if err := p.uncable(); err != nil {
			return err
		}
	}
	if s.Seed == 0 {
		s.Seed = uint64(time.Now().UnixNano())
	}
	return p.carry()
}

// Close gives the namespaces up.
func (p *Pair) Close() {
	for _, w := range p.wires {
		w.close()
	}
	for _, fd := range p.taps {
		unix.Close(fd)
	}
	for i := range p.Namespaces {
		if p.handles[i] != nil {
			p.handles[i].Close()
		}
		if p.Namespaces[i] != nil {
			p.Namespaces[i].Close()
		}
	}
}

// Counters tell what happened to the frames of each host on their way to the other. Those that this
// process did not take in time count as overflowed. Nobody counts unless Via is TAP.
func (p *Pair) Counters() ([]link.Counters, error) {
	var counters []link.Counters
	for i, w := range p.wires {
		device, err := p.handles[i].LinkByName(Interface)
		if err != nil {
			return nil, fmt.Errorf("counters of %s: %w", Addresses[i], err)
		}
		c := w.counters()
		if s := device.Attrs().Statistics; s != nil {
			c.Offered += s.TxDropped
			c.Overflowed += s.TxDropped
		}
		counters = append(counters, c)
	}
	return counters, nil
}

// SetUp takes the link down, and up again. Hosts notice that nothing comes through.
func (p *Pair) SetUp(up bool) error {
	for i, h := range p.handles {
		if p.Via == TAP {
			p.wires[i].setUp(up)
			continue
		}
		device, err := h.LinkByName(Interface)
		if err != nil {
			return err
		}
		set := h.LinkSetDown
		if up {
			set = h.LinkSetUp
		}
		if err := set(device); err != nil {
			return err
		}
	}
	return nil
}

// String says what joins the hosts.
func (p *Pair) String() string {
	by := map[Via]string{Veth: "the kernel's cable", Netem: "the kernel's cable with netem", TAP: "a link of this program's"}[p.Via]
	if text := p.Settings.String(); text != "" {
		by += ", " + text
	}
	return by
}

// newNamespace makes a network namespace on a thread that ends with it.
func newNamespace() (*os.File, error) {
	return onThread(func() (*os.File, error) {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return nil, os.NewSyscallError("unshare", err)
		}
		return os.Open("/proc/thread-self/ns/net")
	})
}

// Enter moves the calling thread, which must be locked, into a namespace for good.
func Enter(ns *os.File) error {
	return os.NewSyscallError("setns", unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET))
}

// onThread runs f on a thread of its own, which ends with it.
func onThread[T any](f func() (T, error)) (T, error) {
	var value T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: f changes what the thread sees
		value, err = f()
	}()
	<-done
	return value, err
}

// inside runs f on a thread in a namespace.
func inside[T any](ns *os.File, f func() (T, error)) (T, error) {
	return onThread(func() (T, error) {
		if err := Enter(ns); err != nil {
			return *new(T), err
		}
		return f()
	})
}

// handle returns a netlink handle in a namespace, where its sockets have to be opened.
func handle(ns *os.File) (*netlink.Handle, error) {
	return inside(ns, func() (*netlink.Handle, error) { return netlink.NewHandle(unix.NETLINK_ROUTE) })
}

// configure sets up one host's interface and the loopback interface beside it.
func (p *Pair) configure(i int) (netlink.Link, error) {
	h := p.handles[i]
	lo, err := h.LinkByName("lo")
	if err != nil {
		return nil, err
	}
	device, err := h.LinkByName(Interface)
	if err != nil {
		return nil, err
	}
	// Without addresses of version 6 the kernel says nothing of its own accord, which would take part in
	// the chance. That it does not know version 6 is fine.
	_ = h.LinkSetIP6AddrGenMode(device, nl.IN6_ADDR_GEN_MODE_NONE)
	if p.Settings.MTU > 0 {
		if err := h.LinkSetMTU(device, p.Settings.MTU); err != nil {
			return nil, fmt.Errorf("set the MTU of %s to %d: %w", Addresses[i], p.Settings.MTU, err)
		}
	}
	ip := &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP(Addresses[i]), Mask: net.CIDRMask(24, 32)}}
	if err := errors.Join(h.LinkSetUp(lo), h.AddrAdd(device, ip), h.LinkSetUp(device)); err != nil {
		return nil, fmt.Errorf("configure %s: %w", Addresses[i], err)
	}
	return device, nil
}
