//go:build !race

package executor_test

const countAllocations = true
