//go:build !race && !asan

package pubsub_test

const countAllocations = true
