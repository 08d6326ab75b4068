package cli

import (
	"context"
	"os"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/internal/doctor"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

type doctorFlags struct {
	network         string
	domain          int
	cpus            []int
	measure, listen time.Duration
	json, script    bool
}

func doctorCommand() *cobra.Command {
	d := &doctorFlags{measure: 2 * time.Second, listen: 2 * time.Second}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what makes latency and loss bad on this machine",
		Long: `doctor reads what the kernel tells about real-time limits, CPUs and the network, measures how late
threads wake up and how long the loopback takes, and says which command mends what it finds. It
changes nothing. Of the network it looks at what nodes would use here, as ROS_LOCALHOST_ONLY,
ROS_AUTOMATIC_DISCOVERY_RANGE and CYCLONEDDS_URI say. The exit status is 1 if something will not work.`,
		Example: `  pinion doctor
  pinion doctor --cpus 2,3 --measure 10s
  pinion doctor --fix > fix.sh`,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&d.network, "interface", "", "network interface for DDS (default what the environment says)")
	f.IntVar(&d.domain, "domain", 0, "ROS domain id (default ROS_DOMAIN_ID)")
	f.IntSliceVar(&d.cpus, "cpus", nil, "CPUs meant for lanes (default the isolated ones)")
	f.Var((*seconds)(&d.measure), "measure", "how long each measurement takes, 0 for none")
	f.Var((*seconds)(&d.listen), "listen", "how long to look for nodes of other ROS distributions, 0 for not")
	f.BoolVar(&d.json, "json", false, "print JSON")
	f.BoolVar(&d.script, "fix", false, "print a script with the fixes; it is not run")
	return cmd
}

func (d *doctorFlags) run(cmd *cobra.Command) error {
	discovery, err := pubsub.DiscoveryFromEnv()
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("domain") {
		d.domain = int(discovery.Domain)
	}
	discovery.Domain = uint32(d.domain)
	s, err := d.system(discovery)
	if err != nil {
		return err
	}
	r := doctor.Report{Checks: doctor.Run(s)}
	if d.listen > 0 {
		found, err := listenTo(cmd.Context(), discovery, d.listen)
		if err != nil {
			return err
		}
		r.Checks = append(r.Checks, found)
	}
	if d.script {
		r.Script(cmd.OutOrStdout())
		return nil
	}
	if d.measure > 0 {
		if r.Measured, err = doctor.Measure(cmd.Context(), d.measure); err != nil {
			return err
		}
	}
	if d.json {
		err = printJSON(cmd, r)
	} else {
		r.Print(cmd.OutOrStdout())
	}
	if err == nil && r.Bad() {
		err = exitCode(1)
	}
	return err
}

// system returns this machine, of which the network is what the user names or nodes would use.
func (d *doctorFlags) system(discovery pubsub.Discovery) (*doctor.System, error) {
	s := &doctor.System{Root: os.DirFS("/"), Cyclone: cyclone.Version, Domain: d.domain, CPUs: d.cpus}
	if d.network != "" {
		s.Interfaces = []string{d.network}
		return s, nil
	}
	s.Local = discovery.Loopback || discovery.Range == pubsub.RangeOff || discovery.Range == pubsub.RangeLocalhost && len(discovery.Peers) == 0
	selected, err := discovery.Interfaces()
	if err != nil {
		return nil, err
	}
	s.Interfaces, err = doctor.InterfaceNames(selected)
	return s, err
}

// listenTo looks at the nodes of a domain.
func listenTo(ctx context.Context, discovery pubsub.Discovery, d time.Duration) (doctor.Result, error) {
	n, err := pubsub.NewNode("pinion_doctor", pubsub.WithDiscovery(discovery), pubsub.WithRosout(false))
	if err != nil {
		return doctor.NoNode(err), nil
	}
	defer n.Close()
	return doctor.Listen(ctx, n, d)
}
