package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/pinion-ros/pinion/internal/topic"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

// measure returns a command that measures topics.
func (l *looker) measure(cmd *cobra.Command, window int, run func(context.Context, *pubsub.Node, topic.Watch, []topic.Source) error) *cobra.Command {
	var w topic.Watch
	f := cmd.Flags()
	f.IntVarP(&w.Window, "window", "w", window, "number of messages to look back on")
	f.IntVarP(&w.Times, "times", "n", 0, "print that many reports and exit (0: no end)")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if w.Window < 1 || w.Times < 0 {
			return usage(cmd, errors.New("--window must be 1 or more, and --times not negative"))
		}
		w.JSON, w.Out = l.json, cmd.OutOrStdout()
		n, err := l.node("")
		if err != nil {
			return err
		}
		defer n.Close()
		var sources []topic.Source
		for _, name := range names {
			s, err := l.source(cmd.Context(), cmd, n, name)
			if err != nil {
				return err
			}
			sources = append(sources, s)
		}
		if cmd.Context().Err() != nil {
			return nil
		}
		return run(cmd.Context(), n, w, sources)
	}
	return cmd
}

func topicHz(l *looker) *cobra.Command {
	return l.measure(&cobra.Command{
		Use:   "hz TOPIC...",
		Short: "Measure the rate of topics",
		Long: `hz prints each second the mean rate over the last messages, and the spread of the time between
them, as it was when they arrived at this machine's socket. It needs no definition of the type.`,
		Example: `  pinion topic hz /imu
  pinion topic hz /imu /joint_states --window 100`,
		Args:              args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: complete(true, l.topics),
	}, 10000, func(ctx context.Context, n *pubsub.Node, w topic.Watch, s []topic.Source) error {
		return w.Rates(ctx, n, s)
	})
}

func topicBw(l *looker) *cobra.Command {
	return l.measure(&cobra.Command{
		Use:   "bw TOPIC",
		Short: "Measure the bandwidth of a topic",
		Long: `bw prints each second how many bytes of messages come per second, and how large the messages are.
What goes over the network besides them is not counted. It needs no definition of the type.`,
		Args:              args(cobra.ExactArgs(1)),
		ValidArgsFunction: complete(false, l.topics),
	}, 100, func(ctx context.Context, n *pubsub.Node, w topic.Watch, s []topic.Source) error {
		return w.Bandwidth(ctx, n, s[0])
	})
}

func topicDelay(l *looker) *cobra.Command {
	return l.measure(&cobra.Command{
		Use:   "delay TOPIC",
		Short: "Measure how old the headers' stamps are when messages arrive",
		Long: `delay prints each second how much time has passed from the stamp in the header to the arrival at
this machine. Between machines it is as good as their clocks agree.`,
		Args:              args(cobra.ExactArgs(1)),
		ValidArgsFunction: complete(false, l.topics),
	}, 10000, func(ctx context.Context, n *pubsub.Node, w topic.Watch, s []topic.Source) error {
		f, err := l.finder()
		if err != nil {
			return err
		}
		t, err := f.Message(s[0].Type)
		if err != nil {
			return fmt.Errorf("topic %s: %w", s[0].Topic, err)
		}
		return w.Delay(ctx, n, s[0], t)
	})
}
