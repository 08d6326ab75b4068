// Package cli is the command line of cmd/pinion.
package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/spf13/cobra"
)

// New returns the root command.
func New() *cobra.Command {
	root := &cobra.Command{
		Use:   "pinion",
		Short: "Robot control in Go: ROS 2 topics with a scheduler that keeps critical ones on time",
		Long: `pinion looks into a running ROS 2 system without a ROS installation: topics, nodes, message types,
rates and latencies. It is where ROS_DOMAIN_ID and the other variables of ROS 2 say, such as
ROS_AUTOMATIC_DISCOVERY_RANGE, ROS_STATIC_PEERS, ROS_LOCALHOST_ONLY and CYCLONEDDS_URI.

The exit status is 0, 1 if something went wrong, or 2 for a command line that cannot be read.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(topicCommand(), nodeCommand(), bagCommand(), msgCommand(), topCommand(), demoCommand(), doctorCommand(),
		benchCommand(), planCommand(), nameCommand(), securityCommand())
	root.SetHelpCommand(helpCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	checkArguments(root)
	return root
}

// execute runs the command line that the program was called with.
func execute(ctx context.Context, root *cobra.Command) error {
	help := root.HelpFunc()
	var unknown error
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		// cobra takes --help behind a command that does not exist for a wish for the help of its parent.
		if cmd.HasSubCommands() {
			unknown = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if unknown == nil {
			help(cmd, args)
		}
	})
	if err := root.ExecuteContext(ctx); err != nil {
		return err
	}
	return unknown
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "Print the help of a command",
		RunE: func(cmd *cobra.Command, path []string) error {
			of, rest, err := cmd.Root().Find(path)
			if err == nil && len(rest) > 0 {
				err = subcommand(of, rest)
			}
			if err != nil {
				return err
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, path []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			of, _, err := cmd.Root().Find(path)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, sub := range of.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// version tells what the program is made of.
func version() string {
	module := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		module = info.Main.Version
	}
	return fmt.Sprintf("%s, Cyclone DDS %s, %s %s/%s", module, cyclone.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
