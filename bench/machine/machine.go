// Package machine describes the machine that a bench runs on, as its kernel tells.
package machine

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Machine is what results are worthless without. What the kernel does not tell is empty.
type Machine struct {
	System      string `json:"system"`
	Kernel      string `json:"kernel"`
	Preemption  string `json:"preemption"`
	CPU         string `json:"cpu"`
	Cores       int    `json:"cores"`
	AllowedCPUs string `json:"allowed_cpus"` // of this process
	Governor    string `json:"governor"`     // of CPU 0; "none" where frequencies are not the kernel's
	Isolated    string `json:"isolated_cpus"`
	NoHzFull    string `json:"nohz_full_cpus"`
	Clock       string `json:"clock_source"`
	Virtualised string `json:"virtualised"` // "no", or what tells that it is
	MemoryBytes uint64 `json:"memory_bytes"`
	RTLimit     string `json:"rtprio_limit"`  // RLIMIT_RTPRIO, soft
	RTRuntime   string `json:"rt_runtime_us"` // of each rt_period_us for real-time threads, -1 for all
	MemoryLock  string `json:"memlock_limit"`
	Root        bool   `json:"root"`
	Cyclone     string `json:"cyclone_version"` // of the library that is mapped into this process
	Go          string `json:"go_version"`
	Arch        string `json:"arch"`
	MaxProcs    int    `json:"gomaxprocs"`
	GOGC        int    `json:"gogc"`   // -1 for off
	Policy      string `json:"policy"` // of this process
	Before      Load   `json:"before"`
	After       *Load  `json:"after"`
	Time        string `json:"time"` // when Before was taken, RFC 3339
}

// Load is how busy the machine is.
type Load struct {
	Average [3]float64 `json:"load_average"` // over 1, 5 and 15 minutes
	// Steal is the time in seconds since boot, over all CPUs, in which a hypervisor kept virtual CPUs
	// from running.
	Steal float64 `json:"steal_s"`
}

// Describe asks the kernel.
func Describe() Machine {
	m := Machine{
		System: osRelease(), Kernel: kernel(), Preemption: preemption(), CPU: field("/proc/cpuinfo", "model name"),
		Cores: runtime.NumCPU(), AllowedCPUs: field("/proc/self/status", "Cpus_allowed_list"),
		Governor: cmp.Or(line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), "none"),
		Isolated: line("/sys/devices/system/cpu/isolated"), NoHzFull: line("/sys/devices/system/cpu/nohz_full"),
		Clock:       line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
		Virtualised: virtualised(), MemoryBytes: memory(),
		RTLimit: limit(unix.RLIMIT_RTPRIO), MemoryLock: limit(unix.RLIMIT_MEMLOCK),
		RTRuntime: line("/proc/sys/kernel/sched_rt_runtime_us"), Root: os.Geteuid() == 0,
		Cyclone: cyclone(), Go: runtime.Version(), Arch: runtime.GOARCH, MaxProcs: runtime.GOMAXPROCS(0), GOGC: gogc(),
		Policy: policy(), Before: ReadLoad(), Time: time.Now().Format(time.RFC3339),
	}
	m.CPU = cmp.Or(m.CPU, field("/proc/cpuinfo", "CPU part"), runtime.GOARCH)
	return m
}

// ReadLoad asks the kernel how busy the machine is.
func ReadLoad() Load {
	var l Load
	for i, word := range strings.Fields(line("/proc/loadavg")) {
		if i < len(l.Average) {
			l.Average[i] = number(word)
		}
	}
	// The eighth number behind "cpu", in ticks of 10 ms: proc_stat(5).
	if f := strings.Fields(line("/proc/stat")); len(f) > 8 {
		l.Steal = number(f[8]) / 100
	}
	return l
}

// StealShare returns which share of the machine's CPU time was stolen during a time in seconds.
func (m *Machine) StealShare(seconds float64) float64 {
	if m.After == nil || seconds <= 0 {
		return 0
	}
	return (m.After.Steal - m.Before.Steal) / seconds / float64(m.Cores)
}

func number(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return f
}

// line returns the first line of a file, "" without the file.
func line(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}

// field returns the first value of a key in a file of keys and values.
func field(file, key string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for l := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	text := func(b []byte) string { return string(bytes.TrimRight(b, "\x00")) }
	return text(u.Release[:]) + " " + text(u.Version[:])
}

func preemption() string {
	if line("/sys/kernel/realtime") == "1" {
		return "PREEMPT_RT"
	}
	version := kernel()
	for _, name := range []string{"PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT"} {
		if strings.Contains(version, name) {
			return name
		}
	}
	return "none"
}

func osRelease() string {
	text, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return runtime.GOOS
	}
	for l := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(l, "PRETTY_NAME="); ok {
			return strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	return runtime.GOOS
}

func memory() uint64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	return info.Totalram * uint64(info.Unit)
}

// virtualised looks at what the processor says and at what the firmware is called.
func virtualised() string {
	vendor := strings.TrimSpace(line("/sys/class/dmi/id/sys_vendor") + " " + line("/sys/class/dmi/id/product_name"))
	if slices.Contains(strings.Fields(field("/proc/cpuinfo", "flags")), "hypervisor") {
		return cmp.Or(vendor, line("/sys/hypervisor/type"), "a hypervisor")
	}
	for _, name := range []string{"QEMU", "KVM", "VMware", "VirtualBox", "Xen"} {
		if strings.Contains(vendor, name) {
			return vendor
		}
	}
	return "no"
}

func limit(resource int) string {
	var l unix.Rlimit
	if err := unix.Getrlimit(resource, &l); err != nil {
		return ""
	}
	if l.Cur == unix.RLIM_INFINITY {
		return "unlimited"
	}
	return strconv.FormatUint(l.Cur, 10)
}

func policy() string {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return ""
	}
	switch attr.Policy {
	case unix.SCHED_NORMAL:
		return "other"
	case unix.SCHED_FIFO:
		return "fifo " + strconv.Itoa(int(attr.Priority))
	case unix.SCHED_RR:
		return "rr " + strconv.Itoa(int(attr.Priority))
	}
	return strconv.Itoa(int(attr.Policy))
}

var cycloneFile = regexp.MustCompile(`/libddsc\.so\.(\d[^\s]*)`)

// cyclone reads the version from the name of the library file that is mapped into this process.
func cyclone() string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return ""
	}
	for l := range strings.Lines(string(maps)) {
		file := strings.TrimSpace(l[strings.LastIndex(l, " ")+1:])
		if !strings.HasPrefix(filepath.Base(file), "libddsc.") {
			continue
		}
		if m := cycloneFile.FindStringSubmatch(file); m != nil {
			return m[1]
		}
	}
	return ""
}

// gogc reads the setting, for which there is no other way.
func gogc() int {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent
}
