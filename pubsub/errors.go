package pubsub

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is returned by operations on something that was closed.
	ErrClosed = errors.New("closed")

	// ErrTimeout is returned by Publish when a reliable publisher did not get space for the message
	// within its maximum blocking time, or one with best effort at once, on a lane. The message was not sent.
	ErrTimeout = errors.New("no space within the maximum blocking time, message not sent")

	// ErrInDelivery is returned by operations that a callback on a receive path must not do, because
	// they would wait for the very thread it runs on.
	ErrInDelivery = errors.New("not allowed in a callback that runs inside delivery: do it from another goroutine")
)

// PanicError is what the program panics with when a callback has.
type PanicError struct {
	Topic string
	Value any // what the callback panicked with
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic in the callback of %s: %v", e.Topic, e.Value)
}

// Unwrap returns the value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
