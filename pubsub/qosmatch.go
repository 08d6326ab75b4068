package pubsub

import "time"

// Incompatible returns the policies, "RELIABILITY" for example, for which a publisher with profile q
// does not give a subscription what it asks for, so that they do not match. The profiles are those
// in force, as the graph shows them.
func (q QoS) Incompatible(requested QoS) []string {
	return incompatible(q.effective(), requested.effective())
}

// incompatible returns the policies for which a publisher does not give a subscription what it asks
// for (DDS 1.4, 2.2.3). Both profiles are effective ones.
func incompatible(offered, requested QoS) []string {
	var policies []string
	for _, p := range [...]struct {
		name string
		bad  bool
	}{
		{"RELIABILITY", offered.Reliability == BestEffort && requested.Reliability == Reliable},
		{"DURABILITY", offered.Durability == Volatile && requested.Durability == TransientLocal},
		{"DEADLINE", longer(offered.Deadline, requested.Deadline)},
		{"LIVELINESS", offered.Liveliness < requested.Liveliness || longer(offered.Lease, requested.Lease)},
	} {
		if p.bad {
			policies = append(policies, p.name)
		}
	}
	return policies
}

// longer compares durations of which zero is without end.
func longer(a, b time.Duration) bool { return b != 0 && (a == 0 || a > b) }
