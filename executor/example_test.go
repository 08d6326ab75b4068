package executor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/statistics_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

// exampleDomain is for the examples alone, on the loopback interface. Programs leave it out, and are
// where the environment says.
var exampleDomain = pubsub.WithDiscovery(pubsub.Discovery{
	Domain:   39,
	Range:    pubsub.RangeLocalhost,
	Loopback: true,
	Config:   fmt.Sprintf(`<Domain Id="any"><Discovery><Tag>example_%d</Tag></Discovery></Domain>`, time.Now().UnixNano()),
})

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A topic on a lane, and one in the background.
func Example() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	plan, err := executor.ParsePlan("schedule.yaml", []byte(`
lanes: {control: {topics: [/effort]}}
background: {workers: 2}
`))
	check(err)
	ex, err := executor.New(executor.WithPlan(*plan))
	check(err)
	defer ex.Close()
	node, err := pubsub.NewNode("arm", exampleDomain, pubsub.WithScheduler(ex))
	check(err)
	defer node.Close()

	_, err = pubsub.NewSubscription(node, "map", pubsub.DefaultQoS(), func(*std_msgs.String, *pubsub.MessageInfo) {})
	check(err)
	_, err = pubsub.NewSubscription(node, "effort", pubsub.DefaultQoS(), func(m *std_msgs.Float64, _ *pubsub.MessageInfo) {
		fmt.Println("effort", m.Data)
		stop()
	})
	check(err)
	pub, err := pubsub.NewPublisher[std_msgs.Float64](node, "effort", pubsub.DefaultQoS())
	check(err)
	check(pub.WaitForSubscribers(ctx, 1))
	check(pub.Publish(&std_msgs.Float64{Data: 1.5}))
	check(ex.Run(ctx))
	// Output: effort 1.5
}

func ExamplePlan_Check() {
	plan, err := executor.ParsePlan("schedule.yaml", []byte(`
lanes:
  fast: {cpus: [1], policy: fifo, priority: 80, topics: [/imu]}
  slow: {cpus: [1], policy: fifo, priority: 60, topics: [/odom]}
topics:
  /imu:  {rate: 1000, budget: 200us, deadline: 1ms}
  /odom: {rate: 100, budget: 2ms, deadline: 2ms}
`))
	check(err)
	analysis, err := plan.Check()
	for _, r := range analysis.Responses {
		fmt.Println(r.Name, r.Bound)
	}
	fmt.Println(errors.Is(err, executor.ErrPlan))
	// Output:
	// /imu 200µs
	// /odom 2.6ms
	// true
}

func ExamplePlan_LaneOf() {
	plan := executor.Plan{Lanes: []executor.Lane{
		{Name: "vision", Topics: []string{"/cam/**"}},
		{Name: "front", Topics: []string{"/cam/front/image"}},
	}}
	fmt.Println(plan.LaneOf("/cam/front/image").Name, plan.LaneOf("/cam/left/image").Name, plan.LaneOf("/scan"))
	// Output: front vision <nil>
}

func ExampleExecutor_NewTimer() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	ex, err := executor.New()
	check(err)
	defer ex.Close()
	calls := 0
	timer, err := ex.NewTimer("balance", 5*time.Millisecond, func(t *executor.TimerInfo) {
		if calls++; calls == 3 {
			fmt.Println("called", calls, "times, never early:", t.Start >= t.Due)
			stop()
		}
	})
	check(err)
	defer timer.Close()
	check(ex.Run(ctx))
	// Output: called 3 times, never early: true
}

// When nothing comes any more, a timer on the lane knows first: it shares the thread with the callback, so
// they need no lock. That the publisher broke its QoS deadline is told elsewhere, on the goroutine of events.
func Example_silence() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	plan, err := executor.ParsePlan("schedule.yaml", []byte(`
lanes: {balance: {topics: [/imu], timers: [watch]}}
timers: {watch: {rate: 200}}
`))
	check(err)
	ex, err := executor.New(executor.WithPlan(*plan))
	check(err)
	defer ex.Close()
	node, err := pubsub.NewNode("arm", exampleDomain, pubsub.WithScheduler(ex))
	check(err)
	defer node.Close()

	const silence = 20 * time.Millisecond
	qos := pubsub.DefaultQoS()
	qos.Deadline, qos.Lease = silence, 100*time.Millisecond
	var last int64
	missed := make(chan struct{}, 1)
	_, err = pubsub.NewSubscription(node, "imu", qos, func(_ *std_msgs.Float64, info *pubsub.MessageInfo) { last = info.Arrival },
		pubsub.WithSubscriptionEvents(pubsub.SubscriptionEvents{DeadlineMissed: func(pubsub.CountEvent) {
			select {
			case missed <- struct{}{}:
			default: // once is enough
			}
		}}))
	check(err)
	timer, err := ex.NewTimer("watch", 5*time.Millisecond, func(*executor.TimerInfo) {
		if ctx.Err() != nil || last == 0 || pubsub.Monotonic()-last <= int64(silence) {
			return
		}
		fmt.Println("the lane knows")
		stop()
	})
	check(err)
	defer timer.Close()
	pub, err := pubsub.NewPublisher[std_msgs.Float64](node, "imu", qos) // must offer the deadline and the lease
	check(err)
	check(pub.WaitForSubscribers(ctx, 1))
	check(pub.Publish(&std_msgs.Float64{}))
	check(ex.Run(ctx))
	<-missed
	fmt.Println("the events know")
	// Output:
	// the lane knows
	// the events know
}

