package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/pinion-ros/pinion/internal/msgcmd"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/spf13/cobra"
)

func msgCommand() *cobra.Command {
	l := &looker{}
	cmd := &cobra.Command{
		Use:     "msg",
		Aliases: []string{"interface"}, // as ROS 2 calls it
		Short:   "Show, list and hash message types",
		Long: `The definitions of types are searched in the folders given by -I, in the ROS installation that
AMENT_PREFIX_PATH names, and among the standard interfaces of ROS 2 Jazzy, which pinion brings along.`,
	}
	l.jsonFlag(cmd)
	l.includeFlag(cmd)
	cmd.AddCommand(msgShow(l), msgList(l), msgHash(l))
	return cmd
}

func msgShow(l *looker) *cobra.Command {
	var all, none bool
	cmd := &cobra.Command{
		Use:   "show TYPE",
		Short: "Print the definition of a type with those that it contains",
		Long: `show prints a message, service or action as its author wrote it, and indented below each field the
type that the field has. TYPE "-" is read from standard input.`,
		Example: `  pinion msg show geometry_msgs/msg/Twist
  pinion topic type /scan | pinion msg show -
  pinion msg show -I ~/robot_ws/src robot_msgs/srv/Grasp --no-comments`,
		ValidArgsFunction: complete(false, l.interfaces),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all && none {
				return usage(cmd, errors.New("--all-comments and --no-comments exclude each other"))
			}
			name, err := argOrStdin(cmd, args[0])
			if err != nil {
				return err
			}
			comments := msgcmd.OwnComments
			if all {
				comments = msgcmd.AllComments
			}
			if none {
				comments = msgcmd.NoComments
			}
			f, err := l.finder()
			if err != nil {
				return err
			}
			shown, err := msgcmd.Show(f, name, comments)
			if err != nil {
				return err
			}
			if l.json {
				return printJSON(cmd, shown)
			}
			_, err = io.WriteString(cmd.OutOrStdout(), shown.Text)
			return err
		},
	}
	cmd.Flags().BoolVar(&all, "all-comments", false, "print the comments of the types within, too")
	cmd.Flags().BoolVar(&none, "no-comments", false, "print neither comments nor empty lines")
	return cmd
}

// argOrStdin returns arg, or the first word of standard input for "-".
func argOrStdin(cmd *cobra.Command, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	if _, err := fmt.Fscan(cmd.InOrStdin(), &arg); err != nil {
		return "", fmt.Errorf("standard input has no type: %w", err)
	}
	return arg, nil
}

func msgList(l *looker) *cobra.Command {
	var kinds [3]bool
	cmd := &cobra.Command{
		Use:   "list [PACKAGE]...",
		Short: "List the types that are known",
		Example: `  pinion msg list
  pinion msg list -m geometry_msgs sensor_msgs`,
		RunE: func(cmd *cobra.Command, packages []string) error {
			f, err := l.finder()
			if err != nil {
				return err
			}
			list, err := msgcmd.ListTypes(f, packages...)
			if err != nil {
				return err
			}
			var keep []msggen.Kind
			for k, on := range kinds {
				if on {
					keep = append(keep, msggen.Kind(k))
				}
			}
			list.Keep(keep...)
			if l.json {
				return printJSON(cmd, list)
			}
			return list.Print(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&kinds[msggen.Msg], "only-msgs", "m", false, "messages only")
	f.BoolVarP(&kinds[msggen.Srv], "only-srvs", "s", false, "services only")
	f.BoolVarP(&kinds[msggen.Action], "only-actions", "a", false, "actions only")
	return cmd
}

func msgHash(l *looker) *cobra.Command {
	return &cobra.Command{
		Use:   "hash TYPE...",
		Short: "Print the RIHS01 hashes of types, by which ROS 2 tells definitions apart",
		Long: `hash prints a line for each type: its name, a tab and its hash. It is the one that
"pinion topic info -v" shows for endpoints. Nodes of Humble announce none.`,
		Example:           `  pinion msg hash std_msgs/msg/String`,
		ValidArgsFunction: complete(true, l.interfaces),
		RunE: func(cmd *cobra.Command, types []string) error {
			f, err := l.finder()
			if err != nil {
				return err
			}
			hashes, err := msgcmd.Hashes(f, types)
			if err != nil {
				return err
			}
			if l.json {
				return printJSON(cmd, hashes)
			}
			for _, h := range hashes {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\n", h.Type, h.Hash); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
