// Package cyclone is the binding to Eclipse Cyclone DDS 0.10 and 11: domain instances, participants,
// topics on one opaque type, readers and writers, and the ways in which data reaches Go.
//
// It knows nothing of ROS 2 and nothing of messages: a sample is a block of bytes, encapsulation
// header first. It is the only package of the module that imports "C".
//
// Samples and loans are memory of the C library. Whoever gets one gives it back; the documentation
// of each function says when.
package cyclone

// #cgo pkg-config: CycloneDDS
// #cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra -Werror
// #include "entity.h"
import "C"

// Version is the version of Cyclone DDS that the package was compiled against.
const Version = C.DDS_VERSION

// Samples returns how many samples and ends of instances reached the types of the process's topics from
// outside of their domain instance, and how many of these they refused, because bytes were missing or no
// key was in them.
func Samples() (reached, refused uint64) {
	var r, f C.uint64_t
	C.pn_samples(&r, &f)
	return uint64(r), uint64(f)
}

// Eleven is whether that is 11.x, with which Cyclone DDS's messages are not part of errors, and samples
// that were overwritten count as lost, from the first on that was taken: the library does not export
// what the package uses of 0.10 to tell more.
const Eleven = C.DDS_VERSION_MAJOR >= 11
