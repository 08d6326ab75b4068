package cyclone

// #include <stdlib.h>
// #include "dds/dds.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// Domain is one instance of the DDSI stack: sockets, threads and discovery of its own.
type Domain struct {
	id     uint32
	entity C.dds_entity_t
	turn   *turn
}

// NewDomain creates the domain instance with the given id from a configuration in Cyclone DDS's
// XML, of which later parts win. The id must not be in use in the process; it is also the id on the
// wire unless the configuration sets Discovery/ExternalDomainId. What Cyclone DDS says about a failure
// is in the error.
func NewDomain(id uint32, config string) (*Domain, error) {
	text := C.CString(config)
	defer C.free(unsafe.Pointer(text))
	var entity C.dds_entity_t
	if err := explained(func() error {
		entity = C.dds_create_domain(C.dds_domainid_t(id), text)
		return check(entity)
	}); err != nil {
		return nil, fmt.Errorf("create domain instance %d: %w", id, err)
	}
	turn, err := newTurn()
	if err != nil {
		C.dds_delete(entity)
		return nil, fmt.Errorf("create domain instance %d: %w", id, err)
	}
	return &Domain{id: id, entity: entity, turn: turn}, nil
}

// ID returns the id inside the process.
func (d *Domain) ID() uint32 { return d.id }

// Close deletes the domain instance with all that is still in it and ends its threads.
func (d *Domain) Close() error { return check(C.dds_delete(d.entity)) }
