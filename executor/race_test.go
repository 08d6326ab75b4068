//go:build race

package executor_test

// The race detector allocates on its own account.
const countAllocations = false
