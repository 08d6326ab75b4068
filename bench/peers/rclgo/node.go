package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/contender/role"
	gamepad_msgs_msg "github.com/pinion-ros/pinion/bench/peers/rclgo/msgs/gamepad_msgs/msg"
	std_msgs_msg "github.com/pinion-ros/pinion/bench/peers/rclgo/msgs/std_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// A node is a role.Node of rclgo.
type node struct {
	*rclgo.Node
	config contender.Config
}

// Run is for role.Node, as are Outlet and Inlet.
func (n *node) Run(ctx context.Context) error {
	if err := n.Spin(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func (n *node) Outlet(topic string, size int, _ string) (role.Outlet, error) {
	options := &rclgo.PublisherOptions{Qos: qos(n.config)}
	if n.config.Type == contender.Gamepad {
		p, err := gamepad_msgs_msg.NewGamepadStatePublisher(n.Node, topic, options)
		if err != nil {
			return nil, fmt.Errorf("publish on %s: %w", topic, err)
		}
		m := gamepad_msgs_msg.NewGamepadState()
		send := func(s contender.Stamp) error { m.Sequence = uint32(s.Number); return p.Publish(m) }
		return &outlet{send, p.GetSubscriptionCount}, nil
	}
	p, err := std_msgs_msg.NewUInt8MultiArrayPublisher(n.Node, topic, options)
	if err != nil {
		return nil, fmt.Errorf("publish on %s: %w", topic, err)
	}
	m := std_msgs_msg.NewUInt8MultiArray()
	m.Data = make([]byte, size)
	send := func(s contender.Stamp) error { s.Put(m.Data); return p.Publish(m) }
	return &outlet{send, p.GetSubscriptionCount}, nil
}

// An outlet publishes stamps in messages of the configured type, which it reuses.
type outlet struct {
	send        func(contender.Stamp) error
	subscribers func() (int, error)
}

// Send is for role.Outlet, as are the others.
func (o *outlet) Send(s contender.Stamp) error { return o.send(s) }

func (o *outlet) Flush() error { return nil }

// WaitForAcknowledgements does nothing: rclgo has no such call.
func (o *outlet) WaitForAcknowledgements(context.Context) error { return nil }

func (o *outlet) WaitForSubscribers(ctx context.Context, n int) error {
	return wait(ctx, n, "subscribers", o.subscribers)
}

func (n *node) Inlet(topic string, received func(contender.Stamp)) (role.Inlet, error) {
	options := &rclgo.SubscriptionOptions{Qos: qos(n.config)}
	// An error in a callback means that the message was taken already.
	if n.config.Type == contender.Gamepad {
		s, err := gamepad_msgs_msg.NewGamepadStateSubscription(n.Node, topic, options, func(m *gamepad_msgs_msg.GamepadState, _ *rclgo.MessageInfo, err error) {
			if err == nil {
				received(contender.Stamp{Number: uint64(m.Sequence)})
			}
		})
		if err != nil {
			return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
		}
		return &inlet{s.GetPublisherCount}, nil
	}
	s, err := std_msgs_msg.NewUInt8MultiArraySubscription(n.Node, topic, options, func(m *std_msgs_msg.UInt8MultiArray, _ *rclgo.MessageInfo, err error) {
		if err == nil {
			received(contender.ReadStamp(m.Data))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
	}
	return &inlet{s.GetPublisherCount}, nil
}

type inlet struct{ publishers func() (int, error) }

// WaitForPublishers is for role.Inlet.
func (i *inlet) WaitForPublishers(ctx context.Context, n int) error {
	return wait(ctx, n, "publishers", i.publishers)
}

// wait asks every millisecond how many there are: rclgo tells nobody when that changes.
func wait(ctx context.Context, n int, what string, count func() (int, error)) error {
	for {
		have, err := count()
		if err != nil || have >= n {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %d %s, there are %d: %w", n, what, have, ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}
