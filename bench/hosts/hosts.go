// Package hosts makes two hosts of one machine: network namespaces joined by a virtual cable with a
// rate limit. Nothing of them has a name outside, so that the kernel removes all of it when this
// process and those in the namespaces have ended, however they end.
package hosts

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Interface is the name of each host's interface.
const Interface = "cable0"

// Addresses are those of the hosts.
var Addresses = [2]string{"10.190.77.1", "10.190.77.2"}

// A Pair is two hosts. Close it.
type Pair struct {
	Namespaces [2]*os.File
	// Delayed is whether the kernel has what the delay needs.
	Delayed bool
}

// PermissionError tells what making hosts needs.
type PermissionError struct{ Err error }

// Error says what to do.
func (e *PermissionError) Error() string {
	return fmt.Sprintf("two hosts need CAP_NET_ADMIN and CAP_SYS_ADMIN (run as root, or in a container with --privileged): %v", e.Err)
}

// Unwrap returns the error of the system call.
func (e *PermissionError) Unwrap() error { return e.Err }

// New joins two hosts by a cable that passes rate bits per second in each direction, 0 for as many as
// the machine can. A delay, of each packet in each direction, needs the kernel's netem; where that is
// missing it is left out and Delayed is false.
func New(rate uint64, delay time.Duration) (*Pair, error) {
	p := &Pair{}
	for i := range p.Namespaces {
		var err error
		if p.Namespaces[i], err = newNamespace(); err != nil {
			p.Close()
			return nil, wrap(err)
		}
	}
	if err := p.cable(rate, delay); err != nil {
		p.Close()
		return nil, wrap(err)
	}
	return p, nil
}

func wrap(err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return &PermissionError{err}
	}
	return fmt.Errorf("make two hosts: %w", err)
}

// Close gives the namespaces up.
func (p *Pair) Close() {
	for _, ns := range p.Namespaces {
		if ns != nil {
			ns.Close()
		}
	}
}

// newNamespace makes a network namespace on a thread that ends with it.
func newNamespace() (*os.File, error) {
	type result struct {
		file *os.File
		err  error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is in the namespace
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			done <- result{nil, os.NewSyscallError("unshare", err)}
			return
		}
		file, err := os.Open("/proc/thread-self/ns/net")
		done <- result{file, err}
	}()
	r := <-done
	return r.file, r.err
}

// Enter moves the calling thread, which must be locked, into a namespace for good.
func Enter(ns *os.File) error {
	return os.NewSyscallError("setns", unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET))
}

func (p *Pair) cable(rate uint64, delay time.Duration) error {
	var handles [2]*netlink.Handle
	for i, ns := range p.Namespaces {
		h, err := handle(ns)
		if err != nil {
			return err
		}
		defer h.Close()
		handles[i] = h
	}
	veth := &netlink.Veth{LinkAttrs: netlink.NewLinkAttrs(), PeerName: Interface, PeerNamespace: netlink.NsFd(p.Namespaces[1].Fd())}
	veth.Name = Interface
	if err := handles[0].LinkAdd(veth); err != nil {
		return fmt.Errorf("add the cable: %w", err)
	}
	p.Delayed = delay > 0
	for i, h := range handles {
		delayed, err := plug(h, Addresses[i], rate, delay)
		if err != nil {
			return err
		}
		p.Delayed = p.Delayed && delayed
	}
	return nil
}

// handle returns a netlink handle in a namespace. The sockets are opened by a thread that is in it.
func handle(ns *os.File) (*netlink.Handle, error) {
	type result struct {
		h   *netlink.Handle
		err error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread() // never unlocked, see Enter
		if err := Enter(ns); err != nil {
			done <- result{nil, err}
			return
		}
		h, err := netlink.NewHandle(unix.NETLINK_ROUTE)
		done <- result{h, err}
	}()
	r := <-done
	return r.h, r.err
}

// plug configures one end of the cable and the loopback interface beside it.
func plug(h *netlink.Handle, address string, rate uint64, delay time.Duration) (delayed bool, err error) {
	lo, err := h.LinkByName("lo")
	if err != nil {
		return false, err
	}
	link, err := h.LinkByName(Interface)
	if err != nil {
		return false, err
	}
	ip := &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP(address), Mask: net.CIDRMask(24, 32)}}
	if err := errors.Join(h.LinkSetUp(lo), h.AddrAdd(link, ip), h.LinkSetUp(link)); err != nil {
		return false, fmt.Errorf("configure %s: %w", address, err)
	}
	if delay > 0 {
		delayed = h.QdiscAdd(delayer(link, delay)) == nil
	}
	if rate > 0 {
		if err := h.QdiscAdd(limiter(link, rate, delayed)); err != nil {
			return delayed, fmt.Errorf("limit the rate of %s (the kernel may lack sch_tbf): %w", address, err)
		}
	}
	return delayed, nil
}

func delayer(link netlink.Link, delay time.Duration) netlink.Qdisc {
	return netlink.NewNetem(netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT},
		netlink.NetemQdiscAttrs{Latency: uint32(delay.Microseconds()), Limit: 100_000})
}

// limiter lets bursts of 64 KiB through, as a network card's queue does, and holds up to 10 ms more.
func limiter(link netlink.Link, rate uint64, below bool) netlink.Qdisc {
	const burst = 64 << 10
	parent := uint32(netlink.HANDLE_ROOT)
	if below {
		parent = netlink.MakeHandle(1, 1)
	}
	bytes := rate / 8
	return &netlink.Tbf{
		QdiscAttrs: netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(2, 0), Parent: parent},
		Rate:       bytes, Limit: uint32(bytes/100 + burst), Buffer: netlink.Xmittime(bytes, burst),
	}
}
