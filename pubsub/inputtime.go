package pubsub

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// WithInputTime has what is published in a subscription's callback carry the source time of the
// message that the callback handles, so that along a chain of callbacks, through any processes, the
// age of the first message is known. What is published elsewhere carries the time of publication, and
// PublishAt what the caller says. The callback must publish itself, not by another goroutine.
//
// Within a process (WithPublisherIntraProcess) LIFESPAN counts from the source time, so handing it on
// shortens the life of what is published. Cyclone DDS counts from when the message was published and, at a
// subscription, received.
func WithInputTime() PublisherOption {
	return func(o *publisherOptions) { o.inputTime = true }
}

// An InputTimer is a Scheduler that knows where messages go from callbacks.
type InputTimer interface {
	// InputTime tells whether publishers of the topic act as if they were made WithInputTime.
	InputTime(topic string) bool
}

func (n *Node) wantsInputTime(topic string) bool {
	t, ok := n.scheduler.(InputTimer)
	return ok && t.InputTime(topic)
}

// sourceTime returns what the caller of Publish asked for, or the input's time where it is wanted.
func (s *sender) sourceTime(asked time.Time) time.Time {
	if !asked.IsZero() || !s.inputTime {
		return asked
	}
	return inputTime()
}

// inputs lists what the threads that run callbacks handle now. It is as long as there were callbacks
// at the same time.
var inputs struct {
	wanted atomic.Int64 // number of publishers that ask
	list   atomic.Pointer[[]*input]
	sync.Mutex
}

type input struct {
	thread atomic.Int64 // 0 for an entry that is free
	source atomic.Int64 // source timestamp of the message, 0 for none
}

// enterInput returns an entry for the calling thread, nil if no publisher asks.
func enterInput() *input {
	if inputs.wanted.Load() == 0 {
		return nil
	}
	tid := int64(unix.Gettid())
	if p := inputs.list.Load(); p != nil {
		for _, in := range *p {
			if in.thread.Load() == 0 && in.thread.CompareAndSwap(0, tid) {
				return in
			}
		}
	}
	in := new(input)
	in.thread.Store(tid)
	inputs.Lock()
	defer inputs.Unlock()
	var list []*input
	if p := inputs.list.Load(); p != nil {
		list = append(list, *p...)
	}
	list = append(list, in)
	inputs.list.Store(&list)
	return in
}

func (in *input) set(source int64) {
	if in != nil {
		in.source.Store(source)
	}
}

func (in *input) leave() {
	if in != nil {
		in.source.Store(0)
		in.thread.Store(0)
	}
}

// inputTime returns the source time of the message that the calling thread handles, the zero time for
// none.
func inputTime() time.Time {
	tid := int64(unix.Gettid())
	if p := inputs.list.Load(); p != nil {
		for _, in := range *p {
			if in.thread.Load() == tid {
				if source := in.source.Load(); source != 0 {
					return time.Unix(0, source)
				}
			}
		}
	}
	return time.Time{}
}
