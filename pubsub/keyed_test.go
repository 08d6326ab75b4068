package pubsub_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/keyed_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

//go:generate go run github.com/pinion-ros/pinion/cmd/msggen gen -out ../internal ../internal/keyed_msgs

type (
	sensorPub = pubsub.Publisher[keyed_msgs.Sensor]
	sensorSub = pubsub.Subscription[keyed_msgs.Sensor]
)

func sensor(room uint8, number int32, value float64) *keyed_msgs.Sensor {
	return &keyed_msgs.Sensor{Room: room, Name: fmt.Sprintf("sensor %d", number), Number: number, Value: value}
}

// Each instance has a history of its own, here and beyond the participant.
func TestKeyedHistory(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("keyed")
	qos := pubsub.DefaultQoS().KeepLast(2).TransientLocal()
	pub := must[*sensorPub](t)(pubsub.NewPublisher[keyed_msgs.Sensor](n, "sensors", qos))
	for i := range 5 {
		for number := range int32(3) {
			if err := pub.Publish(sensor(1, number, float64(i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	near := must[*sensorSub](t)(pubsub.NewSubscription[keyed_msgs.Sensor](n, "sensors", qos, nil))
	remote := make(chan *keyed_msgs.Sensor, 100)
	must[*sensorSub](t)(pubsub.NewSubscription(newInline(t, d, "far"), "sensors", qos,
		func(m *keyed_msgs.Sensor, _ *pubsub.MessageInfo) { remote <- m.Clone() }))
	for who, next := range map[string]func() *keyed_msgs.Sensor{
		"near": func() *keyed_msgs.Sensor { m, _ := pubsubtest.Next(t, near); return m },
		"far":  func() *keyed_msgs.Sensor { return pubsubtest.Receive(t, remote) },
	} {
		values := map[int32][]float64{}
		for range 6 {
			m := next()
			values[m.Number] = append(values[m.Number], m.Value)
		}
		for number := range int32(3) {
			if got := fmt.Sprint(values[number]); got != "[3 4]" {
				t.Errorf("%s: instance %d has %s", who, number, got)
			}
		}
	}
}

// Subscriptions that ask for it learn what becomes of instances.
func TestInstanceStates(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("keyed")
	qos := pubsub.DefaultQoS()
	type seen struct {
		sensor keyed_msgs.Sensor
		state  pubsub.InstanceState
	}
	subscribe := func(n *pubsub.Node) chan seen {
		ch := make(chan seen, 100)
		must[*sensorSub](t)(pubsub.NewSubscription(n, "sensors", qos, func(m *keyed_msgs.Sensor, info *pubsub.MessageInfo) {
			ch <- seen{*m.Clone(), info.State}
		}, pubsub.WithInstanceStates()))
		return ch
	}
	states := map[string]chan seen{"near": subscribe(n), "far": subscribe(newInline(t, d, "far"))}
	polled := must[*sensorSub](t)(pubsub.NewSubscription[keyed_msgs.Sensor](n, "sensors", qos, nil, pubsub.WithInstanceStates()))
	plain := must[*sensorSub](t)(pubsub.NewSubscription[keyed_msgs.Sensor](n, "sensors", qos, nil))
	pub := must[*sensorPub](t)(pubsub.NewPublisher[keyed_msgs.Sensor](n, "sensors", qos))
	if err := pub.WaitForSubscribers(pubsubtest.Context(t), 4); err != nil {
		t.Fatal(err)
	}
	expect := func(m *keyed_msgs.Sensor, state pubsub.InstanceState) {
		t.Helper()
		for who, ch := range states {
			if s := pubsubtest.Receive(t, ch); !s.sensor.Equal(m) || s.state != state {
				t.Errorf("%s: got %v %v, want %v %v", who, s.state, &s.sensor, state, m)
			}
		}
		if got, info := pubsubtest.Next(t, polled); !got.Equal(m) || info.State != state {
			t.Errorf("polled: got %v %v, want %v %v", info.State, got, state, m)
		}
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	key := func(room uint8, number int32) *keyed_msgs.Sensor {
		return &keyed_msgs.Sensor{Room: room, Number: number}
	}
	a, b := sensor(1, -7, 1.5), sensor(2, -7, 2.5)
	check(pub.Publish(a))
	expect(a, pubsub.InstanceAlive)
	check(pub.Publish(b))
	expect(b, pubsub.InstanceAlive)
	check(pub.Dispose(a))
	expect(key(1, -7), pubsub.InstanceDisposed)
	check(pub.Publish(a))
	expect(a, pubsub.InstanceAlive)
	check(pub.Unregister(b))
	expect(key(2, -7), pubsub.InstanceUnowned)
	check(pub.Close())
	expect(key(1, -7), pubsub.InstanceUnowned)
	for range 3 { // a, b and a again
		pubsubtest.Next(t, plain)
	}
	if m, _, err := plain.Take(); !errors.Is(err, pubsub.ErrNoMessage) {
		t.Errorf("a subscription that does not ask gets %v, %v", m, err)
	}
}

func TestNoKey(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("keyless")
	pub := newString(t, n, "x", pubsub.DefaultQoS())
	for _, err := range []error{
		pub.Dispose(&std_msgs.String{}),
		pub.Unregister(&std_msgs.String{}),
		second(pubsub.NewSubscription[std_msgs.String](n, "x", pubsub.DefaultQoS(), nil, pubsub.WithInstanceStates())),
	} {
		if !errors.Is(err, pubsub.ErrNoKey) {
			t.Error(err)
		}
	}
}

// The key that C finds is the one that package cdr finds, in messages of both byte orders and in what is
// no message.
func TestKeyHash(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("keyed")
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string { return string(make([]byte, random.IntN(9))) }
	for _, make := range []func() cdr.Message{
		func() cdr.Message { return sensor(uint8(random.Int()), int32(random.Int()), random.Float64()) },
		func() cdr.Message {
			m := keyed_msgs.NewWide()
			m.Before, m.Wide, m.After = text(), text(), text()
			for range random.IntN(4) {
				m.Places = append(m.Places, keyed_msgs.Place{Label: text(), Coordinates: []float64{1, 2}[:random.IntN(3)]})
				m.Flags = append(m.Flags, true)
			}
			m.Pair[1] = keyed_msgs.Slot{Floor: uint16(random.Int()), Shelf: uint8(random.Int()), Number: random.Int64()}
			m.Ids[0], m.Flag = random.Uint64(), random.IntN(2) == 1
			return m
		},
	} {
		layout := make().CDRType().Key
		keyHash := must[func([]byte) ([16]byte, bool)](t)(pubsub.KeyHash(n, make().CDRType().Name))
		for range 500 {
			payload, err := cdr.Marshal(make())
			if err != nil {
				t.Fatal(err)
			}
			want, err := layout.Hash(payload)
			if got, ok := keyHash(payload); !ok || err != nil || got != want {
				t.Fatalf("got % x, want % x, %v for % x", got, want, err, payload)
			}
			payload[1] = 0 // the same bytes, read as big-endian
			want, err = layout.Hash(payload)
			if got, ok := keyHash(payload); ok != (err == nil) || ok && got != want {
				t.Fatalf("big-endian: got % x, %v, want % x, %v for % x", got, ok, want, err, payload)
			}
			payload[1] = 1
			cut := payload[:random.IntN(len(payload)-4)+4]
			binary.LittleEndian.PutUint32(payload[4:], random.Uint32())
			want, err = layout.Hash(cut)
			if got, ok := keyHash(cut); ok != (err == nil) || ok && got != want {
				t.Fatalf("cut: got % x, %v, want % x, %v for % x", got, ok, want, err, cut)
			}
		}
	}
}

// The callback of a path that ends instances never waits for the path, which could not acknowledge
// what came before.
func TestLaneEndsInstances(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	n := newInline(t, d, "lane")
	qos := pubsub.DefaultQoS().KeepAll()
	pub := must[*sensorPub](t)(pubsub.NewPublisher[keyed_msgs.Sensor](n, "sensors", qos, pubsub.WithMaxBlocking(time.Minute)))
	m := &keyed_msgs.Sensor{Name: strings.Repeat("x", 1<<20)}
	errs := make(chan error, 1000)
	must[*pubsub.Subscription[std_msgs.Int32]](t)(pubsub.NewSubscription(n, "go", qos, func(*std_msgs.Int32, *pubsub.MessageInfo) {
		for range 100 {
			if err := pub.Publish(m); err != nil {
				errs <- err
				break
			}
		}
		errs <- pub.Dispose(m)
		errs <- pub.Unregister(m)
	}))
	must[*sensorSub](t)(pubsub.NewSubscription(n, "sensors", qos, func(*keyed_msgs.Sensor, *pubsub.MessageInfo) {}))
	start := must[*pubsub.Publisher[std_msgs.Int32]](t)(pubsub.NewPublisher[std_msgs.Int32](d.NewNode("start"), "go", qos))
	pubsubtest.WaitForMatch(t, pub, start)
	if err := start.Publish(&std_msgs.Int32{}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := pubsubtest.Receive(t, errs); !errors.Is(err, pubsub.ErrTimeout) {
			t.Errorf("got %v, want a timeout", err)
		}
	}
}
