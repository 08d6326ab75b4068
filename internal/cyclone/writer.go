package cyclone

// #include "batch.h"
// enum { BATCHING_POLICY = PN_BATCHING_QOS };
import "C"

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// WriterConfig says what a writer offers.
type WriterConfig struct {
	QoS QoS

	// Batching has messages wait for others, to be sent together: until nothing more fits into a packet
	// (General/MaxMessageSize of the configuration), BatchSize bytes are there unless it is 0, Flush is
	// called or the writer closed.
	Batching  bool
	BatchSize int

	// Event is called on a thread of Cyclone DDS, possibly before NewWriter returns. It must not
	// create, close or wait for entities.
	Event func(Event)
}

// Writer is a DDS data writer. Its methods may be called from any goroutine.
type Writer struct {
	endpoint
	batching Batching
	spare    *unsafe.Pointer // in memory of C, as long as the endpoint is: space for a message
}

// NewWriter creates a writer of the topic.
func (t *Topic) NewWriter(config WriterConfig) (*Writer, error) {
	w := &Writer{}
	w.event = config.Event
	w.register()
	var pin runtime.Pinner
	defer pin.Unpin()
	batching := C.int(0)
	if config.Batching {
		batching = 1
	}
	qos := config.QoS.c(&pin)
	var c *C.pn_endpoint
	err := t.participant.explain(func() error {
		var rc C.dds_return_t
		c = C.pn_writer_new(t.participant.entity, t.entity, t.sertype, &qos, batching, C.size_t(config.BatchSize), C.uint64_t(w.token), &rc)
		return check(rc)
	})
	if err != nil {
		endpoints.remove(w.token)
		return nil, fmt.Errorf("create writer: %w", err)
	}
	w.created(c)
	w.batching = Batching(C.pn_batching_of(c))
	w.spare = (*unsafe.Pointer)(C.pn_writer_spare(c))
	return w, nil
}

// Loan is space for one message in memory that Cyclone DDS sends from.
type Loan struct {
	w       *Writer
	payload *C.uchar
	size    int
}

// Reserve returns space for a message of size bytes, encapsulation header included. Write or Discard
// must follow, soon: the writer cannot be closed in between.
func (w *Writer) Reserve(size int) (Loan, error) {
	if !w.enter() {
		return Loan{}, ErrAlreadyDeleted
	}
	p := (*C.uchar)(atomic.SwapPointer(w.spare, nil))
	if p == nil || spaceOf(p) != size {
		p = C.pn_reserve(w.c, C.size_t(size), p)
	}
	if p == nil {
		w.leave()
		return Loan{}, fmt.Errorf("reserve %d bytes: %w", size, ErrOutOfResources)
	}
	return Loan{w, p, size}, nil
}

// spaceOf reads the size that stands in front of a payload.
func spaceOf(p *C.uchar) int { return int(*(*uint32)(unsafe.Add(unsafe.Pointer(p), -4))) }

// Payload returns the space.
func (l Loan) Payload() []byte {
	return unsafe.Slice((*byte)(l.payload), l.size)
}

// Discard gives the space back unsent.
func (l Loan) Discard() {
	C.pn_discard(l.payload)
	l.w.leave()
}

// Write sends the message with the given source timestamp (zero: now). With wait, a reliable writer may
// block for its QoS's MaxBlocking and then fails with ErrTimeout, the message not sent. Without, it fails
// so at once where it would have to wait, for readers or for the network, as one with best effort does in
// an inline callback in any case.
func (l Loan) Write(source time.Time, wait bool) error {
	defer l.w.leave()
	return l.w.check(C.pn_write(l.w.c, l.payload, nanoseconds(source), try(wait)))
}

// Dispose says that the instance of the message, of which only the key counts, is no more. It waits as
// Write does.
func (l Loan) Dispose(source time.Time, wait bool) error { return l.end(1, source, wait) }

