package executor

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// WithLockedMemory has Run lock the memory of the process, so that no page of it is ever written out,
// and make the stacks of the lanes' threads present. Pages are locked when they are first used
// (MCL_ONFAULT): locking all that is mapped would take the large areas that the Go runtime reserves.
// What is locked stays so until the process ends.
//
// The limit of locked memory must be infinite, or Run fails: with a finite one, an allocation beyond
// it would end the program at some later time.
func WithLockedMemory() Option {
	return func(e *Executor) error {
		e.lockMemory = true
		return nil
	}
}

// lockAll locks the memory of the process.
func (s system) lockAll() error {
	limit, err := s.lockLimit()
	if err != nil {
		return fmt.Errorf("lock memory: %w", err)
	}
	if limit != unix.RLIM_INFINITY {
		return fmt.Errorf("lock memory: the limit is %d bytes, and an allocation beyond it would end the program: set RLIMIT_MEMLOCK to unlimited (memlock in /etc/security/limits.conf, LimitMEMLOCK=infinity in a systemd unit, ulimit -l unlimited)", limit)
	}
	err = s.kernel.lockMemory(unix.MCL_CURRENT | unix.MCL_FUTURE | unix.MCL_ONFAULT)
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("lock memory: %w: give the program CAP_IPC_LOCK (setcap cap_ipc_lock+ep FILE)", err)
	}
	if err != nil {
		return fmt.Errorf("lock memory: %w", err)
	}
	return nil
}

// stackNeed is how much stack a lane's thread has present.
const stackNeed = 128 << 10

// prefaultStack makes the stack of a thread of C code present, below where it is now. The thread sleeps
// in a system call: a receive thread does, but for moments.
func (s system) prefaultStack(tid int) error {
	sp, err := s.blockedIn(tid)
	if err != nil || sp == 0 {
		return err
	}
	low, err := s.mappingStart(sp)
	if err != nil {
		return err
	}
	begin := max(low, sp-stackNeed) &^ uintptr(unix.Getpagesize()-1)
	if err := s.populate(begin, sp); err != nil && !errors.Is(err, unix.EINVAL) { // before Linux 5.14
		return fmt.Errorf("make the stack of thread %d present: %w", tid, err)
	}
	return nil
}

// growStack makes the calling goroutine's stack large, and present. The collector may make it smaller
// again, one half at a time, but gives the memory back to nobody when it is locked.
//
//go:noinline
func growStack() byte {
	var area [stackNeed / 2]byte
	for i := 0; i < len(area); i += 512 {
		area[i] = byte(i >> 9)
	}
	return area[len(area)/2]
}
