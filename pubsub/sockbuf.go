package pubsub

import (
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// wantedBuffer is the receive buffer that sockets ask for: room for an image of several megabytes with
// what the kernel keeps for each packet. Cyclone DDS asks for 1 MiB.
const wantedBuffer = 8 << 20

// receiveBuffer returns the smallest receive buffer among the process's sockets of the domain, as it
// would be asked for. Where they have other ports than the protocol's (RTPS 2.2, 9.6.1.1) it is unknown,
// and taken for large enough.
func receiveBuffer(domain uint32) int {
	smallest := math.MaxInt
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return smallest
	}
	for _, d := range fds {
		fd, err := strconv.Atoi(d.Name())
		if err != nil || !ofDomain(fd, domain) {
			continue
		}
		// The kernel doubles what is asked for, to keep books on it.
		if n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF); err == nil {
			smallest = min(smallest, n/2)
		}
	}
	return smallest
}

// ofDomain tells whether the descriptor is that of a socket that receives messages of the domain.
func ofDomain(fd int, domain uint32) bool {
	address, err := unix.Getsockname(fd)
	if err != nil {
		return false
	}
	port := 0
	switch a := address.(type) {
	case *unix.SockaddrInet4:
		port = a.Port
	case *unix.SockaddrInet6:
		port = a.Port
	}
	first := 7400 + 250*int(domain)
	return first <= port && port < first+250
}

// tooBig says once what is wrong with a message that the sockets' buffers cannot hold.
func (r *Receiver) tooBig(s *cyclone.Sample) {
	n := r.node
	if r.placement.Path == nil && GUID(s.Writer).participant() == n.session.graph.own || n.session.toldBuffer.Swap(true) {
		return // it came through memory
	}
	n.log.Warn("messages are larger than the receive buffers of the sockets: under load parts are lost, and messages with them. Run: "+
		fmt.Sprintf("sudo sysctl -w net.core.rmem_max=%d", wantedBuffer)+
		", and put it into a file in /etc/sysctl.d; CYCLONEDDS_URI may set Internal/SocketReceiveBufferSize to something smaller",
		zap.String("topic", r.topic), zap.Int("message", len(s.Payload())), zap.Int("buffer", r.buffer))
}
