//go:build !race && !asan

package executor_test

const countAllocations = true
