package cyclone

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// domainDescriptors is what has to be free for a domain instance with its participant: about ten, a few
// for each network interface, and what others in the process open meanwhile.
const domainDescriptors = 32

// checkDescriptors fails with EMFILE or ENFILE where there are too few: without them Cyclone DDS 0.10
// crashes on its way out.
func checkDescriptors() error {
	var taken [domainDescriptors]int
	n := 0
	defer func() {
		for _, fd := range taken[:n] {
			unix.Close(fd)
		}
	}()
	for ; n < len(taken); n++ {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
		if err != nil {
			return descriptorError(err)
		}
		taken[n] = fd
	}
	return nil
}

func descriptorError(err error) error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return os.NewSyscallError("eventfd", err)
	}
	return fmt.Errorf("%d descriptors have to be free (RLIMIT_NOFILE is %d, see ulimit -n): %w", domainDescriptors, limit.Cur, err)
}
