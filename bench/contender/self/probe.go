package self

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unsafe"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
	"golang.org/x/sys/unix"
)

// probe measures round trips of datagrams between two threads over the loopback interface: the floor
// under everything that crosses a socket. The threads make their system calls directly: what the
// runtime does around calls is no part of the floor. So nothing may stop the world meanwhile, and
// nothing here allocates.
func probe(c contender.Config) (*contender.Result, error) {
	runtime.GOMAXPROCS(max(4, runtime.GOMAXPROCS(0)))
	debug.SetGCPercent(-1)
	var ends [2]int
	var addresses [2]unix.SockaddrInet4
	for i := range ends {
		fd, err := loopbackSocket(&addresses[i])
		if err != nil {
			return nil, fmt.Errorf("control probe: %w", err)
		}
		defer unix.Close(fd)
		ends[i] = fd
	}
	for i, fd := range ends {
		if err := unix.Connect(fd, &addresses[1-i]); err != nil {
			return nil, fmt.Errorf("control probe: %w", err)
		}
	}
	errs := make(chan error, 2)
	total := c.Warmup + c.Count
	there := c
	if here, other, two := strings.Cut(c.CPUs, ","); two { // a CPU for each end
		c.CPUs, there.CPUs = here, other
	}
	go func() { errs <- echo(there, ends[1], total) }()
	r := &contender.Result{Sent: uint64(c.Count), Latency: measure.NewHistogram()}
	go func() { errs <- exchange(c, ends[0], total, r.Latency) }()
	for range ends {
		if err := <-errs; err != nil {
			return nil, fmt.Errorf("control probe: %w", err)
		}
	}
	r.Received = uint64(r.Latency.Count())
	return r, nil
}

// loopbackSocket opens a socket that gives up waiting after a second and stores where it is bound.
func loopbackSocket(address *unix.SockaddrInet4) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	timeout := unix.NsecToTimeval(int64(time.Second))
	err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err == nil {
		var bound unix.Sockaddr
		if bound, err = unix.Getsockname(fd); err == nil {
			*address = *bound.(*unix.SockaddrInet4)
		}
	}
	if err != nil {
		unix.Close(fd)
	}
	return fd, err
}

func echo(c contender.Config, fd, total int) error {
	runtime.LockOSThread()
	contender.ScheduleThread(c, 0, true)
	buf := make([]byte, max(c.Size, 1))
	for range total {
		if err := transfer(unix.SYS_RECVFROM, fd, buf); err != nil {
			return err
		}
		if err := transfer(unix.SYS_SENDTO, fd, buf); err != nil {
			return err
		}
	}
	return nil
}

func exchange(c contender.Config, fd, total int, h *measure.Histogram) error {
	runtime.LockOSThread()
	contender.ScheduleThread(c, 0, true)
	buf := make([]byte, max(c.Size, 1))
	for i := range total {
		start := measure.Now()
		if err := transfer(unix.SYS_SENDTO, fd, buf); err != nil {
			return err
		}
		if err := transfer(unix.SYS_RECVFROM, fd, buf); err != nil {
			return err
		}
		if i >= c.Warmup {
			h.Record(measure.Now() - start)
		}
	}
	return nil
}

// transfer sends or receives a whole datagram on a connected socket.
func transfer(call uintptr, fd int, buf []byte) error {
	for {
		n, _, errno := unix.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)), 0, 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno != 0:
			return errno
		case int(n) != len(buf):
			return fmt.Errorf("%d bytes of %d", n, len(buf))
		default:
			return nil
		}
	}
}
