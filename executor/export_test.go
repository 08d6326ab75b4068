package executor

import "time"

// EveryCPU is the set of all numbers, see everyCPU.
var EveryCPU = everyCPU

// ErrNoMonitor is of a runtime whose monitor thread has not been found yet.
var ErrNoMonitor = errNoMonitor

// SetPatience sets how long Run waits for callbacks in its end until it complains.
func SetPatience(e *Executor, d time.Duration) { e.patience = d }

// BreakWorkers has the pool's workers fail when they start.
func BreakWorkers(e *Executor) { e.background.(*pool).plan.CPUs = []int{1023} }
