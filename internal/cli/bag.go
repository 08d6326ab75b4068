package cli

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/internal/bag"
	"github.com/pinion-ros/pinion/internal/interfaces"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

func bagCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bag",
		Short: "Record topics into bags of ROS 2, and play them",
		Long: `bag works with bags as "ros2 bag" does: directories with a metadata.yaml and SQLite files, compressed
or not. Those of the MCAP storage are not read; "ros2 bag convert" makes SQLite ones of them.`,
	}
	cmd.AddCommand(bagRecordCommand(), bagPlayCommand(), bagInfoCommand(), bagReindexCommand())
	return cmd
}

// filterFlags adds the flags that select topics. The function that it returns reads them.
func filterFlags(cmd *cobra.Command, f *bag.Filter) func() error {
	var regex, excludeRegex string
	flags := cmd.Flags()
	flags.StringSliceVar(&f.Topics, "topics", nil, "full names of topics")
	flags.StringVarP(&regex, "regex", "e", "", "topics whose name the regular expression matches somewhere")
	flags.StringSliceVar(&f.Exclude, "exclude-topics", nil, "full names of topics to leave out")
	flags.StringVarP(&excludeRegex, "exclude-regex", "x", "", "topics to leave out by a regular expression")
	return func() (err error) {
		if f.Regex, err = compile("regex", regex); err != nil {
			return err
		}
		f.ExcludeRegex, err = compile("exclude-regex", excludeRegex)
		return err
	}
}

func compile(flag, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return re, nil
}

// bagNode returns a node that logs to standard error and publishes nothing of its own.
func bagNode(cmd *cobra.Command, name string, options ...pubsub.Option) (*pubsub.Node, error) {
	encoder := zap.NewDevelopmentEncoderConfig()
	encoder.TimeKey, encoder.CallerKey, encoder.NameKey = "", "", ""
	core := zapcore.NewCore(zapcore.NewConsoleEncoder(encoder), zapcore.AddSync(cmd.ErrOrStderr()), zap.InfoLevel)
	return pubsub.NewNode(name, append(options, pubsub.WithRosout(false), pubsub.WithLogger(zap.New(core)))...)
}

func bagRecordCommand() *cobra.Command {
	var c bag.RecordConfig
	cmd := &cobra.Command{
		Use:   "record [TOPIC]... | --all | --regex RE",
		Short: "Record topics until interrupted",
		Long: `record writes what arrives on topics, those that appear later included, with the time it arrived.
It asks for no more quality of service than the publishers offer. What is killed in the middle
loses about a tenth of a second; the bag can be played as it is. Bags carry the definitions of
their messages, those of own types from -I or AMENT_PREFIX_PATH.

Each message can be compressed, or each file once it is complete: what is not complete when the
program is killed stays as it is.`,
	}
	var storage, mode, format string
	var l looker
	l.includeFlag(cmd)
	ignoredFlag(cmd, "disable-keyboard-controls") // there are none
	flags := cmd.Flags()
	readFilter := filterFlags(cmd, &c.Filter)
	flags.BoolVarP(&c.Filter.All, "all", "a", false, "all topics that are not hidden")
	flags.BoolVar(&c.Filter.IncludeHidden, "include-hidden-topics", false, "hidden topics, too")
	flags.StringVarP(&c.Dir, "output", "o", "", "directory to make (default rosbag2_ and the time)")
	flags.StringVarP(&storage, "storage", "s", "sqlite3", "kind of files; sqlite3 is the only one")
	flags.Int64VarP(&c.Split.Size, "max-bag-size", "b", 0, "bytes after which another file is begun (0: none)")
	flags.VarP((*seconds)(&c.Split.Duration), "max-bag-duration", "d", "time after which another file is begun (0: none)")
	flags.StringVar(&mode, "compression-mode", "none", "what is compressed: none, file or message")
	flags.StringVar(&format, "compression-format", "", "how it is compressed; zstd is the only way")
	flags.IntVar(&c.Cache, "max-cache-size", 100<<20, "bytes that may wait for the disk; as many more are being written")
	flags.StringVar(&c.Distro, "distro", os.Getenv("ROS_DISTRO"), "ROS distribution whose format is written; that of humble is read by all")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := readFilter(); err != nil {
			return err
		}
		c.Filter.Topics = append(c.Filter.Topics, args...)
		if c.Filter.Empty() {
			return errors.New("name topics, or say --all or --regex")
		}
		if c.Cache < bag.MinCache {
			return usage(cmd, fmt.Errorf("--max-cache-size: at least %d", bag.MinCache))
		}
		if c.Split.Size != 0 && c.Split.Size < bag.MinSplitSize {
			return usage(cmd, fmt.Errorf("--max-bag-size: at least %d, or 0 for files of any size", bag.MinSplitSize))
		}
		if err := checkStorage(storage); err != nil {
			return usage(cmd, err)
		}
		var err error
		if c.Mode, err = compressionMode(mode, format); err != nil {
			return usage(cmd, err)
		}
		if c.Dir == "" {
			c.Dir = time.Now().Format("rosbag2_2006_01_02-15_04_05")
		}
		c.Format = bag.FormatOf(c.Distro)
		places, err := interfaces.Places(l.include, os.Getenv)
		if err != nil {
			return err
		}
		c.Definitions = msggen.NewLoader(places...)
		node, err := bagNode(cmd, "pinion_recorder")
		if err != nil {
			return err
		}
		defer node.Close()
		for i, t := range c.Filter.Topics {
			if c.Filter.Topics[i], err = pubsub.ExpandTopicName(t, node.Name(), node.Namespace()); err != nil {
				return err
			}
		}
		s, err := bag.Record(cmd.Context(), node, c)
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d messages of %d topics; %d dropped, %d lost before they arrived, %d malformed\n",
			c.Dir, s.Messages, len(s.Topics), s.Dropped, s.Lost, s.Malformed)
		return err
	}
	return cmd
}

func checkStorage(storage string) error {
	switch storage {
	case "sqlite3":
		return nil
	case "mcap":
		return errors.New(`--storage mcap: there is no library for MCAP files in pinion; record sqlite3 and have "ros2 bag convert" make MCAP of it`)
	}
	return fmt.Errorf("--storage %s: sqlite3 is the only one", storage)
}

func compressionMode(mode, format string) (bag.Mode, error) {
	m, err := bag.ParseMode(mode)
	if err != nil {
		return "", fmt.Errorf("--compression-mode: %w", err)
	}
	if format != "" && format != bag.Zstd {
		return "", fmt.Errorf("--compression-format %s: %s is the only one", format, bag.Zstd)
	}
	return m, nil
}

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

func bagInfoCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "info BAG",
		Short: "Tell what is in a bag",
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := bag.Open(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, b)
			}
			return b.Print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func bagReindexCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reindex BAG",
		Short: "Write a bag's metadata.yaml anew from its files",
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := bag.Reindex(args[0])
			if err != nil {
				return err
			}
			return b.Print(cmd.OutOrStdout())
		},
	}
}
