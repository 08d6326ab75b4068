package executor

import (
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// A server runs the callbacks of the subscriptions that were added to it: a lane, the pool, a loop.
type server interface {
	// add places a subscription, remove forgets it; both also while the server runs.
	add(r *pubsub.Receiver, stats *topicStats) (pubsub.Placement, error)
	remove(r *pubsub.Receiver)

	// exclusion identifies what keeps the callbacks of r and others apart: those with the same one can
	// be in an exclusive group.
	exclusion(r *pubsub.Receiver) any

	// threads returns how many lanes and how many workers the server is.
	threads() (lanes, workers int)

	// start lets callbacks run, on the calling goroutine too, which is locked to its thread. What
	// later keeps the server from going on is passed to fail.
	start(fail func(error)) error

	// stop returns when no callback runs and none will. Before, the server handles what is waiting,
	// for at most drain.
	stop(drain time.Duration)

	// free gives memory back. The subscriptions are closed.
	free()
}
