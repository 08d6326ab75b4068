package cyclone

// #include "entity.h"
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// EventKind tells what happened to a reader or writer.
type EventKind uint32

// The kinds of events, named after the DDS statuses (DDS 1.4, 2.2.4.1).
const (
	Matched           EventKind = C.PN_MATCHED
	IncompatibleQoS   EventKind = C.PN_INCOMPATIBLE_QOS
	DeadlineMissed    EventKind = C.PN_DEADLINE_MISSED
	LivelinessLost    EventKind = C.PN_LIVELINESS_LOST
	LivelinessChanged EventKind = C.PN_LIVELINESS_CHANGED
	SampleLost        EventKind = C.PN_SAMPLE_LOST
	SampleRejected    EventKind = C.PN_SAMPLE_REJECTED

	EventKinds = C.PN_SAMPLE_REJECTED + 1
)

// Event is a change of an endpoint's status.
type Event struct {
	Kind          EventKind
	Total         uint32 // since creation; LivelinessChanged: alive now
	Current       uint32 // Matched: now; LivelinessChanged: not alive now
	Change        int32  // of Total since the last event
	CurrentChange int32
	Policy        uint32 // IncompatibleQoS: DDS policy id of the last case
	Peer          uint64 // instance handle of the peer, 0 where there is none
}

var _ [unsafe.Sizeof(Event{}) - C.sizeof_pn_event]struct{}
var _ [C.sizeof_pn_event - unsafe.Sizeof(Event{})]struct{}

// endpoint is what readers and writers share.
type endpoint struct {
	token   uint64
	c       *C.pn_endpoint
	guid    GUID
	event   func(Event)
	deliver func(int, []Sample)
	owner   any

	closed atomic.Bool
	use    sync.RWMutex // held for reading while c is in use
}

// register makes the endpoint known to callbacks before the first of them can come.
func (e *endpoint) register() { e.token = endpoints.add(e) }

// enter tells whether c may be used; then leave must follow.
func (e *endpoint) enter() bool {
	e.use.RLock()
	if !e.closed.Load() {
		return true
	}
	e.use.RUnlock()
	return false
}

func (e *endpoint) leave() { e.use.RUnlock() }

// check is for calls that use c. What Cyclone DDS makes of an entity that goes away meanwhile depends
// on how far it has got.
func (e *endpoint) check(rc C.dds_return_t) error {
	if rc < 0 && e.closed.Load() {
		return ErrAlreadyDeleted
	}
	return check(rc)
}

// close deletes the entity. Calls under way end or fail first, callbacks have returned after.
func (e *endpoint) close() error {
	if e.closed.Swap(true) {
		return nil
	}
	err := check(C.pn_endpoint_delete(e.c))
	e.use.Lock()
	defer e.use.Unlock()
	endpoints.remove(e.token)
	C.pn_endpoint_free(e.c)
	return err
}

// created takes over the C side.
func (e *endpoint) created(c *C.pn_endpoint) {
	e.c = c
	e.guid = *(*GUID)(unsafe.Pointer(C.pn_endpoint_guid(c)))
}

// GUID returns the endpoint's GUID.
func (e *endpoint) GUID() GUID { return e.guid }

//export pinionEvent
func pinionEvent(token C.uint64_t, event *C.pn_event) {
	if e := endpoints.lookup(uint64(token)); e != nil && e.event != nil {
		e.event(*(*Event)(unsafe.Pointer(event)))
	}
}

//export pinionDeliver
func pinionDeliver(token C.uint64_t, thread C.int, batch *C.pn_received, n C.uint32_t) {
	if e := endpoints.lookup(uint64(token)); e != nil {
		e.deliver(int(thread), unsafe.Slice((*Sample)(unsafe.Pointer(batch)), n))
	}
}
