package doctor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pinion-ros/pinion/executor"
)

const cpuDir = "sys/devices/system/cpu"

func governor(s *System) (Result, error) {
	files, err := fs.Glob(s.Root, cpuDir+"/cpu[0-9]*/cpufreq/scaling_governor")
	if err != nil {
		return Result{}, err
	}
	if len(files) == 0 {
		return Result{}, errors.New("the kernel does not control the frequency here")
	}
	var others []string
	for _, f := range files {
		g, err := s.text(f)
		if err != nil {
			return Result{}, err
		}
		if g != "performance" && !slices.Contains(others, g) {
			others = append(others, g)
		}
	}
	if len(others) > 0 {
		return Result{Status: Warning, Found: strings.Join(others, ", "),
			Why: "a CPU that was slowed down takes longer to wake up and to run the callback",
			Fix: []string{"echo performance | sudo tee /" + cpuDir + "/cpu*/cpufreq/scaling_governor"}}, nil
	}
	return Result{Status: Good, Found: "performance"}, nil
}

// deepIdle is the exit latency in µs above which an idle state spoils a 1 kHz loop.
const deepIdle = 20

func idleStates(s *System) (Result, error) {
	// Programs that hold the device open keep CPUs out of states that take longer to leave.
	if b, err := fs.ReadFile(s.Root, "dev/cpu_dma_latency"); err == nil && len(b) == 4 {
		if limit := binary.NativeEndian.Uint32(b); limit <= deepIdle {
			return Result{Status: Good, Found: fmt.Sprintf("/dev/cpu_dma_latency allows %d µs", limit)}, nil
		}
	}
	states, err := fs.Glob(s.Root, cpuDir+"/cpu0/cpuidle/state*")
	if err != nil {
		return Result{}, err
	}
	if len(states) == 0 {
		return Result{}, errors.New("the kernel does not control idle states here")
	}
	var deepest int64
	for _, dir := range states {
		latency, err := s.number(dir + "/latency")
		if err != nil {
			return Result{}, err
		}
		if disabled, err := s.number(dir + "/disable"); err == nil && disabled != 0 {
			continue
		}
		deepest = max(deepest, latency)
	}
	found := fmt.Sprintf("the deepest takes %d µs to leave", deepest)
	if deepest > deepIdle {
		return Result{Status: Warning, Found: found, Why: "that is added to each wake-up of an idle CPU",
			Fix: []string{
				`for d in /` + cpuDir + `/cpu*/cpuidle/state*; do [ "$(cat $d/latency)" -gt 20 ] && echo 1 | sudo tee $d/disable; done`,
				"# or keep /dev/cpu_dma_latency open with the 32-bit value 0 in it",
			}}, nil
	}
	return Result{Status: Good, Found: found}, nil
}

func isolatedCPUs(s *System) (Result, error) {
	isolated, err := s.cpuList(cpuDir + "/isolated")
	if err != nil {
		return Result{}, err
	}
	online, err := s.cpuList(cpuDir + "/online")
	if err != nil {
		return Result{}, err
	}
	if c, missing := absent(s.CPUs, online); missing {
		return Result{Status: Bad, Found: fmt.Sprintf("CPU %d does not exist or is off; there are %s", c, executor.FormatCPUs(online)),
			Why: "a plan that names it is refused"}, nil
	}
	if _, shared := absent(s.CPUs, isolated); len(isolated) > 0 && !shared {
		return Result{Status: Good, Found: executor.FormatCPUs(isolated)}, nil
	}
	if len(online) < 2 {
		return Result{Status: Warning, Found: "none; there is one CPU",
			Why: "lanes share it with everything else, and real-time policies are not used"}, nil
	}
	r := Result{Status: Warning, Found: "none", Why: "the kernel and other programs use the lanes' CPUs as well"}
	if len(isolated) > 0 {
		r.Found = executor.FormatCPUs(isolated) + ", not all of " + executor.FormatCPUs(s.CPUs)
	}
	lanes := slices.Concat(isolated, s.CPUs)
	if len(lanes) == 0 {
		lanes = online[len(online)-1:]
	}
	slices.Sort(lanes)
	lanes = slices.Compact(lanes)
	rest := slices.DeleteFunc(slices.Clone(online), func(c int) bool { return slices.Contains(lanes, c) })
	if len(rest) == 0 {
		r.Why += "; leave them one that is not for lanes"
		return r, nil
	}
	r.Fix = []string{fmt.Sprintf("# add to the kernel's command line: isolcpus=%[1]s nohz_full=%[1]s rcu_nocbs=%[1]s irqaffinity=%[2]s",
		executor.FormatCPUs(lanes), executor.FormatCPUs(rest))}
	return r, nil
}

