package executor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// AllowedCPUs lists the CPUs that the process may use.
func AllowedCPUs() ([]int, error) { return affinity(0) }

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

func parseCPU(text string) (int, error) {
	c, err := strconv.ParseUint(text, 10, 32)
	if err == nil && c > maxCPU {
		err = strconv.ErrRange
	}
	return int(c), err
}
