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

var (
	errNilMessage = errors.New("the message is a nil pointer")
	errNilNode    = errors.New("the node is a nil pointer: check the error of NewNode")
	errGoexit     = errors.New("it ended its goroutine, by runtime.Goexit or a test's FailNow or Fatal: let it return")
)

// checkNil looks at the arguments of what makes an endpoint.
func checkNil[O ~func(*T), T any](n *Node, options []O) error {
	if n == nil {
		return errNilNode
	}
	for i, option := range options {
		if option == nil {
			return fmt.Errorf("option %d is nil", i)
		}
	}
	return nil
}

// PanicError is what the program panics with when a callback has, of a message or of an event.
type PanicError struct {
	Topic string
	Value any // what the callback panicked with; an error where it ended the goroutine instead
}

// newPanic makes one of what recover returned in a callback that did not return.
func newPanic(topic string, recovered any) *PanicError {
	if recovered == nil {
		recovered = errGoexit
	}
	return &PanicError{topic, recovered}
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic in the callback of %s: %v", e.Topic, e.Value)
}

// Unwrap returns the value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
