package cli

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/internal/doctor"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

func doctorCommand() *cobra.Command {
	s := doctor.System{Root: os.DirFS("/"), Cyclone: cyclone.Version}
	var asJSON, script bool
	measure, listen := 2*time.Second, 2*time.Second
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what makes latency and loss bad on this machine",
		Long: `doctor reads what the kernel tells about real-time limits, CPUs and the network, measures how late
threads wake up and how long the loopback takes, and says which command mends what it finds. It
changes nothing. The exit status is 1 if something will not work.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("domain") {
				d, err := pubsub.DiscoveryFromEnv()
				if err != nil {
					return err
				}
				s.Domain = int(d.Domain)
			}
			r := doctor.Report{Checks: doctor.Run(&s)}
			if listen > 0 {
				found, err := listenTo(cmd.Context(), listen)
				if err != nil {
					return err
				}
				r.Checks = append(r.Checks, found)
			}
			if script {
				r.Script(cmd.OutOrStdout())
				return nil
			}
			var err error
			if measure > 0 {
				if r.Measured, err = doctor.Measure(cmd.Context(), measure); err != nil {
					return err
				}
			}
			if asJSON {
				err = printJSON(cmd, r)
			} else {
				r.Print(cmd.OutOrStdout())
			}
			if err == nil && r.Bad() {
				err = errors.New("something will not work, see above")
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.Interface, "interface", "", "network interface for DDS (default the first that is up)")
	f.IntVar(&s.Domain, "domain", 0, "ROS domain id (default ROS_DOMAIN_ID)")
	f.IntSliceVar(&s.CPUs, "cpus", nil, "CPUs meant for lanes (default the isolated ones)")
	f.Var((*seconds)(&measure), "measure", "how long each measurement takes, 0 for none")
	f.Var((*seconds)(&listen), "listen", "how long to look for nodes of other ROS distributions, 0 for not")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.BoolVar(&script, "fix", false, "print a script with the fixes; it is not run")
	return cmd
}

// listenTo looks at the nodes of the domain that the environment sets.
func listenTo(ctx context.Context, d time.Duration) (doctor.Result, error) {
	n, err := pubsub.NewNode("pinion_doctor")
	if err != nil {
		return doctor.Result{}, err
	}
	defer n.Close()
	return doctor.Listen(ctx, n, d)
}
