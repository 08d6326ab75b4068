package main

import (
	"fmt"
	"strconv"

	"github.com/pinion-ros/pinion/bench/contender"
	gamepad_msgs_msg "github.com/pinion-ros/pinion/bench/peers/rclgo/msgs/gamepad_msgs/msg"
	std_msgs_msg "github.com/pinion-ros/pinion/bench/peers/rclgo/msgs/std_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo"
)

func topicName(i int) string {
	if i == 0 {
		return "/bench/critical"
	}
	return "/bench/background_" + strconv.Itoa(i)
}

// An outlet publishes stamps in messages of the configured type, which it reuses.
type outlet struct {
	send        func(contender.Stamp) error
	subscribers func() (int, error)
	close       func() error
}

func openOutlet(c contender.Config, node *rclgo.Node, topic string, size int) (*outlet, error) {
	options := &rclgo.PublisherOptions{Qos: qos(c)}
	if c.Type == contender.Gamepad {
		p, err := gamepad_msgs_msg.NewGamepadStatePublisher(node, topic, options)
		if err != nil {
			return nil, fmt.Errorf("publish on %s: %w", topic, err)
		}
		m := gamepad_msgs_msg.NewGamepadState()
		send := func(s contender.Stamp) error { m.Sequence = uint32(s.Number); return p.Publish(m) }
		return &outlet{send, p.GetSubscriptionCount, p.Close}, nil
	}
	p, err := std_msgs_msg.NewUInt8MultiArrayPublisher(node, topic, options)
	if err != nil {
		return nil, fmt.Errorf("publish on %s: %w", topic, err)
	}
	m := std_msgs_msg.NewUInt8MultiArray()
	m.Data = make([]byte, size)
	send := func(s contender.Stamp) error { s.Put(m.Data); return p.Publish(m) }
	return &outlet{send, p.GetSubscriptionCount, p.Close}, nil
}

// An inlet hands over the stamps of messages of the configured type.
type inlet struct {
	publishers func() (int, error)
	close      func() error
}

func openInlet(c contender.Config, node *rclgo.Node, topic string, received func(contender.Stamp)) (*inlet, error) {
	options := &rclgo.SubscriptionOptions{Qos: qos(c)}
	// An error in a callback means that the message was taken already.
	if c.Type == contender.Gamepad {
		s, err := gamepad_msgs_msg.NewGamepadStateSubscription(node, topic, options, func(m *gamepad_msgs_msg.GamepadState, _ *rclgo.MessageInfo, err error) {
			if err == nil {
				received(contender.Stamp{Number: uint64(m.Sequence)})
			}
		})
		if err != nil {
			return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
		}
		return &inlet{s.GetPublisherCount, s.Close}, nil
	}
	s, err := std_msgs_msg.NewUInt8MultiArraySubscription(node, topic, options, func(m *std_msgs_msg.UInt8MultiArray, _ *rclgo.MessageInfo, err error) {
		if err == nil {
			received(contender.ReadStamp(m.Data))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
	}
	return &inlet{s.GetPublisherCount, s.Close}, nil
}
