//go:build cgo

package cyclone

import (
	"math"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Operations of futex(2).
const (
	futexWaitBitset = 9 // with an absolute timeout on CLOCK_MONOTONIC
	futexPrivate    = 128
	futexAnyBit     = 1<<32 - 1
)

// A futex is the receiving end of a word that C code changes: pn_queue_word and pn_queue_waiting.
type futex struct {
	word, waiting *uint32
	seen          uint32 // the word when wait returned
}

// wait returns when the word has changed since the last call, at CLOCK_MONOTONIC until, or on a signal.
//
// It is an ordinary blocking system call: the thread leaves its P to whoever takes it, and finds it
// still there if nobody did. Hiding the call from the Go scheduler, so that the thread surely keeps its
// P, is no better for an unloaded program and worse for a loaded one: the scheduler then preempts the
// goroutine every 10 ms, and a locked goroutine that was preempted comes back by way of another thread,
// which may have to wait for a CPU.
func (f *futex) wait(until int64) {
	if atomic.LoadUint32(f.word) == f.seen {
		atomic.StoreUint32(f.waiting, 1)
		var timeout *unix.Timespec // none
		if until < math.MaxInt64 {
			t := unix.NsecToTimespec(max(until, 0))
			timeout = &t
		}
		// All its errors mean that it is time to look: changed before, interrupted, timed out.
		unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(f.word)), futexWaitBitset|futexPrivate, uintptr(f.seen),
			uintptr(unsafe.Pointer(timeout)), 0, futexAnyBit)
		atomic.StoreUint32(f.waiting, 0)
	}
	f.seen = atomic.LoadUint32(f.word)
}