// Callbacks that share variables without a lock are put into a group.
func ExampleInGroup() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	ex, err := executor.New(executor.WithWorkers(4))
	check(err)
	defer ex.Close()
	node, err := pubsub.NewNode("fusion", exampleDomain, pubsub.WithScheduler(ex))
	check(err)
	defer node.Close()

	heard := 0
	count := func(*std_msgs.Empty, *pubsub.MessageInfo) {
		if heard++; heard == 2 {
			stop()
		}
	}
	group := executor.NewExclusiveGroup()
	for _, topic := range []string{"gps", "compass"} {
		_, err = pubsub.NewSubscription(node, topic, pubsub.DefaultQoS(), count, executor.InGroup(group))
		check(err)
		pub, err := pubsub.NewPublisher[std_msgs.Empty](node, topic, pubsub.DefaultQoS())
		check(err)
		check(pub.WaitForSubscribers(ctx, 1))
		check(pub.Publish(&std_msgs.Empty{}))
	}
	check(ex.Run(ctx))
	fmt.Println(heard)
	// Output: 2
}

func ExampleExecutor_Stats() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	ex, err := executor.New(executor.WithWorkers(2), executor.WithSpareProcs(3))
	check(err)
	defer ex.Close()
	timer, err := ex.NewTimer("report", time.Millisecond, func(*executor.TimerInfo) {
		if ctx.Err() != nil {
			return // it was called once more before the end
		}
		defer stop()
		budget := ex.Stats().Budget
		fmt.Println(budget.Workers, "workers,", budget.Spare, "spare,", budget.Procs >= budget.Need())
	})
	check(err)
	defer timer.Close()
	check(ex.Run(ctx))
	// Output: 2 workers, 3 spare, true
}

// A lane for control on a CPU of its own, above everything else of the machine. Without the rights that
// this takes, or without a second CPU, WithBestEffort has the program run all the same and log what it
// lacks.
func ExampleWithBestEffort() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	cpus, err := executor.AllowedCPUs()
	check(err)
	lane := executor.Lane{Name: "control", Topics: []string{"/effort"}, Policy: executor.FIFO, Priority: 80, CPUs: cpus[len(cpus)-1:]}
	ex, err := executor.New(executor.WithPlan(executor.Plan{Lanes: []executor.Lane{lane}}), executor.WithBestEffort(),
		executor.WithLogger(zap.NewNop()))
	check(err)
	defer ex.Close()
	node, err := pubsub.NewNode("arm", exampleDomain, pubsub.WithScheduler(ex))
	check(err)
	defer node.Close()
	_, err = pubsub.NewSubscription(node, "effort", pubsub.DefaultQoS(), func(m *std_msgs.Float64, _ *pubsub.MessageInfo) {
		fmt.Println("effort", m.Data)
		stop()
	})
	check(err)
	pub, err := pubsub.NewPublisher[std_msgs.Float64](node, "effort", pubsub.DefaultQoS())
	check(err)
	check(pub.WaitForSubscribers(ctx, 1))
	check(pub.Publish(&std_msgs.Float64{Data: 1.5}))
	check(ex.Run(ctx))
	// Output: effort 1.5
}

// publishTo publishes a number each millisecond until ctx ends.
func publishTo(ctx context.Context, topic string) {
	node, err := pubsub.NewNode("source", exampleDomain)
	check(err)
	defer node.Close()
	pub, err := pubsub.NewPublisher[std_msgs.Float64](node, topic, pubsub.SensorDataQoS())
	check(err)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		check(pub.Publish(&std_msgs.Float64{Data: 1}))
		<-tick.C
	}
}

