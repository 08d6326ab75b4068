// Package cli is the command line of cmd/pinion.
package cli

import (
	"github.com/spf13/cobra"
)

// New returns the root command.
func New() *cobra.Command {
	root := &cobra.Command{
		Use:           "pinion",
		Short:         "Robot control in Go: ROS 2 topics with a scheduler that keeps critical ones on time",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(benchCommand(), demoCommand(), doctorCommand(), nameCommand())
	return root
}
