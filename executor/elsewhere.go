package executor

import (
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// elsewhere is the server of what other processes of the program run: it does nothing.
type elsewhere struct{ part string }

func (elsewhere) add(*pubsub.Receiver, *topicStats) (pubsub.Placement, error) {
	return pubsub.Placement{}, pubsub.ErrOtherPart
}
func (elsewhere) remove(*pubsub.Receiver)          {}
func (x elsewhere) exclusion(*pubsub.Receiver) any { return x }
func (elsewhere) threads() (lanes, workers int)    { return 0, 0 }
func (elsewhere) start(func(error)) error          { return nil }
func (elsewhere) stop(time.Duration)               {}
func (elsewhere) free()                            {}
func (elsewhere) addTimer(*Timer) error            { return nil }
func (elsewhere) removeTimer(*Timer)               {}

// away tells servers of other processes from those of this one.
func (elsewhere) away() {}

// isElsewhere tells whether a server is one of another process.
func isElsewhere(s server) bool {
	_, away := s.(interface{ away() })
	return away
}
