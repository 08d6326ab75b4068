package contender

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ScheduleThread gives the calling thread the CPUs, policy and priority of the configuration, the latter
// lowered by below, as far as that is permitted: the harness reads back from the kernel what is in
// force. With reset, what the thread starts has the normal policy.
func ScheduleThread(c Config, below int, reset bool) {
	var set unix.CPUSet
	for word := range strings.SplitSeq(c.CPUs, ",") {
		if cpu, err := strconv.Atoi(word); err == nil {
			set.Set(cpu)
		}
	}
	// Both fail only without the permission.
	if set.Count() > 0 {
		_ = unix.SchedSetaffinity(0, &set)
	}
	if c.Policy != "fifo" {
		return
	}
	attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: uint32(c.Priority - below)}
	if reset {
		attr.Flags = unix.SCHED_FLAG_RESET_ON_FORK
	}
	_ = unix.SchedSetAttr(0, attr, 0)
}
