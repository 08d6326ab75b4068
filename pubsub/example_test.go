package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/cdr"
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
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
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
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
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
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
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
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
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
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
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
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
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
