package pubsubtest

import (
	"context"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// Timeout is how long the functions of this package wait for what must happen before they fail the
// test. It is longer than it takes until a participant is announced again whose announcement was lost, which
// is 30 s.
const Timeout = time.Minute

// Context returns a context that ends after Timeout or with the test.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	t.Cleanup(cancel)
	return ctx
}

// Must returns a function that passes on the first result of a call and fails the test where the
// second is an error: pub := pubsubtest.Must[*Publisher](t)(newPublisher()).
func Must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// WaitForMatch waits until each of the publishers has a subscription and each of the subscriptions
// a publisher.
func WaitForMatch(t testing.TB, endpoints ...any) {
	t.Helper()
	ctx := Context(t)
	for _, e := range endpoints {
		var err error
		switch e := e.(type) {
		case interface {
			WaitForSubscribers(context.Context, int) error
		}:
			err = e.WaitForSubscribers(ctx, 1)
		case interface {
			WaitForPublishers(context.Context, int) error
		}:
			err = e.WaitForPublishers(ctx, 1)
		default:
			t.Fatalf("a %T is neither a publisher nor a subscription", e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Next waits for a message of a subscription without a callback. The message is the caller's.
func Next[T any](t testing.TB, s *pubsub.Subscription[T]) (*T, *pubsub.MessageInfo) {
	t.Helper()
	for m, info := range s.All(Context(t)) {
		return m, info
	}
	t.Fatalf("no message came on %s", s.Topic())
	return nil, nil
}

// Receive waits for a value from a channel, which a callback sends.
func Receive[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	select {
	case v, ok := <-ch:
		if !ok {
			t.Fatal("the channel was closed")
		}
		return v
	case <-time.After(Timeout):
		t.Fatal("nothing came")
	}
	panic("unreachable")
}

// Eventually waits until ok returns true.
func Eventually(t testing.TB, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(Timeout); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come about")
		}
	}
}
