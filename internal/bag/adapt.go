package bag

import (
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

const (
	// recordDepth is for bursts that come while the queue is being copied to; what is latched comes
	// as one.
	recordDepth = 1000
	// latchedDepth is the history of a latched publisher whose own is not known.
	latchedDepth = 10
)

// kind is what decides which subscriptions a publisher is matched with, as far as it has influence on
// what arrives. Deadline, lifespan and liveliness have none.
type kind struct{ bestEffort, latched bool }

func kindOf(q pubsub.QoS) kind {
	return kind{q.Reliability == pubsub.BestEffort, q.Durability == pubsub.TransientLocal}
}

// request returns the profile of a subscription that asks for all that publishers of the kind offer.
func (k kind) request() pubsub.QoS {
	q := pubsub.DefaultQoS().KeepLast(recordDepth)
	if k.bestEffort {
		q = q.BestEffort()
	}
	if k.latched {
		q = q.TransientLocal()
	}
	return q
}

// offer returns the profile of the publisher that stands for all that were recorded. same is false
// if these differ in what subscriptions can ask for: then the publisher offers the best of each
// policy, which serves every subscription that one of them served.
func offer(recorded []Profile) (q pubsub.QoS, same bool) {
	if len(recorded) == 0 {
		return pubsub.DefaultQoS().KeepLast(recordDepth), true
	}
	q, same = recorded[0].QoS, true
	for _, p := range recorded[1:] {
		o := p.QoS
		same = same && o.Reliability == q.Reliability && o.Durability == q.Durability &&
			o.Deadline == q.Deadline && o.Liveliness == q.Liveliness && o.Lease == q.Lease
		if o.Reliability != pubsub.BestEffort {
			q.Reliability = o.Reliability
		}
		if o.Durability == pubsub.TransientLocal {
			q.Durability = o.Durability
		}
		q.Deadline = shorter(q.Deadline, o.Deadline)
		q.Lease = shorter(q.Lease, o.Lease)
		q.Liveliness = max(q.Liveliness, o.Liveliness)
		q.Lifespan = longer(q.Lifespan, o.Lifespan)
	}
	if q.Liveliness == pubsub.ManualByNode {
		q.Liveliness = pubsub.ManualByTopic // which serves whoever asks for the former
	}
	q.History, q.Depth = pubsub.KeepLast, depth(recorded)
	if q.Durability != pubsub.TransientLocal {
		// The history serves what has to be sent again, for which the depth that was recorded may be
		// too little: the bag may be played faster than it was recorded.
		q.Depth = recordDepth
	}
	return q, same
}

// depth returns the sum of the depths, so that a late subscription of what is latched gets what it
// got from all publishers together.
func depth(recorded []Profile) int {
	sum := 0
	for _, p := range recorded {
		if p.HistoryUnknown || p.QoS.History != pubsub.KeepLast {
			sum += latchedDepth
			continue
		}
		sum += max(p.QoS.Depth, 1)
	}
	return min(sum, recordDepth)
}

// shorter and longer compare durations of which zero is without end.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

func longer(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}
