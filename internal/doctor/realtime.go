package doctor

import (
	"fmt"
	"strconv"
	"strings"
)

// lanePriority is what executor plans usually ask for.
const lanePriority = 80

func realtimePriority(s *System) (Result, error) {
	const capSysNice = 23
	if held, err := s.holds(capSysNice); held || err != nil {
		return Result{Status: Good, Found: "CAP_SYS_NICE is held"}, err
	}
	limit, err := s.limit("Max realtime priority")
	if err != nil {
		return Result{}, err
	}
	if n, err := strconv.Atoi(limit); limit == "unlimited" || err == nil && n >= lanePriority {
		return Result{Status: Good, Found: "the limit is " + limit}, nil
	}
	return Result{Status: Warning, Found: "no CAP_SYS_NICE, and the limit is " + limit,
		Why: "lanes run with the normal policy, so any other program can delay them by milliseconds",
		Fix: []string{
			`echo "$(id -un) - rtprio 98" | sudo tee /etc/security/limits.d/realtime.conf  # then log in again`,
			"# or for one program: sudo setcap cap_sys_nice+ep FILE",
		}}, nil
}

// holds tells whether the process has a capability, see capabilities(7).
func (s *System) holds(capability int) (bool, error) {
	caps, err := s.field("proc/self/status", "CapEff:")
	if err != nil {
		return false, err
	}
	effective, err := strconv.ParseUint(caps, 16, 64)
	return effective&(1<<capability) != 0, err
}

// limit returns the soft limit of a line of /proc/self/limits.
func (s *System) limit(name string) (string, error) {
	rest, err := s.field("proc/self/limits", name)
	if err != nil {
		return "", err
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return "", fmt.Errorf("/proc/self/limits: the line %s is empty", name)
	}
	return fields[0], nil
}

func realtimeThrottling(s *System) (Result, error) {
	runtime, err := s.number("proc/sys/kernel/sched_rt_runtime_us")
	if err != nil {
		return Result{}, err
	}
	period, err := s.number("proc/sys/kernel/sched_rt_period_us")
	if err != nil {
		return Result{}, err
	}
	found := fmt.Sprintf("real-time threads may use %d of %d µs", runtime, period)
	if runtime == 0 {
		return Result{Status: Bad, Found: found, Why: "real-time policies are refused or never run",
			Fix: []string{"sudo sysctl -w kernel.sched_rt_runtime_us=950000"}}, nil
	}
	if runtime < 0 {
		return Result{Status: Warning, Found: "real-time threads are not throttled",
			Why: "a real-time thread that does not sleep takes its CPU away for good",
			Fix: []string{"sudo sysctl -w kernel.sched_rt_runtime_us=950000"}}, nil
	}
	return Result{Status: Good, Found: found}, nil
}

func lockedMemory(s *System) (Result, error) {
	const capIPCLock = 14
	if held, err := s.holds(capIPCLock); held || err != nil {
		return Result{Status: Good, Found: "CAP_IPC_LOCK is held"}, err
	}
	limit, err := s.limit("Max locked memory")
	if err != nil {
		return Result{}, err
	}
	if limit == "unlimited" {
		return Result{Status: Good, Found: "the limit is unlimited"}, nil
	}
	n, err := strconv.ParseInt(limit, 10, 64)
	if err != nil {
		return Result{}, err
	}
	return Result{Status: Warning, Found: "the limit is " + size(n),
		Why: "no more than that can be locked, so a page fault can hit a lane at any time",
		Fix: []string{`echo "$(id -un) - memlock unlimited" | sudo tee /etc/security/limits.d/memlock.conf  # then log in again`}}, nil
}

func swap(s *System) (Result, error) {
	t, err := s.text("proc/swaps")
	if err != nil {
		return Result{}, err
	}
	if n := strings.Count(t, "\n"); n > 0 { // the first line is a heading
		return Result{Status: Warning, Found: fmt.Sprintf("%d swap areas are in use", n),
			Why: "a page that was swapped out comes back in milliseconds", Fix: []string{"sudo swapoff -a"}}, nil
	}
	return Result{Status: Good, Found: "none"}, nil
}

func preemption(s *System) (Result, error) {
	if n, err := s.number("sys/kernel/realtime"); err == nil && n == 1 {
		return Result{Status: Good, Found: "PREEMPT_RT"}, nil
	}
	version, err := s.text("proc/version")
	if err != nil {
		return Result{}, err
	}
	for _, model := range []string{"PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT"} {
		if !strings.Contains(version, model) {
			continue
		}
		r := Result{Status: Good, Found: model}
		if model == "PREEMPT_DYNAMIC" {
			r.Why = "the model in force is chosen at boot with preempt=full, voluntary or none"
		}
		return r, nil
	}
	return Result{Status: Warning, Found: "the kernel is not preemptible",
		Why: "a system call of another program can delay a lane by milliseconds",
		Fix: []string{"# boot a kernel with PREEMPT_RT (Debian: sudo apt-get install linux-image-rt-amd64)"}}, nil
}
