package executor

import (
	"fmt"
	"runtime"
)

// Budget compares what the Go scheduler has with what the executor's threads need. A thread that runs
// Go code needs one of GOMAXPROCS processors (Ps); a lane that comes back from C and finds none waits
// for the Go scheduler, whatever its priority in the kernel.
//
// Ps cost next to nothing as long as nothing uses them. With more of them than CPUs, goroutines that
// compute share the CPUs by the kernel's time slices.
type Budget struct {
	Lanes     int // threads that run lanes
	Workers   int // threads of the background pool
	Spare     int // for the program's other goroutines, see WithSpareProcs
	Collector int // for the garbage collector, which takes a quarter of all while it marks
	Procs     int // GOMAXPROCS
}

// Need returns the least GOMAXPROCS that the budget asks for.
func (b Budget) Need() int { return b.Lanes + b.Workers + b.Spare + b.Collector }

// defaultSpare lets four goroutines compute beside the lanes.
const defaultSpare = 4

// maxSpare keeps a slip from making the Go scheduler allocate all memory for Ps.
const maxSpare = 1024

// WithSpareProcs sets how many of the program's own goroutines may compute at the same time without the
// lanes noticing, 4 by default. Goroutines that wait do not count. Stats shows when there were more.
func WithSpareProcs(n int) Option {
	return func(e *Executor) error {
		if n < 0 || n > maxSpare {
			return fmt.Errorf("%d spare processors; 0 to %d are possible", n, maxSpare)
		}
		e.spare = n
		return nil
	}
}

// WithFixedProcs forbids Run to raise GOMAXPROCS; it fails where that is needed.
func WithFixedProcs() Option {
	return func(e *Executor) error {
		e.fixedProcs = true
		return nil
	}
}

func newBudget(lanes, workers, spare int) Budget {
	b := Budget{Lanes: lanes, Workers: workers, Spare: spare, Procs: runtime.GOMAXPROCS(0)}
	b.Collector = (b.Need() + 2) / 3 // a quarter of the sum
	return b
}

// ensure raises GOMAXPROCS to what is needed, or fails where that is forbidden. In both cases Go does
// not change it any more on its own account, as it would when threads are moved off the lanes' CPUs.
func (b Budget) ensure(fixed bool) (Budget, error) {
	if b.Procs < b.Need() && fixed {
		return b, fmt.Errorf("GOMAXPROCS is %d, and %d are needed: %d for lanes, %d for workers, %d spare, %d for the garbage collector; raise it, or leave out WithFixedProcs",
			b.Procs, b.Need(), b.Lanes, b.Workers, b.Spare, b.Collector)
	}
	b.Procs = max(b.Procs, b.Need())
	runtime.GOMAXPROCS(b.Procs)
	return b, nil
}
