package executor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
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
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
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
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
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

// Callbacks that share variables without a lock are put into a group.
func ExampleInGroup() {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
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
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	ex, err := executor.New(executor.WithWorkers(2), executor.WithSpareProcs(3))
	check(err)
	defer ex.Close()
	timer, err := ex.NewTimer("report", time.Millisecond, func(*executor.TimerInfo) {
		defer stop()
		budget := ex.Stats().Budget
		fmt.Println(budget.Workers, "workers,", budget.Spare, "spare,", budget.Procs >= budget.Need())
	})
	check(err)
	defer timer.Close()
	check(ex.Run(ctx))
	// Output: 2 workers, 3 spare, true
}
