package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/bench/gamepad_msgs"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/msgs/trajectory_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"golang.org/x/sys/unix"
)

// sent is what the robot tells the control node when it is done.
type sent struct {
	Joints, Gamepad, Background uint64
	Late                        uint64 // joint states sent more than a period after their time
	Commands                    uint64 // received
	Error                       string
}

// senderPriority is that of the thread that sends joint states, below the lane's. What it is late by
// counts in the latencies, which are not to tell about the robot.
const senderPriority = lanePriority - 10

// A robot has six joints with a motor each: it sends where they are and takes efforts for them.
type robot struct {
	joints     *pubsub.Publisher[sensor_msgs.JointState]
	gamepad    *pubsub.Publisher[gamepad_msgs.GamepadState]
	background []*pubsub.Publisher[std_msgs.UInt8MultiArray]

	mu       sync.Mutex
	effort   [joints]float64
	commands uint64
}

// RunRobot plays the robot for the given time and writes what it has sent to out as JSON. It waits
// for the control node first.
func RunRobot(ctx context.Context, domain uint32, duration time.Duration, out io.Writer) error {
	node, err := pubsub.NewNode("robot", discovery(domain))
	if err != nil {
		return err
	}
	defer node.Close()
	r := &robot{}
	if err := r.open(ctx, node); err != nil {
		return err
	}
	s := r.run(ctx, duration)
	return json.NewEncoder(out).Encode(s)
}

// open creates the publishers and waits until all are heard.
func (r *robot) open(ctx context.Context, node *pubsub.Node) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // half of which may pass before an announcement is repeated
	defer cancel()
	qos := pubsub.DefaultQoS()
	_, err = pubsub.NewSubscription(node, commandTopic, qos, r.command)
	if err != nil {
		return err
	}
	if r.joints, err = pubsub.NewPublisher[sensor_msgs.JointState](node, jointTopic, qos); err != nil {
		return err
	}
	if r.gamepad, err = pubsub.NewPublisher[gamepad_msgs.GamepadState](node, gamepadTopic, qos); err != nil {
		return err
	}
	for i := range backgroundTopics {
		p, err := pubsub.NewPublisher[std_msgs.UInt8MultiArray](node, backgroundTopic(i), qos)
		if err != nil {
			return err
		}
		r.background = append(r.background, p)
	}
	for _, p := range r.background {
		if err := p.WaitForSubscribers(ctx, 1); err != nil {
			return fmt.Errorf("the control node does not listen: %w", err)
		}
	}
	return errors.Join(r.joints.WaitForSubscribers(ctx, 1), r.gamepad.WaitForSubscribers(ctx, 1))
}

func (r *robot) command(m *trajectory_msgs.JointTrajectoryPoint, _ *pubsub.MessageInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commands++
	copy(r.effort[:], m.Effort)
}

// run sends until duration is over; the three senders have a thread each.
func (r *robot) run(ctx context.Context, duration time.Duration) sent {
	ctx, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	runtime.GOMAXPROCS(max(4, runtime.GOMAXPROCS(0)))
	var s sent
	errs := make([]error, 3)
	start := time.Now().Add(20 * time.Millisecond)
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread() // for good: the thread ends with its scheduling
		attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Priority: senderPriority}
		// Without the permission it is late more often, which the report says.
		_ = unix.SchedSetAttr(0, attr, 0)
		s.Joints, s.Late, errs[0] = r.sendJoints(ctx, start)
	})
	wg.Go(func() { s.Gamepad, errs[1] = r.sendGamepad(ctx, start) })
	wg.Go(func() { s.Background, errs[2] = r.sendBackground(ctx, start) })
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		s.Error = err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Commands = r.commands
	return s
}

// every calls f with the times start, start+period, ... on a thread of its own until ctx ends. A call
// that comes late is not left out and does not shift the later ones.
func every(ctx context.Context, start time.Time, period time.Duration, f func(i int, at time.Time) error) (uint64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i := 0; ; i++ {
		at := start.Add(time.Duration(i) * period)
		sleepUntil(at)
		if ctx.Err() != nil {
			return uint64(i), nil
		}
		if err := f(i, at); err != nil {
			return uint64(i), err
		}
	}
}

// sleepUntil sleeps on the kernel's clock: the timers of the Go runtime are made for coarser work.
func sleepUntil(at time.Time) {
	deadline := unix.NsecToTimespec(pubsub.Monotonic() + int64(time.Until(at)))
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &deadline, nil) == unix.EINTR {
	}
}

// sendJoints moves the joints and tells where they are, 1000 times a second.
func (r *robot) sendJoints(ctx context.Context, start time.Time) (n, late uint64, err error) {
	m := sensor_msgs.NewJointState()
	for i := range joints {
		m.Name = append(m.Name, fmt.Sprintf("joint_%d", i+1))
	}
	m.Position, m.Velocity, m.Effort = make([]float64, joints), make([]float64, joints), make([]float64, joints)
	n, err = every(ctx, start, jointPeriod, func(_ int, at time.Time) error {
		if time.Since(at) > jointPeriod {
			late++
		}
		r.mu.Lock()
		copy(m.Effort, r.effort[:])
		r.mu.Unlock()
		move(m, jointPeriod.Seconds())
		m.Header.Stamp.Sec, m.Header.Stamp.Nanosec = int32(at.Unix()), uint32(at.Nanosecond())
		return r.joints.PublishAt(m, at)
	})
	return n, late, err
}

// move lets the efforts act on joints of unit inertia with a little friction for dt seconds.
func move(m *sensor_msgs.JointState, dt float64) {
	const friction = 0.5
	for j := range m.Position {
		m.Velocity[j] += (m.Effort[j] - friction*m.Velocity[j]) * dt
		m.Position[j] += m.Velocity[j] * dt
	}
}

// sendGamepad lets somebody turn the left stick in circles.
func (r *robot) sendGamepad(ctx context.Context, start time.Time) (uint64, error) {
	var m gamepad_msgs.GamepadState
	return every(ctx, start, gamepadPeriod, func(i int, at time.Time) error {
		sin, cos := math.Sincos(2 * math.Pi * at.Sub(start).Seconds() / 3)
		m.Sequence = uint32(i)
		m.Stamp.Sec, m.Stamp.Nanosec = int32(at.Unix()), uint32(at.Nanosecond())
		m.Axes[gamepad_msgs.GamepadState_AXIS_LEFT_X], m.Axes[gamepad_msgs.GamepadState_AXIS_LEFT_Y] = float32(cos), float32(sin)
		return r.gamepad.PublishAt(&m, at)
	})
}

// sendBackground spreads the topics evenly over their period.
func (r *robot) sendBackground(ctx context.Context, start time.Time) (uint64, error) {
	m := std_msgs.NewUInt8MultiArray()
	m.Data = make([]uint8, 64)
	return every(ctx, start, backgroundPeriod/backgroundTopics, func(i int, at time.Time) error {
		return r.background[i%backgroundTopics].PublishAt(m, at)
	})
}
