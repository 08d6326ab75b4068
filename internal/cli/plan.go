package cli

import (
	"errors"
	"time"

	"github.com/pinion-ros/pinion/internal/plancmd"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

func planCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "plan", Short: "Check a plan for the executor, or write one"}
	cmd.AddCommand(planCheckCommand(), planInitCommand())
	return cmd
}

func planCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "check FILE [--topics FILE] [--published FILE] [--cpus LIST] [--soft LIST] [--shared-cpus]",
		Short:              "Tell what is wrong with a plan and what its lanes guarantee",
		DisableFlagParsing: true, // the command reads them itself
		RunE: func(cmd *cobra.Command, args []string) error {
			return exitCode(plancmd.Run(append([]string{"check"}, args...), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
}

func planInitCommand() *cobra.Command {
	listen := seconds(5 * time.Second)
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a plan of the topics that are there now, with their rates",
		Long: `init listens to all topics of the domain for a while and prints a plan with every topic, the fastest
first, and how many messages of it came per second. It has no lanes: which topics must not wait is
for you to say.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if listen <= 0 {
				return usage(cmd, errors.New("--listen must be longer than 0"))
			}
			n, err := pubsub.NewNode("pinion_plan")
			if err != nil {
				return err
			}
			defer n.Close()
			return plancmd.Init(cmd.Context(), n, listen.duration(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().Var(&listen, "listen", "how long to listen")
	return cmd
}