// Unregister says that the writer has nothing more to say about the instance of the message. It waits
// as Write does.
func (l Loan) Unregister(source time.Time, wait bool) error { return l.end(0, source, wait) }

func (l Loan) end(dispose C.int, source time.Time, wait bool) error {
	defer l.w.leave()
	return l.w.check(C.pn_write_end(l.w.c, l.payload, dispose, nanoseconds(source), try(wait)))
}

func try(wait bool) C.int {
	if wait {
		return 0
	}
	return 1
}

// nanoseconds returns 0 for the zero time.
func nanoseconds(t time.Time) C.int64_t {
	if t.IsZero() {
		return 0
	}
	return C.int64_t(t.UnixNano())
}

// Flush sends what waits in a batch. It may have to wait for a Write that waits for space.
func (w *Writer) Flush() error { return w.flush(true) }

// TryFlush is Flush that fails with ErrTimeout where it would have to wait.
func (w *Writer) TryFlush() error { return w.flush(false) }

func (w *Writer) flush(wait bool) error {
	if !w.enter() {
		return ErrAlreadyDeleted
	}
	defer w.leave()
	return w.check(C.pn_flush(w.c, try(wait)))
}

// Batching tells how far batching reaches.
type Batching int

// The reaches of batching.
const (
	BatchingOff     Batching = C.PN_BATCHING_OFF
	BatchingWriter  Batching = C.PN_BATCHING_WRITER
	BatchingProcess Batching = C.PN_BATCHING_PROCESS // writers that others make as well

	// BatchingPolicy is whether the library batches by writer, as it does from 0.10.4 on.
	BatchingPolicy = C.BATCHING_POLICY != 0
)

// Batching returns what is in force for the writer, be it by WriterConfig or by Cyclone DDS's
// configuration (Internal/WriteBatch).
func (w *Writer) Batching() Batching { return w.batching }

// WaitForAcks waits until all matched reliable readers have acknowledged what was written before, and
// fails with ErrTimeout after d. It must not be called from an Event or Deliver function.
func (w *Writer) WaitForAcks(d time.Duration) error {
	if !w.enter() {
		return ErrAlreadyDeleted
	}
	defer w.leave()
	return w.check(C.dds_wait_for_acks(C.pn_endpoint_entity(w.c), C.dds_duration_t(d)))
}

// AssertLiveliness shows that the writer is alive where that is not automatic, as writing does.
func (w *Writer) AssertLiveliness() error {
	if !w.enter() {
		return ErrAlreadyDeleted
	}
	defer w.leave()
	return check(C.pn_assert_liveliness(w.c))
}

// Peer returns the GUID of a matched peer that an event names, zero if it is gone. It must not be
// called from an Event or Deliver function.
func (w *Writer) Peer(handle uint64) (g GUID) {
	if w.enter() {
		defer w.leave()
		C.pn_writer_peer(w.c, C.uint64_t(handle), (*C.uchar)(&g[0]))
	}
	return g
}

// Readers returns the GUIDs of the matched readers, zero for one that has just gone. It must not be
// called from an Event or Deliver function.
func (w *Writer) Readers() []GUID {
	if !w.enter() {
		return nil
	}
	defer w.leave()
	entity := C.pn_endpoint_entity(w.c)
	handles := make([]C.dds_instance_handle_t, 16)
	n := C.dds_get_matched_subscriptions(entity, &handles[0], C.size_t(len(handles)))
	for int(n) > len(handles) {
		handles = make([]C.dds_instance_handle_t, n+8)
		n = C.dds_get_matched_subscriptions(entity, &handles[0], C.size_t(len(handles)))
	}
	guids := make([]GUID, max(n, 0))
	for i := range guids {
		C.pn_writer_peer(w.c, C.uint64_t(handles[i]), (*C.uchar)(&guids[i][0]))
	}
	return guids
}

// Close deletes the writer. Writes that wait for space end with an error. It must not be called
// from an Event or Deliver function.
func (w *Writer) Close() error { return w.close() }
