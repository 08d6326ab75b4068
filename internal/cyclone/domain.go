package cyclone

// #include <stdlib.h>
// #include "domain.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// Domain is one instance of the DDSI stack: sockets, threads and discovery of its own.
type Domain struct {
	id     uint32
	entity C.dds_entity_t
	gv     *C.struct_ddsi_domaingv
	turn   *turn
}

// NewDomain creates the domain instance with the given id from a configuration in Cyclone DDS's
// XML, of which later parts win. The id must not be in use in the process; it is also the id on the
// wire unless the configuration sets Discovery/ExternalDomainId. What Cyclone DDS says about a failure
// is in the error. Without enough free descriptors that is EMFILE or ENFILE.
func NewDomain(id uint32, config string) (*Domain, error) {
	if err := checkDescriptors(); err != nil {
		return nil, fmt.Errorf("create domain instance %d: %w", id, err)
	}
	text := C.CString(config)
	defer C.free(unsafe.Pointer(text))
	d := &Domain{id: id}
	if err := explained(func() error {
		d.entity = C.pn_domain_new(C.dds_domainid_t(id), text, &d.gv)
		return check(d.entity)
	}); err != nil {
		return nil, fmt.Errorf("create domain instance %d: %w", id, err)
	}
	var err error
	if d.turn, err = newTurn(); err != nil {
		C.dds_delete(d.entity)
		return nil, fmt.Errorf("create domain instance %d: %w", id, err)
	}
	return d, nil
}

// ID returns the id inside the process.
func (d *Domain) ID() uint32 { return d.id }

// Close deletes the domain instance with all that is still in it and ends its threads.
func (d *Domain) Close() error { return check(C.dds_delete(d.entity)) }
