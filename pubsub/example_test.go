package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/keyed_msgs"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// exampleDomain is for the examples alone, on the loopback interface. Programs leave it out, and are
// where the environment says.
var exampleDomain = pubsub.WithDiscovery(pubsub.Discovery{
	Domain:   38,
	Range:    pubsub.RangeLocalhost,
	Loopback: true,
	Config:   fmt.Sprintf(`<Domain Id="any"><Discovery><Tag>example_%d</Tag></Discovery></Domain>`, time.Now().UnixNano()),
})

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	node, err := pubsub.NewNode("talker", exampleDomain)
	check(err)
	defer node.Close()

	heard := make(chan string)
	_, err = pubsub.NewSubscription(node, "chatter", pubsub.DefaultQoS(),
		func(m *std_msgs.String, _ *pubsub.MessageInfo) { heard <- m.Data })
	check(err)
	pub, err := pubsub.NewPublisher[std_msgs.String](node, "chatter", pubsub.DefaultQoS())
	check(err)
	check(pub.WaitForSubscribers(ctx, 1))
	check(pub.Publish(&std_msgs.String{Data: "hello"}))
	fmt.Println(<-heard)
	// Output: hello
}

// Names are remapped as on a ROS command line.
func ExampleWithRemap() {
	node, err := pubsub.NewNode("camera", exampleDomain, pubsub.WithNamespace("/left"), pubsub.WithRemap("image:=~/raw"))
	check(err)
	defer node.Close()
	pub, err := pubsub.NewPublisher[sensor_msgs.Image](node, "image", pubsub.SensorDataQoS())
	check(err)
	fmt.Println(node.FullName(), pub.Topic())
	// Output: /left/camera /left/camera/raw
}

// Without a callback, a loop takes the messages.
func ExampleSubscription_All() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	node, err := pubsub.NewNode("listener", exampleDomain)
	check(err)
	defer node.Close()
	sub, err := pubsub.NewSubscription[std_msgs.Int32](node, "count", pubsub.DefaultQoS(), nil)
	check(err)
	pub, err := pubsub.NewPublisher[std_msgs.Int32](node, "count", pubsub.DefaultQoS())
	check(err)
	check(pub.WaitForSubscribers(ctx, 1))
	for i := range int32(3) {
		check(pub.Publish(&std_msgs.Int32{Data: i}))
	}
	for m := range sub.All(ctx) {
		fmt.Println(m.Data)
		if m.Data == 2 {
			break
		}
	}
	// Output:
	// 0
	// 1
	// 2
}

// A control loop takes what is there, and goes on where nothing is.
func ExampleSubscription_TakeInto() {
	node, err := pubsub.NewNode("controller", exampleDomain)
	check(err)
	defer node.Close()
	sub, err := pubsub.NewSubscription[std_msgs.Float64](node, "target", pubsub.DefaultQoS().KeepLast(1), nil)
	check(err)
	var target std_msgs.Float64
	err = sub.TakeInto(&target, nil)
	fmt.Println(errors.Is(err, pubsub.ErrNoMessage))
	// Output: true
}

// The message belongs to nobody any more: subscriptions of this process that agree get it as it is.
func ExamplePublisher_PublishOwned() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	node, err := pubsub.NewNode("camera", exampleDomain)
	check(err)
	defer node.Close()
	same := make(chan bool)
	image := &sensor_msgs.Image{Data: make([]byte, 1<<20)}
	_, err = pubsub.NewSubscription(node, "image", pubsub.DefaultQoS(),
		func(m *sensor_msgs.Image, info *pubsub.MessageInfo) { same <- m == image && info.IntraProcess },
		pubsub.WithSubscriptionIntraProcess())
	check(err)
	pub, err := pubsub.NewPublisher[sensor_msgs.Image](node, "image", pubsub.DefaultQoS(), pubsub.WithPublisherIntraProcess())
	check(err)
	check(pub.WaitForSubscribers(ctx, 1))
	check(pub.PublishOwned(image))
	fmt.Println(<-same)
	// Output: true
}

// A publisher that offers less than a subscription asks for is told.
func ExampleWithPublisherEvents() {
	node, err := pubsub.NewNode("map_server", exampleDomain)
	check(err)
	defer node.Close()
	policy := make(chan string)
	_, err = pubsub.NewPublisher[std_msgs.String](node, "map", pubsub.DefaultQoS(),
		pubsub.WithPublisherEvents(pubsub.PublisherEvents{
			IncompatibleQoS: func(e pubsub.IncompatibleQoSEvent) { policy <- e.Policy },
		}))
	check(err)
	_, err = pubsub.NewSubscription[std_msgs.String](node, "map", pubsub.DefaultQoS().TransientLocal(), nil)
	check(err)
	fmt.Println(<-policy)
	// Output: DURABILITY
}

