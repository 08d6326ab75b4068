package cyclone

// #include "entity.h"
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"time"
	"unsafe"
)

// Reliability is the RELIABILITY policy (DDS 1.4, 2.2.3.14).
type Reliability int32

// Durability is the DURABILITY policy (DDS 1.4, 2.2.3.4).
type Durability int32

// History is the HISTORY policy (DDS 1.4, 2.2.3.18).
type History int32

// Liveliness is the LIVELINESS policy (DDS 1.4, 2.2.3.11).
type Liveliness int32

// The kinds of the policies.
const (
	BestEffort Reliability = C.DDS_RELIABILITY_BEST_EFFORT
	Reliable   Reliability = C.DDS_RELIABILITY_RELIABLE

	Volatile       Durability = C.DDS_DURABILITY_VOLATILE
	TransientLocal Durability = C.DDS_DURABILITY_TRANSIENT_LOCAL

	KeepLast History = C.DDS_HISTORY_KEEP_LAST
	KeepAll  History = C.DDS_HISTORY_KEEP_ALL

	Automatic           Liveliness = C.DDS_LIVELINESS_AUTOMATIC
	ManualByParticipant Liveliness = C.DDS_LIVELINESS_MANUAL_BY_PARTICIPANT
	ManualByTopic       Liveliness = C.DDS_LIVELINESS_MANUAL_BY_TOPIC
)

// Infinite is a duration that does not end.
const Infinite = time.Duration(math.MaxInt64)

// QoS is what a reader asks for or a writer offers. A duration of zero is unset, which is infinite;
// MaxBlocking is taken as it is.
type QoS struct {
	Reliability Reliability
	MaxBlocking time.Duration // how long a reliable writer may wait for space
	Durability  Durability
	History     History
	Depth       int // of KeepLast
	Deadline    time.Duration
	Lifespan    time.Duration
	Liveliness  Liveliness
	Lease       time.Duration
	Limit       int // of a reader with KeepAll: bytes that may wait, 0 for any number; not with Cyclone DDS 11
	UserData    string
}

// c fills the C form. The user data stays pinned until pin is released.
func (q QoS) c(pin *runtime.Pinner) C.pn_qos {
	c := C.pn_qos{
		reliability:  C.int32_t(q.Reliability),
		durability:   C.int32_t(q.Durability),
		history:      C.int32_t(q.History),
		depth:        C.int32_t(max(q.Depth, 1)),
		liveliness:   C.int32_t(q.Liveliness),
		max_blocking: C.int64_t(q.MaxBlocking),
		deadline:     C.int64_t(q.Deadline),
		lifespan:     C.int64_t(q.Lifespan),
		lease:        C.int64_t(Infinite),
		limit:        C.int64_t(q.Limit),
	}
	if q.Deadline > 0 {
		c.flags |= C.PN_QOS_DEADLINE
	}
	if q.Lifespan > 0 {
		c.flags |= C.PN_QOS_LIFESPAN
	}
	if q.Lease > 0 {
		c.lease = C.int64_t(q.Lease)
	}
	if q.Lease > 0 || q.Liveliness != Automatic {
		c.flags |= C.PN_QOS_LIVELINESS
	}
	if q.UserData != "" {
		data := unsafe.StringData(q.UserData)
		pin.Pin(data)
		c.user_data, c.user_data_size = unsafe.Pointer(data), C.size_t(len(q.UserData))
	}
	return c
}

// PolicyName returns the name of a policy by its DDS id, as events carry it.
func PolicyName(id uint32) string {
	switch id {
	case C.DDS_DURABILITY_QOS_POLICY_ID:
		return "DURABILITY"
	case C.DDS_DEADLINE_QOS_POLICY_ID:
		return "DEADLINE"
	case C.DDS_LATENCYBUDGET_QOS_POLICY_ID:
		return "LATENCY_BUDGET"
	case C.DDS_OWNERSHIP_QOS_POLICY_ID:
		return "OWNERSHIP"
	case C.DDS_LIVELINESS_QOS_POLICY_ID:
		return "LIVELINESS"
	case C.DDS_RELIABILITY_QOS_POLICY_ID:
		return "RELIABILITY"
	case C.DDS_DESTINATIONORDER_QOS_POLICY_ID:
		return "DESTINATION_ORDER"
	case C.DDS_PRESENTATION_QOS_POLICY_ID:
		return "PRESENTATION"
	case C.DDS_PARTITION_QOS_POLICY_ID:
		return "PARTITION"
	case C.DDS_DATA_REPRESENTATION_QOS_POLICY_ID:
		return "DATA_REPRESENTATION"
	}
	return fmt.Sprintf("policy %d", id)
}