// absent returns the first of cpus that is not among all.
func absent(cpus, all []int) (cpu int, found bool) {
	i := slices.IndexFunc(cpus, func(c int) bool { return !slices.Contains(all, c) })
	if i < 0 {
		return 0, false
	}
	return cpus[i], true
}

func interrupts(s *System) (Result, error) {
	cpus := s.CPUs
	if len(cpus) == 0 {
		var err error
		if cpus, err = s.cpuList(cpuDir + "/isolated"); err != nil {
			return Result{}, err
		}
	}
	if len(cpus) == 0 {
		return Result{Status: Good, Found: "no CPUs are set apart"}, nil
	}
	online, err := s.cpuList(cpuDir + "/online")
	if err != nil {
		return Result{}, err
	}
	if c, missing := absent(cpus, online); missing {
		return Result{}, fmt.Errorf("CPU %d does not exist or is off", c)
	}
	files, err := fs.Glob(s.Root, "proc/irq/[0-9]*/effective_affinity_list")
	if err != nil {
		return Result{}, err
	}
	var irqs []string
	for _, f := range files {
		served, err := s.cpuList(f)
		if err != nil {
			return Result{}, err
		}
		if slices.ContainsFunc(served, func(c int) bool { return slices.Contains(cpus, c) }) {
			irqs = append(irqs, path.Base(path.Dir(f)))
		}
	}
	if len(irqs) == 0 {
		return Result{Status: Good, Found: "none on " + cpuNames(cpus)}, nil
	}
	rest := slices.DeleteFunc(online, func(c int) bool { return slices.Contains(cpus, c) })
	r := Result{Status: Warning, Found: fmt.Sprintf("interrupts %s on %s", strings.Join(irqs, ", "), cpuNames(cpus)),
		Why: "each of them delays the lane on its CPU"}
	if len(rest) == 0 {
		return r, nil
	}
	for _, irq := range irqs {
		r.Fix = append(r.Fix, fmt.Sprintf("echo %s | sudo tee /proc/irq/%s/smp_affinity_list", executor.FormatCPUs(rest), irq))
	}
	return r, nil
}

func clockSource(s *System) (Result, error) {
	const dir = "sys/devices/system/clocksource/clocksource0/"
	current, err := s.text(dir + "current_clocksource")
	if err != nil {
		return Result{}, err
	}
	switch current {
	case "tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen":
		return Result{Status: Good, Found: current}, nil
	}
	r := Result{Status: Warning, Found: current, Why: "reading the clock is a system call of about a microsecond"}
	if available, err := s.text(dir + "available_clocksource"); err == nil && slices.Contains(strings.Fields(available), "tsc") {
		r.Fix = []string{"echo tsc | sudo tee /" + dir + "current_clocksource"}
	}
	return r, nil
}

func virtualMachine(s *System) (Result, error) {
	info, err := s.text("proc/cpuinfo")
	if err != nil {
		return Result{}, err
	}
	for line := range strings.Lines(info) {
		if strings.HasPrefix(line, "flags") && slices.Contains(strings.Fields(line), "hypervisor") {
			return Result{Status: Warning, Found: "this is a virtual machine",
				Why: "wake-ups and timer interrupts cost 10 to 60 µs each, and the host can take CPUs away"}, nil
		}
	}
	return Result{Status: Good, Found: "no sign of one"}, nil
}

// cpuList reads a list such as "0-2,5".
func (s *System) cpuList(name string) ([]int, error) {
	t, err := s.text(name)
	if err != nil || t == "" {
		return nil, err
	}
	var cpus []int
	for part := range strings.SplitSeq(t, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		a, err := strconv.Atoi(first)
		if err != nil {
			return nil, fmt.Errorf("/%s: %q is no list of CPUs", name, t)
		}
		b, err := strconv.Atoi(last)
		if err != nil || b < a || b-a > 1<<16 {
			return nil, fmt.Errorf("/%s: %q is no list of CPUs", name, t)
		}
		for c := a; c <= b; c++ {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}

// cpuNames writes a list as "CPU 3" or "CPUs 2,3".
func cpuNames(cpus []int) string {
	if len(cpus) == 1 {
		return "CPU " + executor.FormatCPUs(cpus)
	}
	return "CPUs " + executor.FormatCPUs(cpus)
}