func ExampleQoS_Incompatible() {
	fmt.Println(pubsub.SensorDataQoS().Incompatible(pubsub.DefaultQoS()))
	// Output: [RELIABILITY]
}

// Recorders and bridges need the name of a type, not its Go code.
func ExampleNewRawSubscription() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	node, err := pubsub.NewNode("recorder", exampleDomain)
	check(err)
	defer node.Close()
	size := make(chan int)
	_, err = pubsub.NewRawSubscription(node, "angle", "std_msgs/msg/Float64", pubsub.DefaultQoS(),
		func(data []byte, _ *pubsub.MessageInfo) { size <- len(data) })
	check(err)
	pub, err := pubsub.NewRawPublisher(node, "angle", "std_msgs/msg/Float64", pubsub.DefaultQoS())
	check(err)
	check(pub.WaitForSubscribers(ctx, 1))
	data, err := cdr.Marshal(&std_msgs.Float64{Data: math.Pi})
	check(err)
	check(pub.Publish(data))
	fmt.Println(<-size, "bytes")
	// Output: 12 bytes
}

func ExampleNode_Endpoints() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	node, err := pubsub.NewNode("driver", exampleDomain)
	check(err)
	defer node.Close()
	_, err = pubsub.NewPublisher[sensor_msgs.Imu](node, "imu", pubsub.SensorDataQoS())
	check(err)
	check(node.WaitForTopic(ctx, "imu"))
	endpoints, err := node.Endpoints("imu")
	check(err)
	for _, e := range endpoints {
		fmt.Println(e.FullNodeName(), e.Type, e.QoS.Reliability)
	}
	// Output: /driver sensor_msgs/msg/Imu best effort
}

func ExampleParamOr() {
	values, err := pubsub.NewParams(map[string]any{"rate": 250.0, "joints": []string{"hip", "knee"}})
	check(err)
	node, err := pubsub.NewNode("leg", exampleDomain, pubsub.WithParams(func(string) pubsub.Params { return values }))
	check(err)
	defer node.Close()
	rate, err := pubsub.ParamOr(node.Params(), "rate", 100.0)
	check(err)
	gain, err := pubsub.ParamOr(node.Params(), "gain", 1.5)
	check(err)
	joints, err := pubsub.Param[[]string](node.Params(), "joints")
	check(err)
	fmt.Println(rate, gain, joints)
	// Output: 250 1.5 [hip knee]
}

// turns is a scheduler: it runs all callbacks on one goroutine, in the order of arrival.
type turns struct{ queue *pubsub.Queue }

func (s turns) Place(*pubsub.Receiver) (pubsub.Placement, error) {
	return pubsub.Placement{Queue: s.queue}, nil
}

func (s turns) Remove(*pubsub.Receiver) {}

func (s turns) run() {
	var ready [16]pubsub.Ready
	for s.queue.Wait() {
		for n := s.queue.Pop(ready[:]); n > 0; n = s.queue.Pop(ready[:]) {
			for _, r := range ready[:n] {
				if _, more := r.Receiver.Dispatch(1); more {
					r.Receiver.Requeue()
				}
			}
		}
	}
}

func ExampleScheduler() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	queue, err := pubsub.NewQueue()
	check(err)
	defer queue.Free()
	done := make(chan struct{})
	go func() {
		defer close(done)
		turns{queue}.run()
	}()

	node, err := pubsub.NewNode("adder", exampleDomain, pubsub.WithScheduler(turns{queue}))
	check(err)
	var sum atomic.Int64
	heard := make(chan struct{}, 4)
	_, err = pubsub.NewSubscription(node, "summand", pubsub.DefaultQoS(), func(m *std_msgs.Int64, _ *pubsub.MessageInfo) {
		sum.Add(m.Data)
		heard <- struct{}{}
	})
	check(err)
	pub, err := pubsub.NewPublisher[std_msgs.Int64](node, "summand", pubsub.DefaultQoS())
	check(err)
	check(pub.WaitForSubscribers(ctx, 1))
	for i := range int64(4) {
		check(pub.Publish(&std_msgs.Int64{Data: i}))
	}
	for range 4 {
		<-heard
	}
	check(node.Close())
	queue.Close()
	<-done
	fmt.Println(sum.Load())
	// Output: 6
}

