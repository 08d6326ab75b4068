package suite

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pinion-ros/pinion/bench/contender"
)

// Placements of the sender and the critical thread, which are SCHED_FIFO where permitted.
const (
	Same  = "same"  // both on one CPU, the rest of the receiver on the others
	Split = "split" // each on a CPU of its own
	Free  = "free"  // wherever the kernel puts them, with the normal policy
)

// Placements tells what each is.
var Placements = map[string]string{
	Same:  "the sending thread and the critical callback's on one CPU, the receiver's background on the others",
	Split: "the sending thread and the critical callback's on one CPU each",
	Free:  "threads wherever the kernel puts them, with the normal policy",
}

const priority = 60

// place sets how the critical threads are scheduled.
func place(placement string, cpus []int, sender bool, c *contender.Config) error {
	if len(cpus) == 1 && placement != Free {
		return fmt.Errorf("placement %s needs two CPUs, this process may use one: %v", placement, cpus)
	}
	n := len(cpus)
	critical, background := cpus[n-1:], cpus[:n-1]
	switch placement {
	case Same:
	case Split:
		if sender {
			critical = cpus[n-2 : n-1]
		}
		if n > 2 {
			background = cpus[:n-2]
		}
	case Free:
		c.Policy = "other"
		return nil
	default:
		return fmt.Errorf("placement %q is unknown; there are %s, %s and %s", placement, Same, Split, Free)
	}
	c.Policy, c.Priority = "fifo", priority
	c.CPUs, c.BackgroundCPUs = list(critical), list(background)
	return nil
}

func list(cpus []int) string {
	var words []string
	for _, c := range cpus {
		words = append(words, strconv.Itoa(c))
	}
	return strings.Join(words, ",")
}
