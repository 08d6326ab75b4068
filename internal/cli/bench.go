package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/bench/contender/self"
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
and ratios are formed within rounds. Everything happens on the loopback interface.`,
	}
	cmd.AddCommand(
		scenarioCommand("multitopic", "A critical topic at 1 kHz beside 0 to 31 background topics at 300 Hz", suite.Multitopic),
		contenderCommand())
	return cmd
}

type scenarioFunc func(context.Context, suite.Options) (*suite.Result, error)

func scenarioCommand(name, short string, run scenarioFunc) *cobra.Command {
	o := suite.Options{Program: benchProgram}
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out = cmd.ErrOrStderr()
			result, err := run(cmd.Context(), o)
			if result == nil {
				return err
			}
			_ = result
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Quick, "quick", false, "finish within a minute")
	f.StringVar(&o.Dir, "out", "", "directory for result.json, report.html and report.md")
	f.IntVar(&o.Rounds, "rounds", 0, "rounds in which each contender runs once (default depends on the scenario)")
	f.DurationVar(&o.Duration, "duration", 0, "measured time of each run (default depends on the scenario)")
	f.StringVar(&o.Placement, "placement", "", "CPUs of the critical threads: same, split or free (default same)")
	f.StringSliceVar(&o.Contenders, "contenders", nil, "who takes part: NAME/MODE or NAME, with commas between")
	f.StringVar(&o.Sender, "sender", "", "who sends one-way messages: c or pinion (default c where it can be built)")
	f.StringToStringVar(&o.Peers, "peer", nil, "NAME=PROGRAM of a contender that is not built in")
	f.Uint32Var(&o.Domain, "domain", 190, "domain id to use")
	f.Uint64Var(&o.Seed, "seed", uint64(time.Now().UnixNano()), "of the order of the contenders")
	f.Lookup("seed").DefValue = "the time"
	if name == "multitopic" {
		f.IntSliceVar(&o.Topics, "topics", nil, "numbers of topics, the critical one included")
		f.Float64SliceVar(&o.Work, "work", nil, "how long background callbacks keep the processor busy, in µs")
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
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := self.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout()); err != nil {
				return fmt.Errorf("contender: %w", err)
			}
			return nil
		},
	}
}
