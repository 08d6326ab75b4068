package executor

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Scheduling is how the kernel schedules a thread, as read back from it.
type Scheduling struct {
	Policy   Policy
	Priority int
	CPUs     []int

	// Runtime, Within and Period are those of policy Deadline, see Lane.
	Runtime, Within, Period time.Duration

	// ResetOnFork tells that threads which the thread starts have the normal policy.
	ResetOnFork bool
}

// String returns "fifo 80 on CPU 3".
func (s Scheduling) String() string {
	text := string(s.Policy)
	if s.Priority != 0 {
		text += fmt.Sprintf(" %d", s.Priority)
	}
	if s.Policy == Deadline {
		text += fmt.Sprintf(" %v within %v of %v", s.Runtime, s.Within, s.Period)
	}
	if len(s.CPUs) == 1 {
		return fmt.Sprintf("%s on CPU %d", text, s.CPUs[0])
	}
	return text + " on CPUs " + FormatCPUs(s.CPUs)
}

var policies = map[Policy]uint32{
	"": unix.SCHED_NORMAL, Other: unix.SCHED_NORMAL, FIFO: unix.SCHED_FIFO, RR: unix.SCHED_RR, Deadline: unix.SCHED_DEADLINE,
}

// realtime tells whether threads of the policy keep those of policy Other from running.
func (p Policy) realtime() bool { return policies[p] != unix.SCHED_NORMAL }

// A system explains what a kernel refuses.
type system struct{ kernel }

// setAffinity pins a thread; no CPUs leave it as it is.
func (s system) setAffinity(tid int, cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	err := s.kernel.setAffinity(tid, cpuSet(cpus))
	if errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("pin to CPUs %v: %w: none of them is online (see /sys/devices/system/cpu/online) and in the cpuset of this process (see /proc/self/cpuset)", cpus, err)
	}
	if err != nil {
		return fmt.Errorf("pin to CPUs %v: %w", cpus, err)
	}
	return nil
}

// setPolicy gives a thread the policy of a lane. Threads that it starts get the normal one.
func (s system) setPolicy(tid int, l *Lane) error {
	if !l.Policy.realtime() {
		return nil
	}
	attr := &unix.SchedAttr{
		Size:     unix.SizeofSchedAttr,
		Policy:   policies[l.Policy],
		Priority: uint32(l.Priority),
		Flags:    unix.SCHED_FLAG_RESET_ON_FORK,
	}
	if l.Policy == Deadline {
		attr.Runtime, attr.Deadline, attr.Period = uint64(l.Runtime), uint64(l.Within), uint64(l.Period)
	}
	err := s.setAttr(tid, attr)
	if errors.Is(err, unix.EPERM) && l.Policy == Deadline {
		err = s.setAttrOnAll(tid, attr)
	}
	if err == nil {
		return nil
	}
	if hint := policyHint(l, err); hint != "" {
		err = fmt.Errorf("%w: %s", err, hint)
	}
	if l.Policy == Deadline {
		return fmt.Errorf("policy deadline with %v within %v: %w", l.Runtime, l.Within, err)
	}
	return fmt.Errorf("policy %s with priority %d: %w", l.Policy, l.Priority, err)
}

// setAttrOnAll sets attributes of a thread that the kernel wants to be allowed on all CPUs first. It may
// have inherited fewer: from whoever started the program, or from a thread that was moved away from a
// lane's CPUs.
func (s system) setAttrOnAll(tid int, attr *unix.SchedAttr) error {
	before, err := s.affinity(tid)
	if err != nil {
		return err
	}
	if err := s.kernel.setAffinity(tid, everyCPU()); err != nil {
		return err
	}
	if err := s.setAttr(tid, attr); err != nil {
		return errors.Join(err, s.setAffinity(tid, before))
	}
	return nil
}

// policyHint says what to do about an error of sched_setattr(2).
func policyHint(l *Lane, err error) string {
	const capability = "give the program CAP_SYS_NICE (setcap cap_sys_nice+ep FILE)"
	switch {
	case errors.Is(err, unix.EPERM) && l.Policy == Deadline:
		return capability + "; the thread must also be allowed on all CPUs, so start the program outside of a cpuset"
	case errors.Is(err, unix.EPERM):
		return fmt.Sprintf("%s or raise RLIMIT_RTPRIO to %d (rtprio in /etc/security/limits.conf, LimitRTPRIO= in a systemd unit); in a cgroup with real-time bandwidth control, give the group some (cpu.rt_runtime_us)",
			capability, l.Priority)
	case errors.Is(err, unix.EBUSY):
		return "the deadline threads of the machine would take more than it has (95 % of the CPUs by default, see sched_rt_runtime_us); lower runtime or raise period"
	}
	return ""
}

// scheduling asks the kernel about a thread.
func (s system) scheduling(tid int) (Scheduling, error) {
	attr, err := s.getAttr(tid)
	if err != nil {
		return Scheduling{}, fmt.Errorf("read the scheduling of thread %d: %w", tid, err)
	}
	cpus, err := s.affinity(tid)
	if err != nil {
		return Scheduling{}, err
	}
	got := Scheduling{Policy: policyName(attr.Policy), Priority: int(attr.Priority), CPUs: cpus, ResetOnFork: attr.Flags&unix.SCHED_FLAG_RESET_ON_FORK != 0}
	if got.Policy == Deadline {
		got.Runtime, got.Within, got.Period = time.Duration(attr.Runtime), time.Duration(attr.Deadline), time.Duration(attr.Period)
	}
	return got, nil
}

func policyName(id uint32) Policy {
	for policy, x := range policies {
		if policy != "" && x == id {
			return policy
		}
	}
	return Policy(fmt.Sprintf("policy %d", id)) // somebody else's doing
}

// affinity lists the CPUs that a thread may run on, 0 for the calling one.
func (s system) affinity(tid int) ([]int, error) {
	var set unix.CPUSet
	if err := s.getAffinity(tid, &set); err != nil {
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

// permitted lists the CPUs that threads can be pinned to. The kernel knows, whatever kind of cpuset there
// is and from wherever it is seen: it leaves what it does not permit out of a set.
func (s system) permitted() ([]int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := s.affinity(0)
	if err != nil {
		return nil, err
	}
	if err := s.kernel.setAffinity(0, everyCPU()); err != nil {
		return nil, fmt.Errorf("find out which CPUs there are: %w", err)
	}
	cpus, err := s.affinity(0)
	return cpus, errors.Join(err, s.setAffinity(0, before))
}

// everyCPU is the set of all numbers, of which the kernel takes those that it permits.
func everyCPU() *unix.CPUSet {
	set := new(unix.CPUSet)
	for c := range maxCPU + 1 {
		set.Set(c)
	}
	return set
}

func cpuSet(cpus []int) *unix.CPUSet {
	set := new(unix.CPUSet)
	for _, c := range cpus {
		set.Set(c)
	}
	return set
}

// without returns the CPUs of a that are not in b.
func without(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(c int) bool { return slices.Contains(b, c) })
}

// common returns the CPUs of a that are in b too.
func common(a, b []int) []int { return without(a, without(a, b)) }

func setAffinity(tid int, cpus []int) error { return system{linux{}}.setAffinity(tid, cpus) }

func affinity(tid int) ([]int, error) { return system{linux{}}.affinity(tid) }
