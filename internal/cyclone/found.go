package cyclone

// #include "found.h"
import "C"

import (
	"fmt"
	"time"
	"unsafe"
)

// FoundKind tells participants, writers and readers apart.
type FoundKind int32

// The kinds of entities that discovery finds.
const (
	FoundParticipant FoundKind = C.PN_FOUND_PARTICIPANT
	FoundWriter      FoundKind = C.PN_FOUND_WRITER
	FoundReader      FoundKind = C.PN_FOUND_READER

	FoundKinds = C.PN_FOUND_READER + 1
)

// Found is what discovery knows about an entity of the domain, remote or of this domain instance.
// Of an entity that is not alive any more only Handle and the GUIDs are set.
type Found struct {
	Alive       bool
	Handle      uint64 // as in Event.Peer and Sample.Publication
	GUID        GUID
	Participant GUID
	Topic, Type string // DDS names, of writers and readers
	QoS         QoS
}

// Watcher is a reader of what discovery finds (a DDS built-in topic). It starts with all there is.
type Watcher struct {
	endpoint
	kind FoundKind
}

// Watch creates a watcher for entities of one kind, of which queue tells when there is news; owner
// comes out of Queue.Pop for it.
func (p *Participant) Watch(kind FoundKind, queue *Queue, owner any) (*Watcher, error) {
	w := &Watcher{kind: kind}
	w.owner = owner
	w.register()
	var rc C.dds_return_t
	c := C.pn_found_reader_new(p.entity, C.pn_found_kind(kind), C.uint64_t(w.token), queue.c, &rc)
	if err := check(rc); err != nil {
		endpoints.remove(w.token)
		return nil, fmt.Errorf("watch discovery: %w", err)
	}
	w.created(c)
	return w, nil
}

// Take returns the oldest news, or false when there is none. Each entity's newest state is told, not
// each state it has had.
func (w *Watcher) Take() (Found, bool, error) {
	if !w.enter() {
		return Found{}, false, ErrAlreadyDeleted
	}
	defer w.leave()
	var c C.pn_found
	if n := C.pn_found_take(w.c, C.pn_found_kind(w.kind), &c); n != 1 {
		return Found{}, false, check(n)
	}
	defer C.pn_found_free(C.pn_found_kind(w.kind), &c)
	f := Found{
		Alive:       c.alive != 0,
		Handle:      uint64(c.handle),
		GUID:        *(*GUID)(unsafe.Pointer(&c.guid)),
		Participant: *(*GUID)(unsafe.Pointer(&c.participant)),
	}
	if f.Alive {
		f.Topic, f.Type, f.QoS = C.GoString(c.topic), C.GoString(c._type), foundQoS(&c.qos)
	}
	return f, true, nil
}

// Close deletes the watcher. It must not be called from an Event or Deliver function.
func (w *Watcher) Close() error { return w.close() }

func foundQoS(c *C.pn_qos) QoS {
	return QoS{
		Reliability: Reliability(c.reliability),
		MaxBlocking: time.Duration(c.max_blocking),
		Durability:  Durability(c.durability),
		History:     History(c.history),
		Depth:       int(c.depth),
		Deadline:    finite(c.deadline),
		Lifespan:    finite(c.lifespan),
		Liveliness:  Liveliness(c.liveliness),
		Lease:       finite(c.lease),
		UserData:    C.GoStringN((*C.char)(c.user_data), C.int(c.user_data_size)),
	}
}

// finite turns an infinite duration into zero, which QoS has for it.
func finite(ns C.int64_t) time.Duration {
	if d := time.Duration(ns); d != Infinite {
		return d
	}
	return 0
}
