package cli

import (
	"context"
	"errors"

	"github.com/pinion-ros/pinion/internal/topic"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

// measure completes a command that measures topics.
func (l *looker) measure(cmd *cobra.Command, window int, run func(context.Context, *pubsub.Node, topic.Watch, []string) error) *cobra.Command {
	var w topic.Watch
	f := cmd.Flags()
	f.IntVarP(&w.Window, "window", "w", window, "number of messages to look back on")
	f.IntVarP(&w.Times, "times", "n", 0, "print that many reports and exit (0: no end)")
	f.Var((*seconds)(&w.Timeout), "timeout", "exit after that time; with --times as a failure")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if w.Window < 1 || w.Times < 0 {
			return usage(cmd, errors.New("--window must be 1 or more, and --times not negative"))
		}
		w.JSON, w.Discovery, w.Out, w.Err = l.json, l.spin.duration(), cmd.OutOrStdout(), cmd.ErrOrStderr()
		n, err := l.node("")
		if err != nil {
			return err
		}
		defer n.Close()
		return run(cmd.Context(), n, w, names)
	}
	return cmd
}

func topicHz(l *looker) *cobra.Command {
	cmd := l.measure(&cobra.Command{
		Use:   "hz TOPIC...",
		Short: "Measure the rate of topics",
		Long: `hz prints each second the mean rate over the last messages, and the spread of the time between
them, as it was when they arrived at this machine's socket. It needs no definition of the type.`,
		Example: `  pinion topic hz /imu
  pinion topic hz /imu /joint_states --window 100`,
		ValidArgsFunction: complete(true, l.topics),
	}, 10000, func(ctx context.Context, n *pubsub.Node, w topic.Watch, names []string) error {
		return w.Rates(ctx, n, names...)
	})
	ignoredFlag(cmd, "wall-time")
	refuseFilter(cmd)
	return cmd
}

func topicBw(l *looker) *cobra.Command {
	return l.measure(&cobra.Command{
		Use:   "bw TOPIC",
		Short: "Measure the bandwidth of a topic",
		Long: `bw prints each second how many bytes of messages come per second, and how large the messages are.
What goes over the network besides them is not counted. It needs no definition of the type.`,
		ValidArgsFunction: complete(false, l.topics),
	}, 100, func(ctx context.Context, n *pubsub.Node, w topic.Watch, names []string) error {
		return w.Bandwidth(ctx, n, names[0])
	})
}

func topicDelay(l *looker) *cobra.Command {
	return l.measure(&cobra.Command{
		Use:   "delay TOPIC",
		Short: "Measure how old the headers' stamps are when messages arrive",
		Long: `delay prints each second how much time has passed from the stamp in the header to the arrival at
this machine. Between machines it is as good as their clocks agree.`,
		ValidArgsFunction: complete(false, l.topics),
	}, 10000, func(ctx context.Context, n *pubsub.Node, w topic.Watch, names []string) error {
		f, err := l.finder()
		if err != nil {
			return err
		}
		return w.Delay(ctx, n, names[0], f.Message)
	})
}
