// Package role plays the roles of a contender that is written in Go, whatever library carries its
// messages: that is behind the interface Node.
package role

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
)

// The topics of a ping-pong.
const (
	PingTopic = "/bench/ping"
	PongTopic = "/bench/pong"
)

// Topic returns the name of a one-way topic. Number 0 is the critical one.
func Topic(i int) string {
	if i == 0 {
		return "/bench/critical"
	}
	return fmt.Sprintf("/bench/background_%d", i)
}

// A Node is made of the library that takes part. Its topics have the type and the quality of service
// that the configuration asks for.
type Node interface {
	// Outlet publishes on a topic, in messages of size bytes of data. If feed is not empty, messages
	// are sent by the callback of that topic.
	Outlet(topic string, size int, feed string) (Outlet, error)
	// Inlet subscribes to a topic. Calls of received for the same topic do not overlap.
	Inlet(topic string, received func(contender.Stamp)) (Inlet, error)
	// Run runs callbacks until ctx ends.
	Run(ctx context.Context) error
	// Close takes the node and its topics down. After it no callback runs.
	Close() error
}

// An Outlet publishes stamps. It is used by one goroutine at a time.
type Outlet interface {
	Send(contender.Stamp) error
	// Flush sends what a batch still holds.
	Flush() error
	// WaitForAcknowledgements returns when everything has arrived that was sent, as far as the library
	// can tell, or with an error when ctx ends.
	WaitForAcknowledgements(ctx context.Context) error
	// WaitForSubscribers returns when there are n, or with an error when ctx ends.
	WaitForSubscribers(ctx context.Context, n int) error
}

// An Inlet is a subscription.
type Inlet interface {
	// WaitForPublishers returns when there are n, or with an error when ctx ends.
	WaitForPublishers(ctx context.Context, n int) error
}

// Serve reads the configuration from the first line of in, plays and writes the result to out. The
// context of a subscriber and of a pong ends when in does.
func Serve(ctx context.Context, in io.Reader, out io.Writer, play func(context.Context, contender.Config) (*contender.Result, error)) error {
	input := bufio.NewReader(in)
	line, err := input.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	var c contender.Config
	if err := json.Unmarshal(line, &c); err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.Role == contender.Subscriber || c.Role == contender.Pong {
		go func() {
			// Whether the input ends well or with an error, nobody is there any more.
			_, _ = io.Copy(io.Discard, input)
			cancel()
		}()
	}
	result, err := play(ctx, c)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(result)
}

// beside runs the callbacks of a node while work is done, and closes the node.
func beside(ctx context.Context, n Node, work func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ran := make(chan error, 1)
	go func() { ran <- n.Run(ctx) }()
	err := work(ctx)
	cancel()
	return errors.Join(err, <-ran, n.Close())
}

const (
	matching      = time.Minute           // how long the other side may take to be there
	settling      = 50 * time.Millisecond // for the other side to know as well
	acknowledging = time.Second           // for what has to be sent again
)
