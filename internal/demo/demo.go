package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/pinion-ros/pinion/bench/machine"
	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/internal/warnings"
	"github.com/pinion-ros/pinion/internal/wrap"
	"go.uber.org/zap"
)

// Config says how the demo runs.
type Config struct {
	Domain   uint32
	Duration time.Duration // of each of the two parts
	Work     time.Duration // that a background callback takes
	Out      io.Writer
	Robot    func(ctx context.Context, domain uint32, d time.Duration) *exec.Cmd // starts RunRobot in another process
}

// RobotCommand returns the command that plays the robot, which is this program.
func RobotCommand(ctx context.Context, domain uint32, d time.Duration) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/proc/self/exe", "demo", "--robot",
		"--domain", strconv.FormatUint(uint64(domain), 10), "--duration", d.String())
	cmd.Stderr = os.Stderr
	return cmd
}

// outcome is what one part of the demo measured.
type outcome struct {
	Name                        string
	Joints, Gamepad, Background figures
	Commands, CommandsReceived  uint64
	Late                        uint64
	Thread                      string // how the critical callback's thread was scheduled
}

// Run runs both parts and prints what came out.
func Run(ctx context.Context, c Config) error {
	out := newScreen(c.Out)
	out.printf("%s\n", wrap.Text(fmt.Sprintf("A robot sends joint states at 1 kHz, a gamepad at 250 Hz and %d background topics at 300 Hz. "+
		"A control node in this process answers every joint state. Each background callback takes %s. "+
		"Rates are of the last second, p50, p99 and max of all joint states of the part so far: from when they were due to the callback.",
		backgroundTopics, us(c.Work)), 0))
	host := machine.Describe()
	shared, err := c.part(ctx, out, "shared loop", nil)
	if err != nil {
		return err
	}
	notes := &warnings.List{}
	ex, err := newExecutor(notes)
	if err != nil {
		return err
	}
	defer ex.Close()
	lane, err := c.part(ctx, out, "lane", ex)
	if err != nil {
		return err
	}
	after := machine.ReadLoad()
	host.After = &after
	out.printf("\n%s\n%s\n", table(shared, lane), wrap.Text(verdict(shared, lane), 0))
	for _, note := range append(notes.Texts(), disturbances(&host, 2*c.Duration)...) {
		out.printf("%s\n", wrap.Text("Note: "+note, 0))
	}
	return nil
}

const lanePriority = 80

// newExecutor gives the critical topic a lane on the last CPU and the rest to the others.
func newExecutor(notes *warnings.List) (*executor.Executor, error) {
	cpus, err := executor.AllowedCPUs()
	if err != nil {
		return nil, err
	}
	plan := executor.Plan{Lanes: []executor.Lane{{
		Name: "control", Topics: []string{"/" + jointTopic}, Policy: executor.FIFO, Priority: lanePriority,
	}}}
	if n := len(cpus); n > 1 {
		plan.Lanes[0].CPUs, plan.Background.CPUs = cpus[n-1:], cpus[:n-1]
	} else {
		// A real-time thread must not share its only CPU with the Go runtime's threads.
		plan.Lanes[0].Policy, plan.Lanes[0].Priority = executor.Other, 0
		notes.Add("this machine has one CPU, so the lane is neither pinned nor real-time")
	}
	return executor.New(executor.WithPlan(plan), executor.WithBestEffort(), executor.WithLogger(zap.New(notes)))
}

// part runs robot and control node once.
func (c Config) part(ctx context.Context, out *screen, name string, ex *executor.Executor) (outcome, error) {
	given := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	runtime.GC() // the garbage of one part is not to be the next one's pause
	node := &control{}
	n, err := node.open(c.Domain, ex, c.Work, zap.NewNop())
	if err != nil {
		return outcome{}, err
	}
	defer n.Close()
	robot := c.Robot(ctx, c.Domain, c.Duration)
	var report bytes.Buffer
	robot.Stdout = &report
	if err := robot.Start(); err != nil {
		return outcome{}, fmt.Errorf("start the robot: %w", err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- robot.Wait()
		time.Sleep(200 * time.Millisecond) // what is on the way still arrives
		cancel()
	}()
	live := make(chan struct{})
	go func() {
		defer close(live)
		out.live(ctx, name, node)
	}()
	runErr := wait(ctx, ex)
	cancel()
	<-live
	robotErr := <-ended
	if err := given.Err(); err != nil { // which ended the robot
		return outcome{}, err
	}
	if err := errors.Join(runErr, robotError(robotErr)); err != nil {
		return outcome{}, err
	}
	o := outcome{
		Name: name, Joints: node.joints.snapshot(), Gamepad: node.gamepad.snapshot(), Background: node.background.snapshot(),
		Commands: node.published.Load(), Thread: "one for all topics",
	}
	if ex != nil {
		for _, t := range ex.Stats().Lanes[0].Threads {
			o.Thread = t.String()
		}
	}
	return o, o.add(report.Bytes())
}

func robotError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the robot's process: %w", err)
}

// add completes the figures with what the robot has counted.
func (o *outcome) add(report []byte) error {
	var s sent
	if err := json.Unmarshal(report, &s); err != nil {
		return fmt.Errorf("the robot's report %q: %w", report, err)
	}
	if s.Error != "" {
		return fmt.Errorf("the robot: %s", s.Error)
	}
	o.Joints.Sent, o.Gamepad.Sent, o.Background.Sent = s.Joints, s.Gamepad, s.Background
	o.Late, o.CommandsReceived = s.Late, s.Commands
	return nil
}
