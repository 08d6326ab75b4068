//go:build race || asan

package executor_test

// The race detector and AddressSanitizer allocate on their own account.
const countAllocations = false