// The last message of a latched topic reaches whoever subscribes later.
func ExampleQoS() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	node, err := pubsub.NewNode("map_server", exampleDomain)
	check(err)
	defer node.Close()
	latched := pubsub.DefaultQoS().KeepLast(1).TransientLocal()
	pub, err := pubsub.NewPublisher[std_msgs.String](node, "map_name", latched)
	check(err)
	for _, name := range []string{"cellar", "hall"} {
		check(pub.Publish(&std_msgs.String{Data: name}))
	}
	sub, err := pubsub.NewSubscription[std_msgs.String](node, "map_name", latched, nil)
	check(err)
	for m := range sub.All(ctx) {
		fmt.Println(m.Data)
		break
	}
	// Output: hall
}

// A program without a callback asks when it likes.
func ExampleSubscription_Take() {
	node, err := pubsub.NewNode("logger", exampleDomain)
	check(err)
	defer node.Close()
	sub, err := pubsub.NewSubscription[std_msgs.String](node, "log", pubsub.DefaultQoS(), nil)
	check(err)
	switch m, info, err := sub.Take(); {
	case errors.Is(err, pubsub.ErrNoMessage):
		fmt.Println("nothing new")
	case err != nil:
		log.Fatal(err)
	default:
		fmt.Println(info.SourceTime, m.Data)
	}
	// Output: nothing new
}

// What a subscription has to do with its publishers is told by events.
func ExampleWithSubscriptionEvents() {
	node, err := pubsub.NewNode("watchdog", exampleDomain)
	check(err)
	defer node.Close()
	came, late := make(chan int, 1), make(chan struct{}, 1)
	qos := pubsub.DefaultQoS()
	qos.Deadline = 50 * time.Millisecond
	_, err = pubsub.NewSubscription(node, "heartbeat", qos, func(*std_msgs.Empty, *pubsub.MessageInfo) {},
		pubsub.WithSubscriptionEvents(pubsub.SubscriptionEvents{
			Matched: func(e pubsub.MatchedEvent) {
				if e.CurrentChange > 0 {
					came <- e.Current
				}
			},
			DeadlineMissed: func(pubsub.CountEvent) {
				select {
				case late <- struct{}{}:
				default: // once is enough
				}
			},
		}))
	check(err)
	pub, err := pubsub.NewPublisher[std_msgs.Empty](node, "heartbeat", qos)
	check(err)
	fmt.Println(<-came, "publisher")
	check(pub.Publish(&std_msgs.Empty{}))
	<-late
	fmt.Println("no heartbeat in time")
	// Output:
	// 1 publisher
	// no heartbeat in time
}

// A field marked @key in the definition makes one topic carry many things, each with a history and a
// life of its own.
func ExamplePublisher_Dispose() {
	node, err := pubsub.NewNode("rooms", exampleDomain)
	check(err)
	defer node.Close()
	ended := make(chan string)
	qos := pubsub.DefaultQoS()
	_, err = pubsub.NewSubscription(node, "sensors", qos, func(m *keyed_msgs.Sensor, info *pubsub.MessageInfo) {
		if info.State == pubsub.InstanceDisposed {
			ended <- fmt.Sprintf("sensor %d of room %d is gone", m.Number, m.Room)
		}
	}, pubsub.WithInstanceStates())
	check(err)
	pub, err := pubsub.NewPublisher[keyed_msgs.Sensor](node, "sensors", qos)
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	check(pub.WaitForSubscribers(ctx, 1))
	sensor := &keyed_msgs.Sensor{Room: 3, Number: 7, Value: 21.5}
	check(pub.Publish(sensor))
	check(pub.Dispose(sensor))
	fmt.Println(<-ended)
	// Output: sensor 7 of room 3 is gone
}

// The graph tells who is there, and when that changes.
func ExampleNode_GraphChanged() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	node, err := pubsub.NewNode("monitor", exampleDomain)
	check(err)
	defer node.Close()
	_, err = pubsub.NewPublisher[sensor_msgs.Imu](node, "imu", pubsub.SensorDataQoS())
	check(err)
	for {
		changed := node.GraphChanged() // before looking, so that no change is missed
		topics, err := node.Topics()
		check(err)
		i := slices.IndexFunc(topics, func(t pubsub.TopicInfo) bool { return t.Name == "/imu" })
		if i >= 0 {
			fmt.Println(topics[i].Name, topics[i].Types)
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			log.Fatal(ctx.Err())
		}
	}
	// Output: /imu [sensor_msgs/msg/Imu]
}

// Settings of the environment can be changed in code.
func ExampleDiscoveryFromEnv() {
	d, err := pubsub.DiscoveryFromEnv()
	check(err)
	d.Domain, d.Range = 38, pubsub.RangeLocalhost
	node, err := pubsub.NewNode("simulated", pubsub.WithDiscovery(d))
	check(err)
	defer node.Close()
	fmt.Println(node.Domain())
	// Output: 38
}
