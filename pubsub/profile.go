package pubsub

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// DurationBestAvailable as Deadline or Lease asks for what fits the known endpoints of the topic.
const DurationBestAvailable = time.Duration(math.MaxInt64 - 1)

// SystemDefaultQoS is rmw_qos_profile_system_default.
func SystemDefaultQoS() QoS { return QoS{} }

// ParameterEventsQoS is rmw_qos_profile_parameter_events: reliable, volatile, keep last 1000.
func ParameterEventsQoS() QoS { return ParametersQoS() }

// ActionStatusQoS is the profile of the status topic of actions: reliable, transient local, keep last 1.
func ActionStatusQoS() QoS { return DefaultQoS().KeepLast(1).TransientLocal() }

// BestAvailableQoS is rmw_qos_profile_best_available: keep last 10, and the highest level of service
// that is compatible with the endpoints of the topic known at creation.
func BestAvailableQoS() QoS {
	return QoS{
		History: KeepLast, Depth: 10,
		Reliability: ReliabilityBestAvailable,
		Durability:  DurabilityBestAvailable,
		Deadline:    DurationBestAvailable,
		Liveliness:  LivelinessBestAvailable,
		Lease:       DurationBestAvailable,
	}
}

// profiles are the ROS 2 profiles by the names that ros2 topic and rclpy know them by.
var profiles = map[string]func() QoS{
	"action_status_default": ActionStatusQoS,
	"best_available":        BestAvailableQoS,
	"clock":                 ClockQoS,
	"default":               DefaultQoS,
	"parameter_events":      ParameterEventsQoS,
	"parameters":            ParametersQoS,
	"rosout":                RosoutQoS,
	"sensor_data":           SensorDataQoS,
	"services_default":      ServicesQoS,
	"system_default":        SystemDefaultQoS,
}

// ProfileNames returns the names that ProfileByName knows, in alphabetical order.
func ProfileNames() []string { return slices.Sorted(maps.Keys(profiles)) }

// ProfileByName returns the ROS 2 profile of a name such as "sensor_data"; the prefix of the C
// constant, "rmw_qos_profile_", may stand in front.
func ProfileByName(name string) (QoS, error) {
	profile, ok := profiles[strings.TrimPrefix(name, "rmw_qos_profile_")]
	if !ok {
		return QoS{}, fmt.Errorf("no QoS profile %q; there are %s", name, strings.Join(ProfileNames(), ", "))
	}
	return profile(), nil
}

// resolve returns the profile that a new publisher or subscription of the DDS topic gets.
func (s *session) resolve(asked QoS, dds string, publisher bool) QoS {
	if asked.bestAvailable() {
		asked = asked.fit(s.graph.peers(dds, !publisher), publisher)
	}
	return asked.effective()
}

func (q QoS) bestAvailable() bool {
	return q.Reliability == ReliabilityBestAvailable || q.Durability == DurabilityBestAvailable ||
		q.Liveliness == LivelinessBestAvailable || q.Deadline == DurationBestAvailable || q.Lease == DurationBestAvailable
}

// fit replaces best available by what suits the peers, with the rules of rmw_dds_common. A publisher
// offers the most that any subscription may ask for. A subscription asks for what all publishers
// offer, which is everything where there are none.
func (q QoS) fit(peers []EndpointInfo, publisher bool) QoS {
	every := func(has func(QoS) bool) bool {
		return !slices.ContainsFunc(peers, func(e EndpointInfo) bool { return !has(e.QoS) })
	}
	manual := every(func(p QoS) bool { return p.Liveliness == ManualByTopic })
	if publisher {
		manual = !every(func(p QoS) bool { return p.Liveliness != ManualByTopic })
	}
	choose(&q.Reliability, ReliabilityBestAvailable, publisher || every(func(p QoS) bool { return p.Reliability == Reliable }), Reliable, BestEffort)
	choose(&q.Durability, DurabilityBestAvailable, publisher || every(func(p QoS) bool { return p.Durability == TransientLocal }), TransientLocal, Volatile)
	choose(&q.Liveliness, LivelinessBestAvailable, manual, ManualByTopic, Automatic)
	pick := longest
	if publisher {
		pick = shortest
	}
	if q.Deadline == DurationBestAvailable {
		q.Deadline = pick(peers, func(p QoS) time.Duration { return p.Deadline })
	}
	if q.Lease == DurationBestAvailable {
		q.Lease = pick(peers, func(p QoS) time.Duration { return p.Lease })
	}
	return q
}

func choose[K comparable](kind *K, bestAvailable K, high bool, yes, no K) {
	switch {
	case *kind != bestAvailable:
	case high:
		*kind = yes
	default:
		*kind = no
	}
}

// longest returns the longest of the peers' durations, of which zero is without end.
func longest(peers []EndpointInfo, of func(QoS) time.Duration) time.Duration {
	var d time.Duration
	for _, p := range peers {
		if of(p.QoS) == 0 {
			return 0
		}
		d = max(d, of(p.QoS))
	}
	return d
}

func shortest(peers []EndpointInfo, of func(QoS) time.Duration) time.Duration {
	var d time.Duration
	for _, p := range peers {
		if longer(d, of(p.QoS)) {
			d = of(p.QoS)
		}
	}
	return d
}
