package cli

import (
	"errors"
	"time"

	"github.com/pinion-ros/pinion/internal/demo"
	"github.com/spf13/cobra"
)

func demoCommand() *cobra.Command {
	c := demo.Config{Duration: 10 * time.Second, Work: 20 * time.Microsecond, Robot: demo.RobotCommand}
	robot := false
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run a control loop beside 32 topics, on a shared loop and on a lane, and compare",
		Long: `demo starts a robot in a second process, on the loopback interface: joint states at 1 kHz,
a gamepad at 250 Hz and 31 background topics at 300 Hz. A control node in this process reads them
and answers every joint state with a command. It does so first with all callbacks on one loop, then
with the joint states on a lane of their own, and prints both side by side.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.Duration < time.Second {
				return errors.New("--duration: a part takes at least 1s")
			}
			if robot {
				return demo.RunRobot(cmd.Context(), c.Domain, c.Duration, cmd.OutOrStdout())
			}
			c.Out = cmd.OutOrStdout()
			return demo.Run(cmd.Context(), c)
		},
	}
	cmd.Flags().Uint32Var(&c.Domain, "domain", 199, "domain id to use")
	cmd.Flags().Var((*seconds)(&c.Duration), "duration", "how long each of the two parts takes")
	cmd.Flags().Var((*seconds)(&c.Work), "work", "how long a background callback keeps the processor busy")
	cmd.Flags().BoolVar(&robot, "robot", false, "play the robot")
	// The flag is for the second process alone.
	_ = cmd.Flags().MarkHidden("robot")
	return cmd
}
