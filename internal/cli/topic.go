package cli

import (
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/internal/topic"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

func topicCommand() *cobra.Command {
	l := &looker{}
	cmd := &cobra.Command{
		Use:   "topic",
		Short: "List, print, publish and measure topics",
		Long: `The commands take the arguments of "ros2 topic" and print what it prints, or with --json what
scripts read. What is no message goes to standard error.`,
	}
	l.flags(cmd)
	l.includeFlag(cmd)
	cmd.PersistentFlags().BoolVar(&l.hidden, "include-hidden-topics", false, "consider topics whose names have a part that begins with an underscore")
	cmd.AddCommand(topicList(l), topicInfo(l), topicEcho(l), topicPub(l), topicHz(l), topicBw(l), topicDelay(l), topicFind(l), topicType(l))
	return cmd
}

func topicList(l *looker) *cobra.Command {
	var types, count, verbose bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the topics of the domain",
		Example: `  pinion topic list -t
  pinion topic list --json | jq -r '.[] | select(.publishers == 0).name'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return l.look(cmd.Context(), func(n *pubsub.Node) error {
				entries, err := topic.List(n, l.hidden)
				switch out := cmd.OutOrStdout(); {
				case err != nil:
					return err
				case count:
					_, err = fmt.Fprintln(out, len(entries))
					return err
				case l.json:
					return printJSON(cmd, entries)
				case verbose:
					return topic.PrintCounts(out, entries)
				default:
					return topic.PrintList(out, entries, types)
				}
			})
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&types, "show-types", "t", false, "print the types, too")
	f.BoolVarP(&count, "count-topics", "c", false, "print how many there are")
	f.BoolVarP(&verbose, "verbose", "v", false, "print the numbers of publishers and subscribers, too")
	return cmd
}

func topicInfo(l *looker) *cobra.Command {
	var verbose bool
	cmd := &cobra.Command{
		Use:               "info TOPIC",
		Short:             "Show a topic's type and endpoints",
		Example:           `  pinion topic info -v /scan`,
		ValidArgsFunction: complete(false, l.topics),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.look(cmd.Context(), func(n *pubsub.Node) error {
				name, err := topic.Resolve(n, args[0])
				if err != nil {
					return err
				}
				endpoints, err := n.Endpoints(name)
				if err != nil {
					return err
				}
				info, err := topic.NewInfo(name, endpoints)
				if err != nil {
					return err
				}
				if l.json {
					return printJSON(cmd, info)
				}
				return info.Print(cmd.OutOrStdout(), verbose)
			})
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show the endpoints with their nodes and QoS")
	return cmd
}

func topicFind(l *looker) *cobra.Command {
	var count bool
	cmd := &cobra.Command{
		Use:               "find TYPE",
		Short:             "List the topics of a type",
		Example:           `  pinion topic find sensor_msgs/msg/LaserScan`,
		ValidArgsFunction: complete(false, l.messages),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.look(cmd.Context(), func(n *pubsub.Node) error {
				entries, err := topic.List(n, l.hidden)
				if err != nil {
					return err
				}
				entries = topic.OfType(entries, fullType(args[0]))
				switch {
				case count:
					_, err = fmt.Fprintln(cmd.OutOrStdout(), len(entries))
					return err
				case l.json:
					return printJSON(cmd, topic.Names(entries))
				}
				return topic.PrintList(cmd.OutOrStdout(), entries, false)
			})
		},
	}
	cmd.Flags().BoolVarP(&count, "count-topics", "c", false, "print how many there are")
	return cmd
}

// fullType completes the short form of a message type's name: std_msgs/String.
func fullType(name string) string {
	if pkg, typ, ok := strings.Cut(name, "/"); ok && !strings.Contains(typ, "/") {
		return pkg + "/msg/" + typ
	}
	return name
}

func topicType(l *looker) *cobra.Command {
	return &cobra.Command{
		Use:               "type TOPIC",
		Short:             "Print a topic's type",
		Long:              `type prints the types of a topic, of which there should be one. The exit status is 1 for a topic that nobody publishes or subscribes to.`,
		Example:           `  pinion topic type /scan | pinion msg show -`,
		ValidArgsFunction: complete(false, l.topics),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := l.view(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer v.close()
			types := topic.TypesOf(v.endpoints)
			if len(types) == 0 {
				return fmt.Errorf("topic %s: %w", v.topic, topic.ErrUnknown)
			}
			if l.json {
				return printJSON(cmd, types)
			}
			for _, t := range types {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), t); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
