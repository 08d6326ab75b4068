package executor

import (
	"fmt"
	"slices"
)

// A cpuShare is how lanes and the rest of a process divide CPUs.
type cpuShare struct {
	lanes      []int // of the lanes, those in other processes too; none if all CPUs were
	rest       []int // of all other threads; none if lanes take all, and share them
	background []int // of the rest, those that the plan gives to workers
}

// checkRealtime returns an error if lanes of one process can keep everything else off the available CPUs.
func checkRealtime(lanes []Lane, available []int) error {
	var taken []int
	free := 0 // lanes without CPUs of their own
	for _, l := range lanes {
		if l.Policy.realtime() {
			taken = append(taken, l.CPUs...)
			if len(l.CPUs) == 0 {
				free++
			}
		}
	}
	if len(taken)+free == 0 || len(without(available, taken)) > free {
		return nil
	}
	return fmt.Errorf("lanes with real-time policies can take all of the CPUs %v, and none is left for the rest of the process: its other threads, which hold locks of the Go runtime that the lanes wait for, could not run for up to a second; give the lanes fewer cpus, or policy other, or accept that with WithSharedCPUs", available)
}

// share divides the available CPUs between lanes of a process, all others of the plan in others, and the rest.
func (b *Background) share(lanes, others []Lane, available []int) (cpuShare, error) {
	own := cpusOf(lanes)
	s := cpuShare{lanes: append(own, cpusOf(others)...), background: b.CPUs}
	// CPUs of lanes in other processes are left alone too, as long as others are there.
	if s.rest = without(available, s.lanes); len(s.rest) == 0 {
		s.lanes, s.rest = own, without(available, own)
	}
	if len(s.lanes) == 0 || len(s.rest) == 0 || len(b.CPUs) == 0 {
		return s, nil
	}
	if s.background = without(b.CPUs, s.lanes); len(s.background) == 0 {
		return s, fmt.Errorf("the CPUs %v of the background are all lanes' own; give it others, or accept that with WithSharedCPUs", b.CPUs)
	}
	return s, nil
}

func cpusOf(lanes []Lane) []int {
	var cpus []int
	for _, l := range lanes {
		cpus = append(cpus, l.CPUs...)
	}
	return slices.Clip(cpus)
}

// ValidateShares returns faults where lanes leave the rest of the program no CPU, in any of its processes.
// New refuses such plans, except with WithSharedCPUs; with WithBestEffort it does without real-time policies
// that could take all CPUs. Available are those that the program's threads may use unless they are told
// otherwise, on the machine at hand AllowedCPUs.
func (p *Plan) ValidateShares(available []int) error {
	v := validator{plan: p}
	first := PartPlan{} // the process that has no name
	for _, part := range append([]PartPlan{first}, p.AllParts()...) {
		lanes, others := p.divide(part.Name)
		if err := checkRealtime(lanes, available); err != nil {
			i := slices.IndexFunc(lanes, func(l Lane) bool { return l.Policy.realtime() })
			v.fault(err.Error(), "lanes", lanes[i].Name, "cpus")
		}
		if _, err := p.Background.share(lanes, others, available); err != nil && part.Name == "" {
			v.fault(err.Error(), "background", "cpus")
		}
	}
	return joinFaults(v.faults)
}

// divide returns the lanes in a part, "" for the first process, and those in others.
func (p *Plan) divide(part string) (in, others []Lane) {
	for _, l := range p.Lanes {
		if l.part() == part {
			in = append(in, l)
		} else {
			others = append(others, l)
		}
	}
	return in, others
}
