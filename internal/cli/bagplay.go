package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/pinion-ros/pinion/internal/bag"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

func bagPlayCommand() *cobra.Command {
	var c bag.PlayConfig
	var remap []string
	cmd := &cobra.Command{
		Use:   "play BAG [VALUE]...",
		Short: "Publish what was recorded, at the same pace",
		Long: `play publishes each message when it is due, reckoned from the first, with the quality of service
that was recorded. BAG is a directory or one of its files.

As with "ros2 bag", --topics and --remap take several values, and --clock none or one.`,
	}
	flags := cmd.Flags()
	readFilter := filterFlags(cmd, &c.Filter)
	ignoredFlag(cmd, "disable-keyboard-controls") // there are none
	flags.Float64VarP(&c.Rate, "rate", "r", 1, "how many times as fast as recorded")
	flags.Var((*seconds)(&c.Offset), "start-offset", "where to begin; latched topics come from before, too")
	flags.Var((*seconds)(&c.Length), "playback-duration", "how much of the bag to play, in its own time (0: all)")
	flags.Float64Var(&c.Clock, "clock", 0, "publish the bag's time on /clock so many times in a second")
	flags.Lookup("clock").NoOptDefVal = defaultClock
	flags.VarP((*seconds)(&c.Delay), "delay", "d", "time to wait before")
	flags.Var((*seconds)(&c.Wait), "wait", "longest time to wait before until every topic has a subscription")
	flags.BoolVarP(&c.Loop, "loop", "l", false, "begin again at the end")
	flags.StringSliceVarP(&remap, "remap", "m", nil, "rules like /old:=/new")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := readFilter(); err != nil {
			return err
		}
		words, err := readPlayWords(args, flags.Changed("topics"), flags.Changed("clock"))
		if err != nil {
			return usage(cmd, err)
		}
		remap = append(remap, words.remap...)
		c.Filter.Topics = append(c.Filter.Topics, words.topics...)
		if words.clock != 0 {
			c.Clock = words.clock
		}
		c.Filter.All, c.Filter.IncludeHidden = c.Filter.Empty(), true
		b, err := bag.Open(words.bag)
		if err != nil {
			return err
		}
		node, err := bagNode(cmd, "pinion_player", pubsub.WithRemap(remap...))
		if err != nil {
			return err
		}
		defer node.Close()
		s, err := bag.Play(cmd.Context(), node, b, c)
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d messages published, at most %v late; %d failed\n", words.bag, s.Published, s.Late, s.Failed)
		return err
	}
	return cmd
}

// defaultClock is what --clock alone means, in Hz.
const defaultClock = "40"

// playWords are what stands on the command line besides flags.
type playWords struct {
	bag           string
	topics, remap []string
	clock         float64
}

// readPlayWords tells the bag from further values of flags.
func readPlayWords(args []string, topics, clock bool) (w playWords, err error) {
	for _, arg := range args {
		_, missing := os.Stat(arg)
		hz, noNumber := strconv.ParseFloat(arg, 64)
		switch {
		case strings.Contains(arg, ":="):
			w.remap = append(w.remap, arg)
		case clock && missing != nil && noNumber == nil:
			if w.clock = hz; !(hz > 0) {
				return w, fmt.Errorf("--clock %s: above 0 is wanted", arg)
			}
		case topics && missing != nil && strings.HasPrefix(arg, "/"):
			w.topics = append(w.topics, arg)
		case w.bag == "":
			w.bag = arg
		default:
			return w, fmt.Errorf("%q is one bag too many", arg)
		}
	}
	if w.bag == "" {
		return w, errors.New("BAG is missing")
	}
	return w, nil
}
