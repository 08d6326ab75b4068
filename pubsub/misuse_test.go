package pubsub_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// Whoever waits while something is closed, or begins to wait after that, is told.
func TestWaitOnClosed(t *testing.T) {
	n := newNode(t, "closing")
	pub := must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](n, "waiting", pubsub.DefaultQoS()))
	sub := must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription[std_msgs.String](n, "other", pubsub.DefaultQoS(), nil))
	ctx := context.Background()
	waits := map[string]func() error{
		"subscribers": func() error { return pub.WaitForSubscribers(ctx, 1) },
		"publishers":  func() error { return sub.WaitForPublishers(ctx, 1) },
		"node":        func() error { return n.WaitForNode(ctx, "/none") },
		"topic":       func() error { return n.WaitForTopic(ctx, "none") },
	}
	type result struct {
		what string
		err  error
	}
	for _, when := range []string{"before", "after"} {
		results := make(chan result)
		for what, wait := range waits {
			go func() { results <- result{what, wait()} }()
		}
		if when == "before" {
			time.Sleep(10 * time.Millisecond)
			if err := n.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for range waits {
			if r := <-results; !errors.Is(r.err, pubsub.ErrClosed) {
				t.Errorf("wait for %s from %s closing: %v", r.what, when, r.err)
			}
		}
	}
}

// What is nil by mistake is named.
func TestNilArguments(t *testing.T) {
	n := newNode(t, "nothing")
	pub := must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](n, "nil", pubsub.DefaultQoS()))
	intra := must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](n, "nil", pubsub.DefaultQoS(), pubsub.WithPublisherIntraProcess()))
	sub := must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription[std_msgs.String](n, "nil", pubsub.DefaultQoS(), nil, pubsub.WithSubscriptionIntraProcess()))
	ignore := func(*std_msgs.String, *pubsub.MessageInfo) {}
	var scheduler *nowhere
	for what, try := range map[string]func() error{
		"the node": func() error {
			_, err := pubsub.NewPublisher[std_msgs.String](nil, "nil", pubsub.DefaultQoS())
			return err
		},
		"node is":  func() error { _, err := pubsub.NewSubscription(nil, "nil", pubsub.DefaultQoS(), ignore); return err },
		"option 0": func() error { _, err := pubsub.NewNode("nil", nil); return err },
		"option 0 is": func() error {
			_, err := pubsub.NewPublisher[std_msgs.String](n, "nil", pubsub.DefaultQoS(), nil)
			return err
		},
		"0 is nil":      func() error { _, err := pubsub.NewSubscription(n, "nil", pubsub.DefaultQoS(), ignore, nil); return err },
		"the scheduler": func() error { _, err := pubsub.NewNode("nil", pubsub.WithScheduler(scheduler)); return err },
		"the message":   func() error { return pub.Publish(nil) },
		"message is":    func() error { return intra.PublishOwned(nil) },
		"is a nil":      func() error { return sub.TakeInto(nil, nil) },
		"a nil pointer": func() error { return pub.Dispose(nil) },
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q is not in: %v", what, err)
		}
	}
}

// nowhere is a scheduler that there is none of.
type nowhere struct{ pubsub.Scheduler }

// A callback that does not return, be it one for an event, ends the program, and its topic is named.
func TestPanicNamesTopic(t *testing.T) {
	for how, die := range map[string]func(){
		"the sky falls":       func() { panic("the sky falls") },
		"ended its goroutine": runtime.Goexit,
	} {
		for _, where := range []string{"message", "event"} {
			if name := how + "/" + where; os.Getenv("PINION_TEST_PANIC") == "" {
				t.Run(name, func(t *testing.T) {
					c := exec.Command(os.Args[0], "-test.run=^TestPanicNamesTopic$")
					c.Env = append(os.Environ(), "PINION_TEST_PANIC="+name)
					out, err := c.CombinedOutput()
					if err == nil || !strings.Contains(string(out), "panic in the callback of /deadly: ") || !strings.Contains(string(out), how) {
						t.Errorf("%v\n%s", err, out)
					}
				})
			} else if os.Getenv("PINION_TEST_PANIC") == name {
				dieIn(t, where, die)
			}
		}
	}
}

func dieIn(t *testing.T, where string, die func()) {
	n := newNode(t, "dying")
	var events pubsub.SubscriptionEvents
	if where == "event" {
		events.Matched = func(pubsub.MatchedEvent) { die() }
	}
	_, err := pubsub.NewSubscription(n, "deadly", pubsub.DefaultQoS(), func(*std_msgs.String, *pubsub.MessageInfo) { die() }, pubsub.WithSubscriptionEvents(events))
	if err != nil {
		t.Fatal(err)
	}
	pub := must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](n, "deadly", pubsub.DefaultQoS()))
	for range 1000 {
		if where == "message" {
			if err := pub.Publish(&std_msgs.String{}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Nobody is left to wait for a node of a name that there cannot be.
func TestWaitForImpossibleNode(t *testing.T) {
	n := newNode(t, "waiting")
	for _, name := range []string{"", "talker", "/", "/a b", "//a", "/a/", "/a/1"} {
		if err := n.WaitForNode(context.Background(), name); !errors.Is(err, pubsub.ErrInvalidName) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
