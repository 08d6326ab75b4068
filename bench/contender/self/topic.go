package self

import (
	"context"

	"github.com/pinion-ros/pinion/bench/bench_msgs"
	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/gamepad_msgs"
	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// An outlet publishes stamps in messages of the configured type, which it reuses.
type outlet struct {
	send  func(contender.Stamp) error
	flush func() error
	match func(ctx context.Context, n int) error
}

func openOutlet(c contender.Config, node *pubsub.Node, name string, size int, options ...pubsub.PublisherOption) (*outlet, error) {
	switch c.Type {
	case contender.Gamepad:
		m := gamepad_msgs.NewGamepadState()
		return newOutlet(c, node, name, m, func(s contender.Stamp) { m.Sequence = uint32(s.Number) }, options)
	case contender.Keyed:
		m, instances := bench_msgs.NewKeyedBytes(), uint64(max(c.Instances, 1))
		m.Data = make([]byte, size)
		return newOutlet(c, node, name, m, func(s contender.Stamp) {
			m.Instance = uint32(s.Number % instances)
			s.Put(m.Data)
		}, options)
	}
	m := std_msgs.NewUInt8MultiArray()
	m.Data = make([]byte, size)
	return newOutlet(c, node, name, m, func(s contender.Stamp) { s.Put(m.Data) }, options)
}

func newOutlet[T any, P interface {
	*T
	cdr.Message
}](c contender.Config, node *pubsub.Node, name string, m P, put func(contender.Stamp), options []pubsub.PublisherOption) (*outlet, error) {
	options = append(options, maxBlocking(c))
	if c.Batching {
		options = append(options, pubsub.WithBatching(0))
	}
	p, err := pubsub.NewPublisher[T, P](node, name, qos(c), options...)
	if err != nil {
		return nil, err
	}
	send := func(s contender.Stamp) error { put(s); return p.Publish((*T)(m)) }
	return &outlet{send, p.Flush, p.WaitForSubscribers}, nil
}

// openInlet subscribes to messages of the configured type and returns what waits for publishers.
func openInlet(c contender.Config, node *pubsub.Node, name string, received func(contender.Stamp)) (func(ctx context.Context, n int) error, error) {
	switch c.Type {
	case contender.Gamepad:
		return newInlet(c, node, name, func(m *gamepad_msgs.GamepadState) { received(contender.Stamp{Number: uint64(m.Sequence)}) })
	case contender.Keyed:
		return newInlet(c, node, name, func(m *bench_msgs.KeyedBytes) { received(contender.ReadStamp(m.Data)) })
	}
	return newInlet(c, node, name, func(m *std_msgs.UInt8MultiArray) { received(contender.ReadStamp(m.Data)) })
}

func newInlet[T any, P interface {
	*T
	cdr.Message
}](c contender.Config, node *pubsub.Node, name string, received func(P)) (func(ctx context.Context, n int) error, error) {
	s, err := pubsub.NewSubscription[T, P](node, name, qos(c), func(m *T, _ *pubsub.MessageInfo) { received(m) })
	if err != nil {
		return nil, err
	}
	return s.WaitForPublishers, nil
}
