package pubsub

import (
	"encoding/hex"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// GUID identifies a participant, publisher or subscription on the wire: 12 bytes of participant
// prefix and 4 bytes of entity id (RTPS 2.2, 8.2.4.1), in wire order.
type GUID [16]byte

// String returns the GUID in hexadecimal.
func (g GUID) String() string { return hex.EncodeToString(g[:]) }

// MessageInfo tells where a message comes from. It is valid as long as the message.
type MessageInfo struct {
	// SourceTime is when the publisher published, on the publisher's clock.
	SourceTime time.Time
	// Arrival is when a thread read the message from the socket or, from a publisher in this process, it
	// was published: CLOCK_MONOTONIC in nanoseconds, see Monotonic. Before that it may have been in the
	// socket for as long as another callback on that thread took; SourceTime tells how old it is.
	Arrival int64
	// Sequence is the number that the publisher gave the message, from 1, or 0 where unknown.
	Sequence uint64
	// Publisher is the publisher's GUID, zero where unknown.
	Publisher GUID
	// IntraProcess tells that the message came from a publisher in this process without being
	// serialized, see WithPublisherIntraProcess. Its Sequence counts what the publisher published.
	IntraProcess bool
	// State is that of the message's instance, which may have ended since the message came. Only
	// subscriptions WithInstanceStates are told of that where no message waits.
	State InstanceState
}

// ReceptionTime returns Arrival on the wall clock as it is now.
func (i *MessageInfo) ReceptionTime() time.Time {
	return time.Now().Add(time.Duration(i.Arrival - Monotonic()))
}

func (i *MessageInfo) set(s *cyclone.Sample) {
	i.SourceTime = time.Unix(0, s.Source)
	i.Arrival = s.Arrival
	i.Sequence = s.Sequence
	i.Publisher = GUID(s.Writer)
	i.IntraProcess = false
	i.State = instanceState(s.State)
}
