package cli

import (
	"fmt"
	"regexp"

	"github.com/pinion-ros/pinion/internal/bag"
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
