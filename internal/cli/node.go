package cli

import (
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/internal/nodecmd"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

func nodeCommand() *cobra.Command {
	l := &looker{}
	cmd := &cobra.Command{
		Use:   "node",
		Short: "List nodes, show what they publish, subscribe to and serve",
		Long:  "The commands wait for --spin-time for others to be discovered, then print what they have seen.",
	}
	l.flags(cmd)
	cmd.AddCommand(nodeList(l), nodeInfo(l))
	return cmd
}

func nodeList(l *looker) *cobra.Command {
	var count bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the nodes of the domain",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return l.look(cmd.Context(), func(n *pubsub.Node) error {
				nodes, err := nodecmd.List(n, l.hidden)
				if err != nil {
					return err
				}
				for _, name := range nodecmd.Duplicates(nodes) {
					fmt.Fprintf(cmd.ErrOrStderr(), "pinion: warning: several nodes are called %s, tools and services mix them up\n", name)
				}
				switch out := cmd.OutOrStdout(); {
				case count:
					_, err = fmt.Fprintln(out, len(nodes))
				case l.json:
					err = printJSON(cmd, nodes)
				default:
					for _, node := range nodes {
						if _, err = fmt.Fprintln(out, node.FullName); err != nil {
							break
						}
					}
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVarP(&l.hidden, "all", "a", false, "list hidden nodes, too, whose names begin with an underscore")
	cmd.Flags().BoolVarP(&count, "count-nodes", "c", false, "print how many there are")
	return cmd
}

func nodeInfo(l *looker) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "info NODE",
		Short:             "Show a node's topics, services and actions",
		Example:           `  pinion node info /left/arm_controller`,
		ValidArgsFunction: complete(false, l.nodes),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "/" + strings.TrimPrefix(args[0], "/")
			return l.look(cmd.Context(), func(n *pubsub.Node) error {
				endpoints, err := n.NodeEndpoints(name)
				if err != nil {
					return err
				}
				info := nodecmd.NewInfo(name, endpoints, l.hidden)
				if l.json {
					return printJSON(cmd, info)
				}
				return info.Print(cmd.OutOrStdout())
			})
		},
	}
	cmd.Flags().BoolVar(&l.hidden, "include-hidden", false, "show hidden topics, services and actions, too")
	return cmd
}
