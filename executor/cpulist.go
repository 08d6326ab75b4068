package executor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// AllowedCPUs lists the CPUs that the process uses unless its threads are told otherwise: what it has
// inherited, without those that are isolated (isolcpus).
func AllowedCPUs() ([]int, error) { return affinity(0) }

// PermittedCPUs lists the CPUs that lanes and workers may be pinned to: those of the process's cpuset that
// are online, isolated or not. Whoever started the program may have kept it off some of them (taskset,
// CPUAffinity= of systemd), but plans win over that.
func PermittedCPUs() ([]int, error) { return system{linux{}}.permitted() }

// maxCPU is the highest number that the kernel's interface for CPU sets takes here.
const maxCPU = 1023

// ParseCPUs reads a list as the kernel writes it, "0-3,6".
func ParseCPUs(text string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		low, high, isRange := strings.Cut(part, "-")
		first, err := parseCPU(low)
		last := first
		if err == nil && isRange {
			last, err = parseCPU(high)
		}
		if err != nil || last < first {
			return nil, fmt.Errorf("CPUs %q: a list such as 0-3,6 is wanted", text)
		}
		for c := first; c <= last; c++ {
			if !slices.Contains(cpus, c) {
				cpus = append(cpus, c)
			}
		}
	}
	slices.Sort(cpus)
	return cpus, nil
}

// FormatCPUs writes a list as ParseCPUs reads it, "0,1,6".
func FormatCPUs(cpus []int) string {
	texts := make([]string, len(cpus))
	for i, c := range cpus {
		texts[i] = strconv.Itoa(c)
	}
	return strings.Join(texts, ",")
}

func parseCPU(text string) (int, error) {
	c, err := strconv.ParseUint(text, 10, 32)
	if err == nil && c > maxCPU {
		err = strconv.ErrRange
	}
	return int(c), err
}
