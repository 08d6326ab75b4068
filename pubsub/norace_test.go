//go:build !race

package pubsub_test

const countAllocations = true
