package cyclone

// #include "entity.h"
// #include "queue.h"
import "C"

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Sample is one message out of a reader, in memory of the C library.
type Sample struct {
	payload     unsafe.Pointer
	size        uint64
	Source      int64  // source timestamp, wall clock, ns since 1970
	Arrival     int64  // CLOCK_MONOTONIC in ns when it came from the network or was written in this process, or was taken without a payload
	Sequence    uint64 // number that the writer gave it (RTPS 2.2, 8.3.5.4), 0 where unknown
	Publication uint64 // handle of the writer in this domain instance
	Lost        uint64 // samples that did not come, between the writer's last one that was taken and this
	Overwritten uint64 // samples that came, but lost their place in the history before they were taken
	State       int32  // instance state
	valid       int32
	Writer      GUID // zero where unknown
	ref         unsafe.Pointer
}

var _ [unsafe.Sizeof(Sample{}) - C.sizeof_pn_received]struct{}
var _ [C.sizeof_pn_received - unsafe.Sizeof(Sample{})]struct{}

// Payload returns the message with its encapsulation header, valid until Release, or nil for a
// sample that only tells of a change of the instance's state. It must not be written to.
func (s *Sample) Payload() []byte {
	if s.valid == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(s.payload), s.size)
}

// Key returns the key of the instance whose state has changed where Payload returns nil: an encapsulation
// header and the members of the key, perhaps with zeros behind them. It is valid until Release.
func (s *Sample) Key() []byte { return unsafe.Slice((*byte)(s.payload), s.size) }

// Instance states of samples (DDS 1.4, 2.2.2.5.1.3).
const (
	Alive     = C.DDS_IST_ALIVE
	Disposed  = C.DDS_IST_NOT_ALIVE_DISPOSED
	NoWriters = C.DDS_IST_NOT_ALIVE_NO_WRITERS
)

// Release gives the memory back. Samples passed to a Deliver function are released by the caller.
func (s *Sample) Release() {
	if s.ref != nil {
		C.pn_release(s.ref)
		s.ref, s.payload, s.size = nil, nil, 0
	}
}

// MaxBatch is the most samples that Take and Deliver handle at once.
const MaxBatch = C.PN_BATCH

// ReaderConfig says how data and events reach the owner of a reader. At most one of Deliver and
// Queue is set; with none the owner polls with Take.
type ReaderConfig struct {
	QoS QoS

	// Deliver is called on the thread that received the samples (for samples written in the same
	// domain instance: the writing thread), for one reader of a domain instance at a time: it may take,
	// read counters and write in other instances, and must not create, close or wait for entities. thread
	// is what gettid(2) returns.
	Deliver func(thread int, samples []Sample)

	// Paused keeps samples in the history until Resume, instead of calling Deliver.
	Paused bool

	// Queue receives the reader when it has data.
	Queue *Queue

	// Event is called on a thread of Cyclone DDS, possibly before NewReader returns, under the
	// same restrictions.
	Event func(Event)

	// Owner comes out of Queue.Pop for this reader.
	Owner any
}

// Reader is a DDS data reader. Its methods may be called from any goroutine.
type Reader struct {
	endpoint
	queue    *Queue
	keyed    bool
	arrivals *uint32       // in memory of C, as long as the endpoint is
	taken    atomic.Uint32 // equal to arrivals if all that came was taken
}

// NewReader creates a reader of the topic.
func (t *Topic) NewReader(config ReaderConfig) (*Reader, error) {
	r := &Reader{queue: config.Queue, keyed: t.keyed}
	r.event, r.deliver, r.owner = config.Event, config.Deliver, config.Owner
	delivery, queue := C.pn_delivery(C.PN_POLLED), (*C.pn_queue)(nil)
	switch {
	case config.Deliver != nil:
		delivery = C.PN_INLINE
	case config.Queue != nil:
		delivery, queue = C.PN_QUEUED, config.Queue.c
	}
	var paused C.int
	if config.Paused {
		paused = 1
	}
	r.register()
	var pin runtime.Pinner
	defer pin.Unpin()
	qos := config.QoS.c(&pin)
	var c *C.pn_endpoint
	err := t.participant.explain(func() error {
		var rc C.dds_return_t
		c = C.pn_reader_new(t.participant.entity, t.entity, t.sertype, &qos, C.uint64_t(r.token), delivery, queue, t.participant.turn.c, paused, &rc)
		return check(rc)
	})
	runtime.KeepAlive(t)
	if err != nil {
		endpoints.remove(r.token)
		return nil, fmt.Errorf("create reader: %w", err)
	}
	r.created(c)
	r.arrivals = (*uint32)(unsafe.Pointer(C.pn_reader_arrivals(c)))
	return r, nil
}

// Take moves up to len(out), at most MaxBatch, samples out of the reader's cache, oldest first, and
// returns how many. out must not live on the caller's stack if the call is not to allocate.
func (r *Reader) Take(out []Sample) (int, error) {
	if len(out) == 0 {
		return 0, nil
	}
	if !r.enter() {
		return 0, ErrAlreadyDeleted
	}
	defer r.leave()
	before := atomic.LoadUint32(r.arrivals)
	n := C.pn_take(r.c, (*C.pn_received)(unsafe.Pointer(&out[0])), C.uint32_t(len(out)))
	switch {
	case int(n) < min(len(out), MaxBatch):
		r.taken.Store(before)
	case r.keyed: // several instances may change in one arrival
		r.taken.Store(before - 1)
	default:
		r.taken.Add(uint32(n))
	}
	return int(max(n, 0)), r.check(n)
}

// Pending tells whether a reader with a queue may have more than was taken. Not all that came need be
// there still. Takes must not be under way at the same time.
func (r *Reader) Pending() bool {
	if !r.enter() {
		return false
	}
	defer r.leave()
	return atomic.LoadUint32(r.arrivals) != r.taken.Load()
}

// Resume ends a pause: it delivers on the calling thread what is there; what comes later is delivered
// on the thread that receives it.
func (r *Reader) Resume() {
	if r.enter() {
		defer r.leave()
		C.pn_resume(r.c)
	}
}

// Pause keeps samples in the history until Resume. When it returns no Deliver runs, so it must not be
// called from one.
func (r *Reader) Pause() {
	if r.enter() {
		defer r.leave()
		C.pn_pause(r.c)
	}
}

// Requeue puts the reader into its queue, as new data would.
func (r *Reader) Requeue() {
	if r.queue == nil || !r.enter() {
		return
	}
	defer r.leave()
	C.pn_queue_push(r.queue.c, r.c)
}

// Peer returns the GUID of a matched peer that an event names, zero if it is gone. It must not be
// called from an Event or Deliver function.
func (r *Reader) Peer(handle uint64) (g GUID) {
	if r.enter() {
		defer r.leave()
		C.pn_reader_peer(r.c, C.uint64_t(handle), (*C.uchar)(&g[0]))
	}
	return g
}

// Close deletes the reader. It returns after the last Deliver and Event call has, so it must not be
// called from one. Samples that were taken stay valid.
func (r *Reader) Close() error { return r.close() }
