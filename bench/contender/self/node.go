package self

import (
	"context"

	"github.com/pinion-ros/pinion/bench/bench_msgs"
	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/contender/role"
	"github.com/pinion-ros/pinion/bench/gamepad_msgs"
	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// A node is a role.Node of this library.
type node struct {
	*pubsub.Node
	config    contender.Config
	scheduler *scheduler
}

func newNode(name string, c contender.Config, s *scheduler) (*node, error) {
	n, err := pubsub.NewNode(name, append(s.options(), discovery(c))...)
	if err != nil {
		return nil, err
	}
	return &node{n, c, s}, nil
}

// Run is for role.Node, as are Outlet and Inlet.
func (n *node) Run(ctx context.Context) error { return n.scheduler.run(ctx) }

func (n *node) Outlet(topic string, size int, feed string) (role.Outlet, error) {
	switch n.config.Type {
	case contender.Gamepad:
		m := gamepad_msgs.NewGamepadState()
		return newOutlet(n, topic, feed, m, func(s contender.Stamp) { m.Sequence = uint32(s.Number) })
	case contender.Keyed:
		m, instances := bench_msgs.NewKeyedBytes(), uint64(max(n.config.Instances, 1))
		m.Data = make([]byte, size)
		return newOutlet(n, topic, feed, m, func(s contender.Stamp) {
			m.Instance = uint32(s.Number % instances)
			s.Put(m.Data)
		})
	}
	m := std_msgs.NewUInt8MultiArray()
	m.Data = make([]byte, size)
	return newOutlet(n, topic, feed, m, func(s contender.Stamp) { s.Put(m.Data) })
}

// An outlet puts each stamp into the same message.
type outlet[T any] struct {
	*pubsub.Publisher[T]
	message *T
	put     func(contender.Stamp)
}

// Send is for role.Outlet.
func (o *outlet[T]) Send(s contender.Stamp) error {
	o.put(s)
	return o.Publish(o.message)
}

type message[T any] interface {
	*T
	cdr.Message
}

func newOutlet[T any, P message[T]](n *node, topic, feed string, m P, put func(contender.Stamp)) (role.Outlet, error) {
	options := []pubsub.PublisherOption{maxBlocking(n.config)}
	if feed != "" {
		options = append(options, executor.UsedBy(feed))
	}
	if n.config.Batching {
		options = append(options, pubsub.WithBatching(0))
	}
	p, err := pubsub.NewPublisher[T, P](n.Node, topic, qos(n.config), options...)
	if err != nil {
		return nil, err
	}
	return &outlet[T]{p, m, put}, nil
}

func (n *node) Inlet(topic string, received func(contender.Stamp)) (role.Inlet, error) {
	switch n.config.Type {
	case contender.Gamepad:
		return newInlet(n, topic, func(m *gamepad_msgs.GamepadState) { received(contender.Stamp{Number: uint64(m.Sequence)}) })
	case contender.Keyed:
		return newInlet(n, topic, func(m *bench_msgs.KeyedBytes) { received(contender.ReadStamp(m.Data)) })
	}
	return newInlet(n, topic, func(m *std_msgs.UInt8MultiArray) { received(contender.ReadStamp(m.Data)) })
}

func newInlet[T any, P message[T]](n *node, topic string, received func(P)) (role.Inlet, error) {
	s, err := pubsub.NewSubscription[T, P](n.Node, topic, qos(n.config), func(m *T, _ *pubsub.MessageInfo) { received(m) })
	if err != nil {
		return nil, err
	}
	return s, nil
}
