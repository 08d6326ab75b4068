package executor

// BreakWorkers has the pool's workers fail when they start.
func BreakWorkers(e *Executor) { e.background.(*pool).plan.CPUs = []int{1023} }
