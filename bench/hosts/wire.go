package hosts

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/bench/hosts/link"
	"golang.org/x/sys/unix"
)

// carry joins the hosts by TAP devices.
func (p *Pair) carry() error {
	p.Via = TAP
	for i, ns := range p.Namespaces {
		fd, err := inside(ns, openTAP)
		if err != nil {
			return err
		}
		p.taps = append(p.taps, fd)
		device, err := p.configure(i)
		if err != nil {
			return err
		}
		// How many frames may wait until this process takes them.
		if err := p.handles[i].LinkSetTxQLen(device, 10_000); err != nil {
			return fmt.Errorf("set the queue of %s: %w", Addresses[i], err)
		}
	}
	for i := range p.taps {
		w, err := newWire(p.taps[i], p.taps[1-i], link.NewLine(p.Settings, uint64(i)))
		if err != nil {
			return err
		}
		p.wires = append(p.wires, w)
	}
	return nil
}

// openTAP makes a TAP device in the namespace of the thread. It goes when the descriptor is closed.
func openTAP() (int, error) {
	const path = "/dev/net/tun"
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENODEV), errors.Is(err, unix.ENXIO):
		return 0, fmt.Errorf("a link with faults needs TAP devices: %w (modprobe tun; in a container --device %s)", &os.PathError{Op: "open", Path: path, Err: err}, path)
	case err != nil:
		return 0, &os.PathError{Op: "open", Path: path, Err: err}
	}
	request, err := unix.NewIfreq(Interface)
	if err == nil {
		request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		unix.Close(fd)
		return 0, fmt.Errorf("make a TAP device: %w", err)
	}
	return fd, nil
}

// A wire carries the frames that one device sends to the other. A thread of its own waits in the kernel
// for frames and for the time at which they are due, because the timers of the Go runtime are made for
// coarser work.
type wire struct {
	from, to int // descriptors of the devices, which do not block
	stop     int // readable when the wire is to end
	begin    time.Time
	done     chan struct{}

	mu   sync.Mutex
	line *link.Line
}

// newWire starts a wire between two devices, which must not be closed before it.
func newWire(from, to int, line *link.Line) (*wire, error) {
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("eventfd", err)
	}
	w := &wire{from: from, to: to, stop: stop, begin: time.Now(), done: make(chan struct{}), line: line}
	go w.run()
	return w, nil
}

func (w *wire) run() {
	defer close(w.done)
	runtime.LockOSThread()                             // never unlocked: its timers are exact, which others would pay for
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // never fails (prctl(2))
	buffer := make([]byte, 1<<16)
	fds := []unix.PollFd{{Fd: int32(w.from), Events: unix.POLLIN}, {Fd: int32(w.stop), Events: unix.POLLIN}}
	for {
		// An interruption is as good as a frame that is not there.
		_, _ = unix.Ppoll(fds, w.timeout(), nil)
		if fds[1].Revents != 0 {
			return
		}
		w.transfer(buffer)
	}
}

// timeout is how long there is nothing to do, nil for ever.
func (w *wire) timeout() *unix.Timespec {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, ok := w.line.Next()
	if !ok {
		return nil
	}
	t := unix.NsecToTimespec(int64(max(0, at-time.Since(w.begin))))
	return &t
}

// transfer takes in what has come, so much that what is due does not wait for long, and sends that.
func (w *wire) transfer(buffer []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for range 32 {
		n, err := unix.Read(w.from, buffer)
		if err == nil {
			w.line.Put(buffer[:n], time.Since(w.begin))
		}
		for frame := w.line.Pop(time.Since(w.begin)); frame != nil; frame = w.line.Pop(time.Since(w.begin)) {
			// A device that is down, or has no memory, loses the frame, as devices do.
			_, _ = unix.Write(w.to, frame)
		}
		if err != nil {
			return
		}
	}
}

func (w *wire) setUp(up bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line.SetUp(up)
}

func (w *wire) counters() link.Counters {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.line.Counters()
}

// close ends the wire.
func (w *wire) close() {
	_, _ = unix.Write(w.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // an eventfd takes it
	<-w.done
	unix.Close(w.stop)
}
