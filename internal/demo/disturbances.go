package demo

import (
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/bench/machine"
)

// disturbances tells what about the machine the figures suffer from. The demo took about the time
// given.
func disturbances(m *machine.Machine, d time.Duration) []string {
	var texts []string
	if m.Virtualised != "no" {
		texts = append(texts, "this is a virtual machine: wake-ups cost more, and its host can take CPUs away, which shows in max and sometimes in p99")
	}
	if share := m.StealShare(d.Seconds()); share >= 0.005 {
		texts = append(texts, fmt.Sprintf("the host took %.1f %% of the CPUs' time meanwhile", 100*share))
	}
	if load := m.Before.Average[0]; load > float64(m.Cores)/4 {
		texts = append(texts, fmt.Sprintf("other programs were busy before: a load of %.1f in the last minute, with %d CPUs", load, m.Cores))
	}
	return texts
}
