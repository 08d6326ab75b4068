package self

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/contender/role"
	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

// Mode is a way to get messages to callbacks.
type Mode struct{ Name, What string }

// Modes lists the modes of this contender.
func Modes() []Mode {
	return []Mode{
		{"critical", "the critical topic on a lane of its own, from the socket to the callback; the others in a pool"},
		{"critical:woken", "like critical, with the callback on a thread that the receiving one wakes"},
		{isolated, "the critical topic on a lane in a process of its own; the others in a pool in another process"},
		{"dedicated", "each topic on a lane of its own"},
		{"shared", "all callbacks on one loop, the oldest message first"},
		{"loop", "all callbacks on one goroutine as rclgo spins: a wait set, its ready ones in map order"},
	}
}

// A scheduler runs callbacks in one of the modes.
type scheduler struct {
	executor *executor.Executor // nil for publishers, which need none
}

func newScheduler(c contender.Config, log *zap.Logger) (*scheduler, error) {
	if c.Role == contender.Publisher {
		return &scheduler{}, nil
	}
	plan, err := plan(c)
	if err != nil {
		return nil, err
	}
	options := []executor.Option{executor.WithBestEffort(), executor.WithLogger(log)}
	var e *executor.Executor
	switch mode, variant, _ := strings.Cut(c.Mode, ":"); mode {
	case "critical", "dedicated":
		if c.Mode == isolated {
			if c.Role == contender.Within {
				return nil, fmt.Errorf("mode %s is two processes, and role %s is one", c.Mode, c.Role)
			}
			plan.Lanes[0].Isolate, variant = executor.Process, ""
		}
		plan.Lanes[0].Mode = executor.Mode(variant)
		options = append(options, executor.WithPlan(plan))
		if mode == "critical" {
			e, err = executor.New(options...)
		} else {
			e, err = executor.NewDedicated(executor.Lane{Mode: executor.Mode(variant), CPUs: plan.Background.CPUs}, options...)
		}
	case "shared":
		e, err = executor.NewShared(options...)
	case "loop":
		e, err = executor.NewLoop(options...)
	default:
		err = fmt.Errorf("unknown mode %q", c.Mode)
	}
	return &scheduler{e}, err
}

// plan gives the critical topic of the role a lane.
func plan(c contender.Config) (executor.Plan, error) {
	critical, background, err := cpuLists(c)
	if err != nil {
		return executor.Plan{}, err
	}
	name := role.Topic(0)
	switch c.Role {
	case contender.Ping:
		name = role.PongTopic
	case contender.Pong:
		name = role.PingTopic
	}
	lane := executor.Lane{Name: "critical", Topics: []string{name}, CPUs: critical}
	if c.Role == contender.Timer {
		lane.Topics, lane.Timers = nil, []string{timerName}
	}
	if c.Policy == "fifo" {
		lane.Policy, lane.Priority = executor.FIFO, c.Priority
	}
	return executor.Plan{Lanes: []executor.Lane{lane}, Background: executor.Background{Workers: 1, CPUs: background}}, nil
}

func cpuLists(c contender.Config) (critical, background []int, err error) {
	if critical, err = cpuList(c.CPUs); err == nil {
		background, err = cpuList(c.BackgroundCPUs)
	}
	return critical, background, err
}

func cpuList(text string) ([]int, error) {
	var cpus []int
	for word := range strings.SplitSeq(text, ",") {
		if word == "" {
			continue
		}
		cpu, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("CPUs %q: %w", text, err)
		}
		cpus = append(cpus, cpu)
	}
	return cpus, nil
}

func (s *scheduler) options() []pubsub.Option {
	if s.executor == nil {
		return nil
	}
	return []pubsub.Option{pubsub.WithScheduler(s.executor)}
}

// run lets callbacks run until ctx ends.
func (s *scheduler) run(ctx context.Context) error {
	if s.executor == nil {
		<-ctx.Done()
		return nil
	}
	return s.executor.Run(ctx)
}

func (s *scheduler) close() error {
	if s.executor == nil {
		return nil
	}
	return s.executor.Close()
}
