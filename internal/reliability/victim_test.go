//go:build long

package reliability

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/internal/keyed_msgs"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// status is what a victim tells of itself.
type status struct {
	Topics   map[string]pubsub.ReceiverStats
	Numbers  received       // of the friend's stream
	Types    map[string]int // publishers with another type
	Warnings int            // lines in the log
	Reached  uint64         // samples out of packets that our types got to see
	Refused  uint64         // of them
}

// stats is any subscription.
type stats interface {
	Topic() string
	GUID() pubsub.GUID
	Stats() pubsub.ReceiverStats
	EventCounts() pubsub.EventCounts
}

// victim is the role of a node that subscribes to what mallory and a friend publish. It says "ready",
// with the prefix of its participant, and answers each "ask" with its "status".
func victim(c *console) error {
	var d pubsub.Discovery
	if err := c.hear("config", &d); err != nil {
		return err
	}
	var warnings atomic.Int64
	core := zapcore.NewCore(zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig()), os.Stderr, zap.WarnLevel)
	log := zap.New(core, zap.Hooks(func(zapcore.Entry) error { warnings.Add(1); return nil }))
	node, err := pubsub.NewNode("victim", pubsub.WithDiscovery(d), pubsub.WithRosout(false), pubsub.WithLogger(log))
	if err != nil {
		return err
	}
	defer node.Close()
	all := pubsub.DefaultQoS().KeepAll()
	numbers := &listener{heard: func() {}}
	var subs []stats
	for _, subscribe := range []func() (stats, error){
		func() (stats, error) { return pubsub.NewSubscription(node, "/numbers", all, numbers.message) },
		func() (stats, error) { return pubsub.NewSubscription(node, "/text", all, ignore[std_msgs.String]) },
		func() (stats, error) {
			return pubsub.NewSubscription(node, "/large", all, ignore[std_msgs.UInt8MultiArray])
		},
		func() (stats, error) { return pubsub.NewSubscription(node, "/keyed", all, ignore[keyed_msgs.Sensor]) },
		func() (stats, error) {
			return pubsub.NewSubscription(node, "/joints", pubsub.SensorDataQoS().KeepAll(), ignore[sensor_msgs.JointState])
		},
	} {
		s, err := subscribe()
		if err != nil {
			return err
		}
		subs = append(subs, s)
	}
	guid := subs[0].GUID()
	if err := c.say("ready", guid[:12]); err != nil {
		return err
	}
	for {
		switch err := c.hear("ask", nil); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		s := status{Topics: map[string]pubsub.ReceiverStats{}, Types: map[string]int{}, Warnings: int(warnings.Load())}
		s.Reached, s.Refused = cyclone.Samples()
		for _, sub := range subs {
			s.Topics[sub.Topic()] = sub.Stats()
			s.Types[sub.Topic()] = sub.EventCounts().IncompatibleType
		}
		numbers.mu.Lock()
		s.Numbers = numbers.r
		numbers.mu.Unlock()
		if err := c.say("status", s); err != nil {
			return err
		}
	}
}

func ignore[M any](*M, *pubsub.MessageInfo) {}

// identity is what others need to speak in mallory's name.
type identity struct {
	Prefix []byte // of its participant
	Writer []byte // entity id of its publisher of joints, which never publishes
}

// mallory is the role of the peer whose packets are damaged. It says "identity" and publishes until the
// test has nothing more to say.
func mallory(c *console) error {
	var d pubsub.Discovery
	if err := c.hear("config", &d); err != nil {
		return err
	}
	node, err := pubsub.NewNode("mallory", pubsub.WithDiscovery(d), pubsub.WithRosout(false))
	if err != nil {
		return err
	}
	defer node.Close()
	all := pubsub.DefaultQoS().KeepAll()
	text, err1 := pubsub.NewPublisher[std_msgs.String](node, "/text", all)
	large, err2 := pubsub.NewPublisher[std_msgs.UInt8MultiArray](node, "/large", pubsub.DefaultQoS())
	keyed, err3 := pubsub.NewPublisher[keyed_msgs.Sensor](node, "/keyed", pubsub.DefaultQoS())
	joints, err4 := pubsub.NewPublisher[sensor_msgs.JointState](node, "/joints", pubsub.SensorDataQoS())
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	guid := joints.GUID()
	if err := c.say("identity", identity{guid[:12], guid[12:]}); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- untilEOF(c) }()
	s, array, reading := std_msgs.NewString(), (&stream{Size: 40_000}).message(), keyed_msgs.NewSensor()
	for i := 0; ; i++ {
		s.Data, reading.Number, reading.Name = fmt.Sprint("text ", i), int32(i%10), fmt.Sprint("sensor ", i)
		for _, err := range []error{text.Publish(s), large.Publish(array), keyed.Publish(reading)} {
			// Damaged packets in its name may keep it from being acknowledged.
			if err != nil && !errors.Is(err, pubsub.ErrTimeout) {
				return err
			}
		}
		select {
		case err := <-done:
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// friend is the role of a peer whose stream must not suffer. It says "ready", hears "go" and, to end the
// stream, "end", and says "sent" with the last number.
func friend(c *console) error {
	var s stream
	if err := c.hear("config", &s); err != nil {
		return err
	}
	node, err := pubsub.NewNode("friend", pubsub.WithDiscovery(s.Discovery), pubsub.WithRosout(false))
	if err != nil {
		return err
	}
	defer node.Close()
	p, err := pubsub.NewPublisher[std_msgs.UInt8MultiArray](node, s.Topic, s.QoS)
	if err != nil {
		return err
	}
	if err := errors.Join(c.say("ready", nil), s.introduce(c, p)); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- c.hear("end", nil) }()
	m, number := s.message(), uint64(1)
	for ; ; number++ {
		binary.LittleEndian.PutUint64(m.Data, number)
		for err = p.Publish(m); errors.Is(err, pubsub.ErrTimeout); err = p.Publish(m) {
		}
		if err != nil {
			return err
		}
		select {
		case err := <-done:
			if err != nil {
				return err
			}
			if err := c.say("sent", number); err != nil {
				return err
			}
			return untilEOF(c)
		case <-time.After(time.Duration(float64(time.Second) / s.Rate)):
		}
	}
}
