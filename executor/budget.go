package executor

import (
	"fmt"
	"runtime"
)

// Budget compares what the Go scheduler has with what the executor's threads need. A thread that runs
// Go code needs one of GOMAXPROCS processors (Ps); a lane that comes back from C and finds none waits
// for the Go scheduler, whatever its priority in the kernel.
type Budget struct {
	Lanes   int // threads that run lanes
	Workers int // threads of the background pool
	Spare   int // for all other goroutines and the garbage collector
	Procs   int // GOMAXPROCS
}

// Need returns the least GOMAXPROCS that the budget asks for.
func (b Budget) Need() int { return b.Lanes + b.Workers + b.Spare }

// spare is one for the program's own goroutines and one for the garbage collector, which takes a
// quarter of the processors while it marks.
func spare(busy int) int { return 1 + (busy+1+2)/3 }

func newBudget(lanes, workers int) Budget {
	return Budget{Lanes: lanes, Workers: workers, Spare: spare(lanes + workers), Procs: runtime.GOMAXPROCS(0)}
}

// ensure raises GOMAXPROCS to what is needed, or fails where that is forbidden.
func (b Budget) ensure(fixed bool) (Budget, error) {
	if b.Procs >= b.Need() {
		return b, nil
	}
	if fixed {
		return b, fmt.Errorf("GOMAXPROCS is %d, and %d are needed: %d for lanes, %d for workers, %d spare; raise it, or leave out WithFixedProcs",
			b.Procs, b.Need(), b.Lanes, b.Workers, b.Spare)
	}
	runtime.GOMAXPROCS(b.Need())
	b.Procs = b.Need()
	return b, nil
}
