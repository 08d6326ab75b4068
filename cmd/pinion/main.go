// Command pinion is the command line of the pinion library: it shows what the library does and
// looks into a running ROS 2 system without a ROS installation.
package main

import (
	"os"

	"github.com/pinion-ros/pinion/internal/cli"
)

func main() { os.Exit(cli.Main()) }
