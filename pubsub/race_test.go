//go:build race

package pubsub_test

// The race detector allocates on its own account.
const countAllocations = false
