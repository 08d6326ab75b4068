package pubsub

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// Reliability is the reliability policy of ROS 2.
type Reliability uint8

// Durability is the durability policy of ROS 2.
type Durability uint8

// History is the history policy of ROS 2.
type History uint8

// Liveliness is the liveliness policy of ROS 2.
type Liveliness uint8

// The kinds of the policies, numbered as in rmw. System default, the zero value, becomes what
// rmw_cyclonedds makes of it: reliable, volatile, keep last 1 and automatic. Best available becomes
// what fits the endpoints of the topic that are known when the publisher or subscription is created.
const (
	ReliabilitySystemDefault Reliability = iota
	Reliable
	BestEffort
	ReliabilityBestAvailable Reliability = 4
)

const (
	DurabilitySystemDefault Durability = iota
	TransientLocal
	Volatile
	DurabilityBestAvailable Durability = 4
)

const (
	HistorySystemDefault History = iota
	KeepLast
	KeepAll
)

const (
	LivelinessSystemDefault Liveliness = iota
	Automatic
	ManualByNode // seen in the graph only, ROS 2 gave it up
	ManualByTopic
	LivelinessBestAvailable Liveliness = 5
)

// QoS is a quality of service profile (ROS 2 "QoS settings", rmw_qos_profile_t). The zero value is
// the system default profile. Durations of zero are unspecified, which means without end.
type QoS struct {
	History     History
	Depth       int // of KeepLast, 0 becomes 1
	Reliability Reliability
	Durability  Durability
	Deadline    time.Duration // longest expected time between two messages
	Lifespan    time.Duration // how long a message stays valid
	Liveliness  Liveliness
	Lease       time.Duration // time within which a publisher must show that it is alive
}

// DefaultQoS is rmw_qos_profile_default: reliable, volatile, keep last 10.
func DefaultQoS() QoS {
	return QoS{History: KeepLast, Depth: 10, Reliability: Reliable, Durability: Volatile}
}

// SensorDataQoS is rmw_qos_profile_sensor_data: best effort, volatile, keep last 5.
func SensorDataQoS() QoS {
	return QoS{History: KeepLast, Depth: 5, Reliability: BestEffort, Durability: Volatile}
}

// ParametersQoS is rmw_qos_profile_parameters: reliable, volatile, keep last 1000.
func ParametersQoS() QoS { return DefaultQoS().KeepLast(1000) }

// ServicesQoS is rmw_qos_profile_services_default: reliable, volatile, keep last 10.
func ServicesQoS() QoS { return DefaultQoS() }

// RosoutQoS is the profile of /rosout: reliable, transient local, keep last 1000, lifespan 10 s.
func RosoutQoS() QoS {
	q := DefaultQoS().KeepLast(1000).TransientLocal()
	q.Lifespan = 10 * time.Second
	return q
}

// ClockQoS is the profile of /clock: best effort, volatile, keep last 1.
func ClockQoS() QoS { return SensorDataQoS().KeepLast(1) }

// KeepLast returns the profile with the history of the last depth messages.
func (q QoS) KeepLast(depth int) QoS {
	q.History, q.Depth = KeepLast, depth
	return q
}

// KeepAll returns the profile with a history of all messages, whose memory publishers limit by waiting
// and subscriptions as WithHistoryLimit says.
func (q QoS) KeepAll() QoS {
	q.History, q.Depth = KeepAll, 0
	return q
}

// Reliable returns the profile with reliable delivery.
func (q QoS) Reliable() QoS {
	q.Reliability = Reliable
	return q
}

// BestEffort returns the profile with best effort delivery.
func (q QoS) BestEffort() QoS {
	q.Reliability = BestEffort
	return q
}

// TransientLocal returns the profile in which publishers keep their history for late subscriptions.
func (q QoS) TransientLocal() QoS {
	q.Durability = TransientLocal
	return q
}

// effective replaces system defaults as rmw_cyclonedds does.
func (q QoS) effective() QoS {
	if q.History == HistorySystemDefault {
		q.History, q.Depth = KeepLast, 1
	}
	if q.History == KeepLast {
		q.Depth = max(q.Depth, 1)
	} else {
		q.Depth = 0
	}
	if q.Reliability == ReliabilitySystemDefault {
		q.Reliability = Reliable
	}
	if q.Durability == DurabilitySystemDefault {
		q.Durability = Volatile
	}
	if q.Liveliness == LivelinessSystemDefault {
		q.Liveliness = Automatic
	}
	for _, d := range [...]*time.Duration{&q.Deadline, &q.Lifespan, &q.Lease} {
		if *d == math.MaxInt64 {
			*d = 0
		}
	}
	return q
}

// validate tells what DDS could not do.
func (q QoS) validate() error {
	switch {
	case q.Depth < 0 || q.Depth > math.MaxInt32:
		return fmt.Errorf("QoS: depth %d is not in 0 to %d", q.Depth, math.MaxInt32)
	case q.Deadline < 0 || q.Lifespan < 0 || q.Lease < 0:
		return fmt.Errorf("QoS: a duration is negative (deadline %v, lifespan %v, lease %v); 0 stands for without end",
			q.Deadline, q.Lifespan, q.Lease)
	case q.History.String() == "", q.Reliability.String() == "", q.Durability.String() == "", q.Liveliness.String() == "":
		return fmt.Errorf("QoS: unknown kind: history %d, reliability %d, durability %d or liveliness %d", q.History, q.Reliability, q.Durability, q.Liveliness)
	case q.Liveliness == ManualByNode:
		return errors.New("QoS: liveliness manual by node is not offered by ROS 2; use manual by topic")
	}
	return nil
}

// cyclone translates an effective profile.
func (q QoS) cyclone(maxBlocking time.Duration, userData string) cyclone.QoS {
	c := cyclone.QoS{
		Reliability: cyclone.Reliable,
		MaxBlocking: maxBlocking,
		Durability:  cyclone.Volatile,
		History:     cyclone.KeepLast,
		Depth:       q.Depth,
		Deadline:    q.Deadline,
		Lifespan:    q.Lifespan,
		Liveliness:  cyclone.Automatic,
		Lease:       q.Lease,
		UserData:    userData,
	}
	if q.Reliability == BestEffort {
		c.Reliability, c.MaxBlocking = cyclone.BestEffort, 0
	}
	if q.Durability == TransientLocal {
		c.Durability = cyclone.TransientLocal
	}
	if q.History == KeepAll {
		c.History = cyclone.KeepAll
	}
	if q.Liveliness == ManualByTopic {
		c.Liveliness = cyclone.ManualByTopic
	}
	return c
}

func (r Reliability) String() string {
	return kind(int(r), "system default", "reliable", "best effort", "", "best available")
}

func (d Durability) String() string {
	return kind(int(d), "system default", "transient local", "volatile", "", "best available")
}

func (h History) String() string { return kind(int(h), "system default", "keep last", "keep all") }

func (l Liveliness) String() string {
	return kind(int(l), "system default", "automatic", "manual by node", "manual by topic", "", "best available")
}

// kind returns the name of a policy's kind, "" for one that there is not.
func kind(i int, names ...string) string {
	if i >= len(names) {
		return ""
	}
	return names[i]
}
