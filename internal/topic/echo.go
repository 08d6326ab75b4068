package topic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/pubsub"
)

// Echo says what is printed of a topic.
type Echo struct {
	Topic   string
	Type    *dynamic.Type
	QoS     pubsub.QoS
	Style   Style
	Times   int           // messages to print, 0 for no end
	Timeout time.Duration // when to end even so, 0 for never
	Out     io.Writer     // for messages
	Err     io.Writer     // for everything else
	NoLost  bool          // do not tell about lost messages
}

// ErrTimeout is returned where fewer messages came in time than were to be printed.
var ErrTimeout = errors.New("timed out")

// Run prints messages until ctx ends, which is no error, or as many as were asked for.
func (e *Echo) Run(ctx context.Context, n *pubsub.Node) error {
	p, err := newPrinter(e.Type, e.Style)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		out      sync.Mutex // events come on another goroutine than messages
		printed  int
		writeErr error
		told     string // the last error, which would come with every message
	)
	callback := func(payload []byte, info *pubsub.MessageInfo) {
		out.Lock()
		defer out.Unlock()
		if ctx.Err() != nil {
			return
		}
		text, err := p.print(payload, info)
		if err != nil {
			if told != err.Error() {
				told = err.Error()
				fmt.Fprintf(e.Err, "pinion: a message of topic %s cannot be printed: %s\n", e.Topic, told)
			}
			return
		}
		_, writeErr = e.Out.Write(text)
		if printed++; printed == e.Times || writeErr != nil {
			cancel()
		}
	}
	var options []pubsub.SubscriptionOption
	if !e.NoLost {
		options = append(options, pubsub.WithSubscriptionEvents(pubsub.SubscriptionEvents{MessageLost: func(l pubsub.MessageLostEvent) {
			out.Lock()
			defer out.Unlock()
			fmt.Fprintf(e.Err, "A message was lost!!!\n\ttotal count change:%d\n\ttotal count: %d\n---\n", l.Change, l.Lost+l.Overwritten)
		}}))
	}
	cdr.Register(e.Type.CDR()) // so that its hash is announced
	sub, err := pubsub.NewRawSubscription(n, e.Topic, e.Type.String(), e.QoS, callback, options...)
	if err != nil {
		return err
	}
	timedOut := e.wait(ctx)
	closed := sub.Close() // after it nobody writes any more
	return errors.Join(timedOut, closed, writeErr)
}

// wait returns ErrTimeout if messages are still to come when it is time to end.
func (e *Echo) wait(ctx context.Context) error {
	var timeout <-chan time.Time
	if e.Timeout > 0 {
		timeout = time.After(e.Timeout)
	}
	select {
	case <-ctx.Done():
	case <-timeout:
		if e.Times > 0 {
			return fmt.Errorf("topic %s: %w after %v", e.Topic, ErrTimeout, e.Timeout)
		}
	}
	return nil
}
