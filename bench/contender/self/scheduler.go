package self

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/pinion-ros/pinion/bench/contender"
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
		{"dedicated", "each topic on a lane of its own"},
		{"shared", "all callbacks on one loop"},
	}
}

// A scheduler runs callbacks in one of the modes.
type scheduler struct {
	executor *executor.Executor // nil for the loop that nodes have by themselves
}

func newScheduler(c contender.Config, log *zap.Logger) (*scheduler, error) {
	if c.Role == contender.Publisher || c.Mode == "shared" {
		return &scheduler{}, nil
	}
	plan, err := plan(c)
	if err != nil {
		return nil, err
	}
	e, err := executor.New(executor.WithPlan(plan), executor.WithBestEffort(), executor.WithLogger(log))
	return &scheduler{e}, err
}

// plan places the topics of the role as the mode says.
func plan(c contender.Config) (executor.Plan, error) {
	critical, background, err := cpuLists(c)
	if err != nil {
		return executor.Plan{}, err
	}
	lane := func(name string, policy executor.Policy, priority int, cpus []int, topics ...string) executor.Lane {
		return executor.Lane{Name: name, Topics: topics, CPUs: cpus, Policy: policy, Priority: priority}
	}
	topics := []string{topic(0)}
	switch c.Role {
	case contender.Ping:
		topics = []string{"/bench/pong"}
	case contender.Pong:
		topics = []string{"/bench/ping"}
	}
	policy, priority := executor.Other, 0
	if c.Policy == "fifo" {
		policy, priority = executor.FIFO, c.Priority
	}
	p := executor.Plan{
		Lanes:      []executor.Lane{lane("critical", policy, priority, critical, topics...)},
		Background: executor.Background{Workers: 1, CPUs: background},
	}
	switch c.Mode {
	case "critical":
	case "dedicated":
		for i := 1; i < c.Topics; i++ {
			p.Lanes = append(p.Lanes, lane("background_"+strconv.Itoa(i), executor.Other, 0, background, topic(i)))
		}
	default:
		return p, fmt.Errorf("unknown mode %q", c.Mode)
	}
	return p, nil
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
