// Package timerslack reads and sets the timer slack of the process's own threads without any capability:
// it has them do it themselves, in the handler of a signal. The kernel wants CAP_SYS_NICE of who does it
// for another thread.
//
// The signal is the last real-time one, SIGRTMAX. Its handler is in place for the time of a call and does
// nothing about signals from elsewhere.
package timerslack

// #include "slack.h"
import "C"

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

var one sync.Mutex // call at a time: a process has one handler

// Get returns the timer slack of a thread in ns.
func Get(tid int) (uint64, error) { return ask(tid, 0) }

// Set sets it to ns, which must not be 0.
func Set(tid int, ns uint64) error {
	got, err := ask(tid, ns)
	if err == nil && got != ns {
		err = fmt.Errorf("timer slack of thread %d: set to %d, it is %d", tid, ns, got)
	}
	return err
}

func ask(tid int, ns uint64) (uint64, error) {
	one.Lock()
	defer one.Unlock()
	value := C.ulong(ns)
	if errno := C.pn_timerslack(C.int(tid), &value); errno != 0 {
		return 0, fmt.Errorf("timer slack of thread %d: %w", tid, unix.Errno(errno))
	}
	return uint64(value), nil
}
