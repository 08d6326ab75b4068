package demo

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/pinion-ros/pinion/bench/gamepad_msgs"
	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/msgs/trajectory_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

// A control node steers the robot's joints to where the gamepad's stick points.
type control struct {
	command   *pubsub.Publisher[trajectory_msgs.JointTrajectoryPoint]
	setpoint  atomic.Uint64 // two float32, x in the upper half
	out       trajectory_msgs.JointTrajectoryPoint
	work      time.Duration
	published atomic.Uint64
	failed    atomic.Uint64

	joints, gamepad, background flow
}

// A flow measures messages of one kind from the time they should have been sent to the callback.
type flow struct {
	mu      sync.Mutex
	latency *hdrhistogram.Histogram // ns
}

func (f *flow) arrived(info *pubsub.MessageInfo) {
	d := min(max(time.Since(info.SourceTime), 0), time.Minute)
	f.mu.Lock()
	defer f.mu.Unlock()
	// The histogram's range covers d.
	_ = f.latency.RecordValue(int64(d))
}

// snapshot returns the figures so far.
func (f *flow) snapshot() figures {
	f.mu.Lock()
	defer f.mu.Unlock()
	us := func(q float64) time.Duration { return time.Duration(f.latency.ValueAtQuantile(q)) }
	return figures{
		Received: uint64(f.latency.TotalCount()),
		P50:      us(50), P99: us(99), Max: time.Duration(f.latency.Max()),
	}
}

// figures sum a flow up.
type figures struct {
	Received, Sent uint64
	P50, P99, Max  time.Duration
}

// Lost is how many messages did not reach the callback.
func (f figures) Lost() uint64 { return f.Sent - min(f.Sent, f.Received) }

// open creates the node. With an executor the plan decides where callbacks run, without one they
// share a loop.
func (c *control) open(domain uint32, ex *executor.Executor, work time.Duration, log *zap.Logger) (*pubsub.Node, error) {
	options := []pubsub.Option{discovery(domain), pubsub.WithLogger(log)}
	if ex != nil {
		options = append(options, pubsub.WithScheduler(ex))
	}
	node, err := pubsub.NewNode("control", options...)
	if err != nil {
		return nil, err
	}
	if err := c.subscribe(node, work); err != nil {
		node.Close()
		return nil, err
	}
	return node, nil
}

func (c *control) subscribe(node *pubsub.Node, work time.Duration) (err error) {
	c.work = work
	c.out.Effort = make([]float64, joints)
	for _, f := range []*flow{&c.joints, &c.gamepad, &c.background} {
		f.latency = hdrhistogram.New(1, int64(time.Minute), 3)
	}
	qos := pubsub.DefaultQoS()
	if c.command, err = pubsub.NewPublisher[trajectory_msgs.JointTrajectoryPoint](node, commandTopic, qos); err != nil {
		return err
	}
	for i := range backgroundTopics {
		if _, err = pubsub.NewSubscription(node, backgroundTopic(i), qos, c.onBackground); err != nil {
			return err
		}
	}
	if _, err = pubsub.NewSubscription(node, gamepadTopic, qos, c.onGamepad); err != nil {
		return err
	}
	_, err = pubsub.NewSubscription(node, jointTopic, qos, c.onJoints)
	return err
}

func (c *control) onGamepad(m *gamepad_msgs.GamepadState, info *pubsub.MessageInfo) {
	c.gamepad.arrived(info)
	c.setpoint.Store(pack(m.Axes[gamepad_msgs.GamepadState_AXIS_LEFT_X], m.Axes[gamepad_msgs.GamepadState_AXIS_LEFT_Y]))
}

// onJoints is the critical callback: a PD controller towards the set point.
func (c *control) onJoints(m *sensor_msgs.JointState, info *pubsub.MessageInfo) {
	c.joints.arrived(info)
	const stiffness, damping = 100.0, 20.0
	x, y := unpack(c.setpoint.Load())
	for j := range min(len(m.Position), len(m.Velocity), joints) {
		target := x
		if j%2 == 1 {
			target = y
		}
		c.out.Effort[j] = stiffness*(float64(target)-m.Position[j]) - damping*m.Velocity[j]
	}
	if err := c.command.Publish(&c.out); err != nil {
		c.failed.Add(1)
		return
	}
	c.published.Add(1)
}

// onBackground has other things to do: it keeps the processor busy for a while.
func (c *control) onBackground(_ *std_msgs.UInt8MultiArray, info *pubsub.MessageInfo) {
	c.background.arrived(info)
	for end := pubsub.Monotonic() + int64(c.work); pubsub.Monotonic() < end; {
	}
}

// wait lets the executor run until ctx ends; without one the node runs by itself.
func wait(ctx context.Context, ex *executor.Executor) error {
	if ex != nil {
		return ex.Run(ctx)
	}
	<-ctx.Done()
	return nil
}
