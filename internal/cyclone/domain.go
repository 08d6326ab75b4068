package cyclone

// #include <stdlib.h>
// #include "domain.h"
import "C"

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"
)

// Domain is one instance of the DDSI stack: sockets, threads and discovery of its own.
type Domain struct {
	id     uint32
	entity C.dds_entity_t
	turn   *turn
}

// creating keeps what is said about one domain apart from what is said about another.
var creating sync.Mutex

// NewDomain creates the domain instance with the given id from a configuration in Cyclone DDS's
// XML, of which later parts win. The id must not be in use in the process; it is also the id on the
// wire unless the configuration sets Discovery/ExternalDomainId. What Cyclone DDS says about a failure
// is in the error.
func NewDomain(id uint32, config string) (*Domain, error) {
	text := C.CString(config)
	defer C.free(unsafe.Pointer(text))
	creating.Lock()
	defer creating.Unlock()
	var said [4096]C.char
	entity := C.pn_domain_new(C.dds_domainid_t(id), text, &said[0], C.size_t(len(said)))
	messages := strings.ReplaceAll(strings.TrimSpace(C.GoString(&said[0])), "\n", "; ")
	if err := check(entity); err != nil {
		return nil, fmt.Errorf("create domain instance %d: %w: %s", id, err, messages)
	}
	if messages != "" {
		fmt.Fprintln(os.Stderr, messages)
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
