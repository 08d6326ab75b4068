package cli

import (
	"github.com/pinion-ros/pinion/internal/namecmd"
	"github.com/spf13/cobra"
)

func nameCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "name KIND INPUT [--node N] [--ns NS] [--topic T]",
		Short:              "Explain a ROS name, a remapping or a parameter rule",
		DisableFlagParsing: true, // INPUT is taken as it is
		RunE: func(cmd *cobra.Command, args []string) error {
			return exitCode(namecmd.Run(args, cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
}
