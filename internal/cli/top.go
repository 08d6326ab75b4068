package cli

import (
	"errors"
	"os"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/internal/top"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func topCommand() *cobra.Command {
	l := &looker{}
	interval := seconds(time.Second)
	var once bool
	var times int
	cmd := &cobra.Command{
		Use:   "top [PATTERN]...",
		Short: "Watch rates, latencies, losses and QoS of all topics, and lanes",
		Long: `top subscribes to all topics, or to those whose names match a PATTERN, and shows for each how
many messages and bytes come per second, how long they take from the publisher's time stamp to this
machine, and how many are lost. It marks topics whose publishers and subscriptions do not get each
other's messages, because of their QoS or types. Press ? for the keys.

In a PATTERN, as in a plan, "*" stands for any characters of one part of a name, and "**" for any
number of parts: "/left/*", "/**/image".

The second page, key l, shows what nodes publish about themselves as
statistics_msgs/msg/MetricsMessage: the lanes of an executor whose program calls PublishStatistics,
and the topic statistics of ROS 2. Where the output is no terminal these are the tables below that of
the topics, with --json the "metrics". Patterns do not concern them.

Everything that top watches goes over the network to it, so name patterns where there are images
and the link is slow. Where the output is no terminal, top prints a table each interval.`,
		Example: `  pinion top
  pinion top '/left/*' --interval 0.2
  pinion top --json -n 1 | jq '.topics[] | select(.warnings != [])'`,
		ValidArgsFunction: complete(true, l.topics),
		RunE: func(cmd *cobra.Command, patterns []string) error {
			if interval.duration() < 50*time.Millisecond || times < 0 {
				return usage(cmd, errors.New("--interval must be 50ms or more, and --times not negative"))
			}
			if once {
				times = 1
			}
			for i, p := range patterns {
				if !strings.HasPrefix(p, "/") {
					patterns[i] = "/" + p
				}
			}
			out, isFile := cmd.OutOrStdout().(*os.File)
			live := !l.json && times == 0 && isFile && term.IsTerminal(int(out.Fd())) && term.IsTerminal(int(os.Stdin.Fd()))
			n, err := l.node("", pubsub.WithStderr(!live)) // whose warnings would be all over the screen
			if err != nil {
				return err
			}
			defer n.Close()
			c, err := top.NewCollector(n, patterns, l.hidden)
			if err != nil {
				return usage(cmd, err)
			}
			if live {
				return top.Live(cmd.Context(), c, interval.duration(), os.Stdin, out)
			}
			l.wait(cmd.Context())
			return top.Print(cmd.Context(), c, interval.duration(), times, l.json, cmd.OutOrStdout())
		},
	}
	l.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&l.hidden, "include-hidden-topics", false, "watch topics whose names have a part that begins with an underscore")
	f.Var(&interval, "interval", "time between updates")
	f.BoolVar(&once, "once", false, "print one table, measured over one interval, and exit")
	f.IntVarP(&times, "times", "n", 0, "print that many tables and exit (0: no end)")
	return cmd
}
