//go:build race || asan

package pubsub_test

// The race detector and AddressSanitizer allocate on their own account.
const countAllocations = false