// Each topic has a lane of its own, all of the same kind.
func ExampleNewDedicated() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	ex, err := executor.NewDedicated(executor.Lane{Mode: executor.Woken})
	check(err)
	defer ex.Close()
	node, err := pubsub.NewNode("arm", exampleDomain, pubsub.WithScheduler(ex))
	check(err)
	defer node.Close()
	for _, topic := range []string{"left", "right"} {
		_, err = pubsub.NewSubscription(node, topic, pubsub.SensorDataQoS(), func(*std_msgs.Float64, *pubsub.MessageInfo) { stop() })
		check(err)
	}
	go publishTo(ctx, "left")
	check(ex.Run(ctx))
	fmt.Println(len(ex.Stats().Lanes), "lanes")
	// Output: 2 lanes
}

// One thread for everything, as the single-threaded executors of ROS 2 have.
func ExampleNewShared() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	ex, err := executor.NewShared()
	check(err)
	defer ex.Close()
	node, err := pubsub.NewNode("arm", exampleDomain, pubsub.WithScheduler(ex))
	check(err)
	defer node.Close()
	_, err = pubsub.NewSubscription(node, "angle", pubsub.SensorDataQoS(), func(m *std_msgs.Float64, _ *pubsub.MessageInfo) { stop() })
	check(err)
	go publishTo(ctx, "angle")
	check(ex.Run(ctx))
	fmt.Println(ex.Stats().Topics[0].Received > 0)
	// Output: true
}

// One goroutine for everything, which waits and handles in turns, as rclgo has.
func ExampleNewLoop() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	ex, err := executor.NewLoop()
	check(err)
	defer ex.Close()
	node, err := pubsub.NewNode("arm", exampleDomain, pubsub.WithScheduler(ex))
	check(err)
	defer node.Close()
	_, err = pubsub.NewSubscription(node, "angle", pubsub.SensorDataQoS(), func(m *std_msgs.Float64, _ *pubsub.MessageInfo) { stop() })
	check(err)
	go publishTo(ctx, "angle")
	check(ex.Run(ctx))
	fmt.Println(ex.Stats().Topics[0].Received > 0)
	// Output: true
}

// A chain is measured from the source time of its first message to the end of its last callback. What
// is published on the way carries that time along.
func ExampleChain() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	ex, err := executor.New(executor.WithPlan(executor.Plan{
		Chains: []executor.Chain{{Name: "reflex", Topics: []string{"/touch", "/retract"}, Deadline: time.Minute}},
	}))
	check(err)
	defer ex.Close()
	node, err := pubsub.NewNode("arm", exampleDomain, pubsub.WithScheduler(ex))
	check(err)
	defer node.Close()

	retract, err := pubsub.NewPublisher[std_msgs.Float64](node, "retract", pubsub.SensorDataQoS(), pubsub.WithInputTime())
	check(err)
	_, err = pubsub.NewSubscription(node, "touch", pubsub.SensorDataQoS(), func(m *std_msgs.Float64, _ *pubsub.MessageInfo) {
		check(retract.Publish(&std_msgs.Float64{Data: -m.Data}))
	})
	check(err)
	_, err = pubsub.NewSubscription(node, "retract", pubsub.SensorDataQoS(), func(m *std_msgs.Float64, _ *pubsub.MessageInfo) { stop() })
	check(err)
	go publishTo(ctx, "touch")
	check(ex.Run(ctx))
	reflex := ex.Stats().Chains[0]
	fmt.Println(reflex.Name, reflex.EndToEnd().TotalCount() > 0, reflex.DeadlineMisses)
	// Output: reflex true 0
}

// Statistics go to a topic, where pinion top shows them.
func ExampleExecutor_PublishStatistics() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	ex, err := executor.New()
	check(err)
	defer ex.Close()
	node, err := pubsub.NewNode("arm", exampleDomain, pubsub.WithScheduler(ex))
	check(err)
	defer node.Close()
	step, err := ex.NewTimer("step", time.Millisecond, func(*executor.TimerInfo) {})
	check(err)
	defer step.Close()

	_, err = pubsub.NewSubscription(node, executor.StatisticsTopic, pubsub.DefaultQoS(),
		func(m *statistics_msgs.MetricsMessage, _ *pubsub.MessageInfo) {
			if ctx.Err() == nil && m.MetricsSource == "wakeup_jitter" {
				fmt.Println(m.MeasurementSourceName, "in", m.Unit)
				stop()
			}
		})
	check(err)
	published := make(chan error)
	go func() { published <- ex.PublishStatistics(ctx, node, 20*time.Millisecond) }()
	check(ex.Run(ctx))
	check(<-published)
	// Output: arm timer step in ms
}
