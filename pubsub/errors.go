package pubsub

import "errors"

var (
	// ErrClosed is returned by operations on something that was closed.
	ErrClosed = errors.New("closed")

	// ErrTimeout is returned by Publish when a reliable publisher did not get space for the message
	// within its maximum blocking time. The message was not sent.
	ErrTimeout = errors.New("no space within the maximum blocking time, message not sent")

	// ErrInDelivery is returned by operations that a callback on a receive path must not do, because
	// they would wait for the very thread it runs on.
	ErrInDelivery = errors.New("not allowed in a callback that runs inside delivery: do it from another goroutine")
)
