//go:build !cgo

package cyclone

// This package needs cgo: a C compiler for the target, and CGO_ENABLED=1, which Go does not set by
// itself when it compiles for another machine. docs/deploying.md has the commands.
var _ = pinion_needs_cgo_and_a_C_compiler_for_the_target
