package executor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Scheduling is how the kernel schedules a thread, as read back from it.
type Scheduling struct {
	Policy   Policy
	Priority int
	CPUs     []int
}

// String returns "fifo 80 on CPUs 3".
func (s Scheduling) String() string {
	text := string(s.Policy)
	if s.Priority != 0 {
		text += fmt.Sprintf(" %d", s.Priority)
	}
	return text + " on CPUs " + strings.Trim(strings.ReplaceAll(fmt.Sprint(s.CPUs), " ", ","), "[]")
}

var policies = map[Policy]uint32{"": unix.SCHED_NORMAL, Other: unix.SCHED_NORMAL, FIFO: unix.SCHED_FIFO, RR: unix.SCHED_RR}

// setAffinity pins a thread; no CPUs leave it as it is.
func setAffinity(tid int, cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(tid, &set); err != nil {
		if errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("pin to CPUs %v: none of them can be used by this process (see Cpus_allowed_list in /proc/self/status)", cpus)
		}
		return fmt.Errorf("pin to CPUs %v: %w", cpus, err)
	}
	return nil
}

// setPolicy changes the policy of a thread. Threads that it creates start with the normal policy.
func setPolicy(tid int, policy Policy, priority int) error {
	if policies[policy] == unix.SCHED_NORMAL {
		return nil
	}
	err := unix.SchedSetAttr(tid, &unix.SchedAttr{
		Size:     unix.SizeofSchedAttr,
		Policy:   policies[policy],
		Priority: uint32(priority),
		Flags:    unix.SCHED_FLAG_RESET_ON_FORK,
	}, 0)
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("policy %s with priority %d: %w: give the program CAP_SYS_NICE (setcap cap_sys_nice+ep FILE) or raise RLIMIT_RTPRIO to %d (rtprio in /etc/security/limits.conf, LimitRTPRIO= in a systemd unit)",
			policy, priority, err, priority)
	}
	if err != nil {
		return fmt.Errorf("policy %s with priority %d: %w", policy, priority, err)
	}
	return nil
}

// scheduling asks the kernel about a thread.
func scheduling(tid int) (Scheduling, error) {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		return Scheduling{}, fmt.Errorf("read the scheduling of thread %d: %w", tid, err)
	}
	cpus, err := affinity(tid)
	if err != nil {
		return Scheduling{}, err
	}
	s := Scheduling{Policy: Other, Priority: int(attr.Priority), CPUs: cpus}
	for policy, id := range policies {
		if policy != "" && id == attr.Policy {
			s.Policy = policy
		}
	}
	return s, nil
}

// affinity lists the CPUs that a thread may run on.
func affinity(tid int) ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(tid, &set); err != nil {
		return nil, fmt.Errorf("read the CPUs of thread %d: %w", tid, err)
	}
	var cpus []int
	for c := range len(set) * 64 {
		if set.IsSet(c) {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}

// checkCPUs tells which of the CPUs the process may not use.
func checkCPUs(cpus []int) error {
	allowed, err := affinity(0)
	if err != nil {
		return err
	}
	for _, c := range cpus {
		if !slices.Contains(allowed, c) {
			return fmt.Errorf("CPU %d does not exist or is not allowed to this process; there are %v", c, allowed)
		}
	}
	return nil
}
