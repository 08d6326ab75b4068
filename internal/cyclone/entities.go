package cyclone

// #include "dds/dds.h"
import "C"

// Entities returns how many entities of Cyclone DDS the process has: domains and all that is in
// them. It is for tests that look for what was left behind.
func Entities() int { return children(C.DDS_CYCLONEDDS_HANDLE) }

func children(parent C.dds_entity_t) int {
	n := C.dds_get_children(parent, nil, 0)
	if n <= 0 { // also where the library is not in use at all
		return 0
	}
	entities := make([]C.dds_entity_t, n)
	n = min(n, max(C.dds_get_children(parent, &entities[0], C.size_t(n)), 0))
	count := int(n)
	for _, e := range entities[:n] {
		count += children(e)
	}
	return count
}
