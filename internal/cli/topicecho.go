package cli

import (
	"errors"
	"fmt"

	"github.com/pinion-ros/pinion/internal/topic"
	"github.com/spf13/cobra"
)

// truncateLength is what ros2 topic echo prints of arrays and strings by default.
const truncateLength = 128

// echoDepth keeps messages that come while the terminal is slow. ros2 topic echo keeps 5.
const echoDepth = 1000

type echoFlags struct {
	qos       qosFlags
	style     topic.Style
	once      bool
	times     int
	timeout   seconds
	csv, raw  bool
	full      bool
	noLost    bool
	truncated uint
}

func topicEcho(l *looker) *cobra.Command {
	e := &echoFlags{}
	cmd := &cobra.Command{
		Use:   "echo TOPIC [TYPE]",
		Short: "Print the messages of a topic",
		Long: `echo prints messages as YAML, with --- behind each, as comma-separated values or as JSON, one object
a line. The type is that of the topic unless it is given, and needs a definition: see -I.

Unless a policy is given by --qos-*, reliability and durability are the highest that all publishers
offer, so the messages of a latched topic (transient local) are printed, too.`,
		Example: `  pinion topic echo /scan --once
  pinion topic echo /odom --field pose.pose.position --csv
  pinion topic echo /joint_states --json -n 100 | jq .position[0]
  pinion topic echo -I ~/robot_ws/src /grasps`,
		ValidArgsFunction: complete(false, l.topics, l.typeOfTopic),
		RunE:              func(cmd *cobra.Command, args []string) error { return e.run(cmd, l, args) },
	}
	e.add(cmd)
	return cmd
}

func (e *echoFlags) add(cmd *cobra.Command) {
	e.qos.add(cmd, "sensor_data", "what suits the publishers")
	refuseFilter(cmd)
	ignoredFlag(cmd, "lost-messages") // they are reported anyway
	f := cmd.Flags()
	f.BoolVar(&e.once, "once", false, "print one message and exit")
	f.IntVarP(&e.times, "times", "n", 0, "print that many messages and exit (0: no end)")
	f.Var(&e.timeout, "timeout", "exit after that time; with --once or --times as a failure")
	f.StringVar(&e.style.Field, "field", "", "print that field only, such as pose.position.x or ranges[0]")
	f.BoolVar(&e.csv, "csv", false, "print all fields separated by commas")
	f.BoolVar(&e.raw, "raw", false, "print the bytes as they came")
	f.BoolVarP(&e.full, "full-length", "f", false, "print whole arrays and strings")
	f.UintVarP(&e.truncated, "truncate-length", "l", truncateLength, "print no more elements of arrays and characters of strings; JSON is not truncated")
	f.BoolVar(&e.style.NoArrays, "no-arr", false, "print the types and lengths of arrays instead")
	f.BoolVar(&e.style.NoStrings, "no-str", false, "print the lengths of strings instead")
	f.BoolVar(&e.style.Flow, "flow-style", false, "print arrays on one line")
	f.BoolVarP(&e.style.Info, "include-message-info", "i", false, "print times and sequence number, too")
	f.BoolVar(&e.noLost, "no-lost-messages", false, "do not report lost messages")
}

// complete fills in what depends on several flags.
func (e *echoFlags) complete(l *looker) error {
	for _, f := range [...]struct {
		on     bool
		format topic.Format
	}{{e.csv, topic.CSV}, {e.raw, topic.Raw}, {l.json, topic.JSON}} {
		if f.on && e.style.Format != topic.YAML {
			return errors.New("--csv, --raw and --json exclude each other")
		}
		if f.on {
			e.style.Format = f.format
		}
	}
	e.style.Truncate = int(min(e.truncated, 1<<30))
	if e.full {
		e.style.Truncate = -1
	}
	if e.times < 0 {
		return errors.New("--times must not be negative")
	}
	if e.once {
		e.times = 1
	}
	return nil
}

func (e *echoFlags) run(cmd *cobra.Command, l *looker, args []string) error {
	if err := e.complete(l); err != nil {
		return usage(cmd, err)
	}
	qos, adapt, err := e.qos.resolve(cmd)
	if err != nil {
		return err
	}
	finder, err := l.finder()
	if err != nil {
		return err
	}
	v, err := l.view(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	defer v.close()
	if adapt {
		var notes []string
		qos, notes = topic.Match(qos, v.endpoints)
		qos.Depth = max(qos.Depth, echoDepth)
		for _, note := range notes {
			fmt.Fprintln(cmd.ErrOrStderr(), "pinion:", note)
		}
	}
	typeName := ""
	if len(args) == 2 {
		typeName = args[1]
	} else if typeName, err = topic.OnlyType(v.topic, v.endpoints); err != nil {
		return err
	}
	t, err := finder.Message(typeName)
	if err != nil {
		return err
	}
	for _, warning := range topic.CheckTypes(t, v.endpoints) {
		fmt.Fprintln(cmd.ErrOrStderr(), "pinion: warning:", warning)
	}
	echo := topic.Echo{
		Topic: v.topic, Type: t, QoS: qos, Style: e.style, Times: e.times, Timeout: e.timeout.duration(),
		Out: cmd.OutOrStdout(), Err: cmd.ErrOrStderr(), NoLost: e.noLost,
	}
	return echo.Run(cmd.Context(), v.node)
}
