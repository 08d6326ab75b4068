package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/bench/contender/self"
	"github.com/pinion-ros/pinion/bench/hosts/link"
	"github.com/pinion-ros/pinion/bench/report"
	"github.com/pinion-ros/pinion/bench/suite"
	"github.com/spf13/cobra"
)

// benchProgram runs this program as the contender pinion.
var benchProgram = []string{"/proc/self/exe", "bench", "contender"}

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure latency, beside contenders that take turns with this library",
		Long: `bench measures how late messages reach their callbacks. Contenders take turns, round by round,
beside a control probe that shows how quiet the machine is; results are medians over the rounds,
and ratios are formed within rounds. Nothing leaves the machine.`,
	}
	cmd.AddCommand(
		scenarioCommand("multitopic", "A critical topic at 1 kHz beside 0 to 31 background topics at 300 Hz", suite.Multitopic),
		scenarioCommand("rtt", "Round trips with one message in flight, by size", suite.RTT),
		scenarioCommand("matrix", "Rates, losses and latencies by size and rate", suite.Matrix),
		scenarioCommand("perftest", "Latency and throughput by size", suite.Perftest),
		scenarioCommand("transport", "The same messages between processes, between hosts and within one process", suite.Transport),
		scenarioCommand("codec", "Encoding and decoding, against Fast-CDR and copying", suite.Codec),
		scenarioCommand("footprint", "Threads, memory, processor time and start of nodes with up to 1000 topics", suite.RunFootprint),
		scenarioCommand("timer", "How late timers wake up at 1 kHz, and stalls that are not the machine's", suite.Timer),
		auditCommand(), compareCommand(), reportCommand(), contenderCommand())
	return cmd
}

// writeReports writes the reports beside result.json, or without a directory one to the terminal.
func writeReports(out io.Writer, dir string, r *suite.Result) error {
	if dir == "" {
		report.Markdown(out, r)
		return nil
	}
	if err := report.Write(dir, r); err != nil {
		return err
	}
	if r.Note != "" {
		fmt.Fprintln(out, r.Note)
	}
	_, err := fmt.Fprintf(out, "wrote result.json, report.md and report.html to %s\n", dir)
	return err
}

func auditCommand() *cobra.Command {
	o := suite.Options{Program: benchProgram}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Hold what the bench measures against what is known",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out = cmd.ErrOrStderr()
			a, err := suite.Audit(cmd.Context(), o)
			if err != nil {
				return err
			}
			if o.Dir != "" {
				if err := a.Write(o.Dir); err != nil {
					return err
				}
			}
			if err := a.WriteTable(cmd.OutOrStdout()); err != nil {
				return err
			}
			if !a.OK() {
				return exitCode(1)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Dir, "out", "", "directory for audit.json")
	cmd.Flags().Uint32Var(&o.Domain, "domain", 190, "domain id to use")
	cmd.Flags().StringSliceVar(&o.Contenders, "contenders", nil, "whose round trips to check: NAME/MODE or NAME, with commas between")
	return cmd
}

func reportCommand() *cobra.Command {
	var work float64
	var phase, readme, keep string
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Write the reports of a result again, of multitopic also a table and a plot for a README",
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := suite.Read(args[0])
			if err != nil {
				return err
			}
			if err := report.Write(args[0], r); err != nil || r.Scenario != "multitopic" {
				return err
			}
			if (readme == "") != (keep == "") {
				return errors.New("--readme and --keep go together")
			}
			if readme == "" {
				return report.WriteREADME(args[0], r, work, phase)
			}
			return embed(r, readme, keep, work, phase)
		},
	}
	cmd.Flags().Float64Var(&work, "work", 20, "of the loads that were run, the one with background callbacks of so many µs")
	cmd.Flags().StringVar(&phase, "phase", "spread", "and this phase")
	cmd.Flags().StringVar(&readme, "readme", "", "file to put table and plot into, between its lines that begin with <!-- measured:")
	cmd.Flags().StringVar(&keep, "keep", "", "with --readme: directory for table, plot and the result without its histograms")
	return cmd
}

// embed writes what a README shows into a directory, and into the README.
func embed(r *suite.Result, readme, dir string, work float64, phase string) error {
	if err := r.WithoutHistograms().Write(dir); err != nil {
		return err
	}
	if err := report.WriteREADME(dir, r, work, phase); err != nil {
		return err
	}
	return report.EmbedREADME(readme, dir)
}

func compareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare A.json B.json",
		Short: "Print the ratios of two results of a scenario",
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := suite.Read(args[0])
			if err != nil {
				return err
			}
			b, err := suite.Read(args[1])
			if err != nil {
				return err
			}
			return suite.Compare(cmd.OutOrStdout(), a, b)
		},
	}
}

type scenarioFunc func(context.Context, suite.Options) (*suite.Result, error)

func scenarioCommand(name, short string, run scenarioFunc) *cobra.Command {
	o := suite.Options{Program: benchProgram}
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("link") && o.Network != suite.Hosts && name != "transport" {
				return errors.New("--link joins two hosts: add --network hosts")
			}
			o.Out = cmd.ErrOrStderr()
			result, err := run(cmd.Context(), o)
			if result == nil {
				return err
			}
			return errors.Join(err, writeReports(cmd.OutOrStdout(), o.Dir, result))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Quick, "quick", false, "finish within a minute")
	f.StringVar(&o.Dir, "out", "", "directory for result.json, report.html and report.md")
	f.IntVar(&o.Rounds, "rounds", 0, "rounds in which each contender runs once (default depends on the scenario)")
	f.DurationVar(&o.Duration, "duration", 0, "measured time of each run (default depends on the scenario)")
	f.StringVar(&o.Placement, "placement", "", "CPUs of the critical threads: same, split or free (default same)")
	f.StringVar(&o.Network, "network", suite.Loopback, "between both ends: loopback, or hosts for two network namespaces joined by a cable (needs root)")
	f.Var(&o.Link, "link", "what joins the hosts, KEY=VALUE with commas between, such as loss=1%,delay=50ms,jitter=10ms,rate=1mbit,seed=1: "+strings.Join(link.Names(), ", "))
	f.Lookup("link").DefValue = suite.DefaultLink.String()
	f.StringSliceVar(&o.Contenders, "contenders", nil, "who takes part: NAME/MODE or NAME, with commas between")
	f.StringVar(&o.Sender, "sender", "", "who sends one-way messages: c or pinion (default c where it can be built)")
	f.StringToStringVar(&o.Peers, "peer", nil, "`NAME=PROGRAM` of a contender that is not built in, which takes part then")
	f.Lookup("peer").DefValue = ""
	f.Uint32Var(&o.Domain, "domain", 190, "domain id to use")
	f.Uint64Var(&o.Seed, "seed", uint64(time.Now().UnixNano()), "of the order of the contenders")
	f.Lookup("seed").DefValue = "the time"
	switch name {
	case "rtt":
		f.IntSliceVar(&o.Sizes, "sizes", nil, "bytes in a message, 0 for a GamepadState")
	case "footprint":
		f.IntSliceVar(&o.Topics, "topics", nil, "numbers of subscriptions")
	case "transport":
		f.IntSliceVar(&o.Sizes, "sizes", nil, "bytes in a message")
		f.StringSliceVar(&o.Reliabilities, "reliability", nil, "reliable, best_effort")
		f.StringSliceVar(&o.Variants, "place", nil, "local, remote (needs root), within, late")
	case "matrix", "perftest":
		f.IntSliceVar(&o.Sizes, "sizes", nil, "bytes in a message")
		f.StringSliceVar(&o.Reliabilities, "reliability", nil, "reliable, best_effort")
		if name == "matrix" {
			f.Float64SliceVar(&o.Rates, "rates", nil, "messages per second, `NUMBERS` with commas between")
			f.Lookup("rates").DefValue = ""
			break
		}
		f.StringSliceVar(&o.Variants, "part", nil, "latency, throughput")
		f.IntSliceVar(&o.Instances, "instances", nil, "of messages with a key, 0 for messages without (default 0,100000)")
		f.StringSliceVar(&o.Batching, "batching", nil, "of writes, for throughput: off, on (default both)")
	case "multitopic":
		f.IntSliceVar(&o.Topics, "topics", nil, "numbers of topics, the critical one included")
		f.Float64SliceVar(&o.Work, "work", nil, "how long background callbacks keep the processor busy, `NUMBERS` in µs with commas between")
		f.Lookup("work").DefValue = ""
		f.StringSliceVar(&o.Phases, "phase", nil, "when background topics send: spread, aligned")
		f.StringSliceVar(&o.Variants, "variant", nil, "what else the subscriber's process does: plain, large, alloc, busy, garbage")
	}
	return cmd
}

func contenderCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "contender",
		Short:  "Be the contender pinion: a configuration on standard input, a result on standard output",
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := self.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout()); err != nil {
				return fmt.Errorf("contender: %w", err)
			}
			return nil
		},
	}
}
