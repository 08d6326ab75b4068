// Package cli is the command line of cmd/pinion.
package cli

import (
	"github.com/spf13/cobra"
)

// New returns the root command.
func New() *cobra.Command {
	root := group("pinion", "Robot control in Go: ROS 2 topics with a scheduler that keeps critical ones on time",
		`pinion looks into a running ROS 2 system without a ROS installation: topics, nodes, message types,
rates and latencies. It is where ROS_DOMAIN_ID and the other variables of ROS 2 say, such as
ROS_AUTOMATIC_DISCOVERY_RANGE, ROS_STATIC_PEERS, ROS_LOCALHOST_ONLY and CYCLONEDDS_URI.

The exit status is 0, 1 if something went wrong, or 2 for a command line that cannot be read.`)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(usage)
	root.AddCommand(topicCommand(), nodeCommand(), bagCommand(), msgCommand(), topCommand(), demoCommand(), doctorCommand(),
		benchCommand(), planCommand(), nameCommand())
	return root
}
