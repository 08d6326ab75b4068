package hosts

import (
	"errors"
	"fmt"

	"github.com/pinion-ros/pinion/bench/hosts/link"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

var errNoNetem = errors.New("the kernel has no netem")

// cable joins the hosts by what the kernel has. The error is errNoNetem where that lacks what the faults
// need.
func (p *Pair) cable() error {
	veth := &netlink.Veth{LinkAttrs: netlink.NewLinkAttrs(), PeerName: Interface, PeerNamespace: netlink.NsFd(p.Namespaces[1].Fd())}
	veth.Name = Interface
	if err := p.handles[0].LinkAdd(veth); err != nil {
		return fmt.Errorf("add the cable: %w", err)
	}
	p.Via = Veth
	if p.Settings.Faulty() {
		p.Via = Netem
	}
	for i, h := range p.handles {
		device, err := p.configure(i)
		if err != nil {
			return err
		}
		parent := uint32(netlink.HANDLE_ROOT)
		if p.Via == Netem {
			err := h.QdiscAdd(netem(device, p.Settings))
			if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP) {
				return errNoNetem
			}
			if err != nil {
				return fmt.Errorf("netem on %s: %w", Addresses[i], err)
			}
			parent = netlink.MakeHandle(1, 1)
		}
		if p.Settings.Rate == 0 {
			continue
		}
		if err := h.QdiscAdd(limiter(device, p.Settings, parent)); err != nil {
			return fmt.Errorf("limit the rate of %s (the kernel may lack sch_tbf): %w", Addresses[i], err)
		}
	}
	return nil
}

// uncable removes the cable.
func (p *Pair) uncable() error {
	device, err := p.handles[0].LinkByName(Interface)
	if err != nil {
		return err
	}
	return p.handles[0].LinkDel(device)
}

func netem(device netlink.Link, s link.Settings) netlink.Qdisc {
	return netlink.NewNetem(netlink.QdiscAttrs{LinkIndex: device.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT},
		netlink.NetemQdiscAttrs{
			Latency: uint32(s.Delay.Microseconds()), Jitter: uint32(s.Jitter.Microseconds()),
			Loss: float32(100 * s.Loss), Duplicate: float32(100 * s.Duplicate), Limit: 100_000,
		})
}

// limiter lets bursts of 64 KiB through, as a network card's queue does, unless less may wait.
func limiter(device netlink.Link, s link.Settings, parent uint32) netlink.Qdisc {
	bytes, limit := s.Rate/8, s.QueueBytes()
	burst := uint32(min(64<<10, limit))
	return &netlink.Tbf{
		QdiscAttrs: netlink.QdiscAttrs{LinkIndex: device.Attrs().Index, Handle: netlink.MakeHandle(2, 0), Parent: parent},
		Rate:       bytes, Limit: uint32(limit), Buffer: netlink.Xmittime(bytes, burst),
	}
}
