// Command pinion is the command line of the pinion library: it shows what the library does and
// looks into a running ROS 2 system without a ROS installation.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/pinion-ros/pinion/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := cli.Execute(ctx)
	stop()
	code, print := cli.ExitCode(err)
	if print {
		fmt.Fprintln(os.Stderr, "pinion:", err)
	}
	os.Exit(code)
}
