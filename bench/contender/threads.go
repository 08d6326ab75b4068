package contender

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Thread is what the kernel says about a thread.
type Thread struct {
	Name     string `json:"name"`
	Policy   string `json:"policy"`
	Priority int    `json:"priority"`
	CPUs     string `json:"cpus"`
	Switches uint64 `json:"voluntary_switches"`
}

// Usage is what a process takes.
type Usage struct {
	Threads    []Thread `json:"threads"`
	RSS        uint64   `json:"rss_bytes"`
	CPUSeconds float64  `json:"cpu_s"` // of the threads that there are
}

var policies = map[uint32]string{
	unix.SCHED_NORMAL: "other", unix.SCHED_FIFO: "fifo", unix.SCHED_RR: "rr", unix.SCHED_BATCH: "batch",
	unix.SCHED_IDLE: "idle", unix.SCHED_DEADLINE: "deadline",
}

// ReadUsage asks the kernel about a process.
func ReadUsage(pid int) (Usage, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	tasks, err := os.ReadDir(filepath.Join(dir, "task"))
	if err != nil {
		return Usage{}, err
	}
	var u Usage
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			continue
		}
		if t, err := readThread(filepath.Join(dir, "task", task.Name()), tid); err == nil { // else it has ended
			u.Threads = append(u.Threads, t)
			u.CPUSeconds += cpuSeconds(filepath.Join(dir, "task", task.Name(), "schedstat"))
		}
	}
	status := fields(filepath.Join(dir, "status"))
	u.RSS = number(status["VmRSS"]) * 1024
	return u, nil
}

func readThread(dir string, tid int) (Thread, error) {
	status := fields(filepath.Join(dir, "status"))
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		return Thread{}, err
	}
	t := Thread{Name: status["Name"], Priority: int(attr.Priority), CPUs: status["Cpus_allowed_list"],
		Switches: number(status["voluntary_ctxt_switches"])}
	var ok bool
	if t.Policy, ok = policies[attr.Policy]; !ok {
		t.Policy = fmt.Sprint(attr.Policy)
	}
	return t, nil
}

// fields reads lines of a key and a value; without the file there are none.
func fields(file string) map[string]string {
	all := map[string]string{}
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		all[key] = strings.TrimSpace(value)
	}
	return all
}

// number reads the digits that a value begins with.
func number(value string) uint64 {
	digits, _, _ := strings.Cut(value, " ")
	n, _ := strconv.ParseUint(digits, 10, 64)
	return n
}

// cpuSeconds reads how long a thread has run, the first number of its schedstat, in nanoseconds.
func cpuSeconds(file string) float64 {
	text, _ := os.ReadFile(file)
	return float64(number(string(text))) / 1e9
}

// Libraries returns the shared libraries that a process has mapped and the memory of their files.
func Libraries(pid int) (names []string, bytes uint64) {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "maps"))
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 6 || !strings.Contains(filepath.Base(f[5]), ".so") || slices.Contains(names, f[5]) {
			continue
		}
		names = append(names, f[5])
		if info, err := os.Stat(f[5]); err == nil {
			bytes += uint64(info.Size())
		}
	}
	return names, bytes
}

// Switches returns how often the threads have waited.
func (u *Usage) Switches() uint64 {
	var n uint64
	for _, t := range u.Threads {
		n += t.Switches
	}
	return n
}
