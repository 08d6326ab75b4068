package pubsub

import (
	"errors"
	"slices"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/cyclone"
)

// InstanceState tells what is known of an instance: of what the messages with one key are about. Types
// without a key, which are all of ROS 2, have one instance.
type InstanceState uint8

// The states of instances (DDS 1.4, 2.2.2.5.1.3).
const (
	InstanceAlive    InstanceState = iota // there is a publisher, and none has disposed of it
	InstanceDisposed                      // a publisher said that it is no more
	InstanceUnowned                       // no publisher is left that knows it
)

// String returns "alive", "disposed" or "unowned".
func (s InstanceState) String() string { return [...]string{"alive", "disposed", "unowned"}[s] }

func instanceState(dds int32) InstanceState {
	switch dds {
	case cyclone.Disposed:
		return InstanceDisposed
	case cyclone.NoWriters:
		return InstanceUnowned
	}
	return InstanceAlive
}

// WithInstanceStates has a subscription of a type with a key told of instances that are disposed of or
// lose their last publisher: by MessageInfo.State, of a message that waits or else of one of which only
// the key is set.
func WithInstanceStates() SubscriptionOption {
	return func(o *subscriptionOptions) { o.states = true }
}

// ErrNoKey is returned where a type needs a key and has none.
var ErrNoKey = errors.New("the message type has no key")

// Dispose tells subscriptions that the instance with the key of m is no more. The rest of m does not
// count.
func (p *Publisher[T]) Dispose(m *T) error { return p.end(m, cyclone.Loan.Dispose) }

// Unregister tells that the publisher will not publish about the instance with the key of m any more,
// as closing does for all of its instances.
func (p *Publisher[T]) Unregister(m *T) error { return p.end(m, cyclone.Loan.Unregister) }

// An ending is what becomes of an instance, a method of cyclone.Loan.
type ending func(l cyclone.Loan, source time.Time, wait bool) error

func (p *Publisher[T]) end(m *T, how ending) error {
	if m == nil {
		return p.s.wrap(errNilMessage)
	}
	return p.s.end(p.message(m), how)
}

func (s *sender) end(m cdr.Message, how ending) error {
	if m.CDRType().Key == nil {
		return s.wrap(ErrNoKey)
	}
	loan, err := s.marshal(m)
	if err == nil {
		err = how(loan, time.Time{}, !s.onPath())
	}
	if err != nil {
		return s.wrap(err)
	}
	return nil
}

// decodeKey fills the key of m.
func decodeKey(key []byte, m cdr.Message) error {
	k, ok := m.(cdr.KeyedMessage)
	if !ok {
		return ErrNoKey
	}
	var d cdr.Decoder
	d.Reset(key, false)
	k.DecodeKeyCDR(&d)
	return d.Err()
}

// keyOf returns where the key of a type lies, nil for types without one and those that are not known.
func keyOf(typeName string) []cyclone.KeyStep {
	if t := cdr.Lookup(typeName); t != nil {
		return keySteps(t.Key)
	}
	return nil
}

// keySteps lays out the parts of structs behind them.
func keySteps(layout cdr.KeyLayout) []cyclone.KeyStep {
	var steps []cyclone.KeyStep
	for _, s := range layout {
		body := keySteps(s.Steps)
		step := cyclone.KeyStep{Kind: cyclone.KeyKind(s.Kind), Width: uint32(s.Width), Count: uint32(s.Count), Body: uint32(len(body))}
		if s.Key || hasKey(body) {
			step.Key = 1
		}
		steps = append(append(steps, step), body...)
	}
	return steps
}

func hasKey(steps []cyclone.KeyStep) bool {
	return slices.ContainsFunc(steps, func(s cyclone.KeyStep) bool { return s.Key != 0 })
}
