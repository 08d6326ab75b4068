package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pinion-ros/pinion/internal/topic"
	"github.com/pinion-ros/pinion/internal/yaml"
	"github.com/spf13/cobra"
)

type pubFlags struct {
	qos       qosFlags
	pub       topic.Pub
	once      bool
	stdin     bool
	node      string
	maxWait   seconds
	keepAlive seconds
}

func topicPub(l *looker) *cobra.Command {
	p := &pubFlags{keepAlive: seconds(100 * time.Millisecond)}
	cmd := &cobra.Command{
		Use:   "pub TOPIC TYPE [VALUES]",
		Short: "Publish messages",
		Long: `pub publishes a message of the type again and again. VALUES is YAML or JSON, a mapping of fields;
what it leaves out has its default value. "auto" stands for a std_msgs/msg/Header with the time of
publication, and "now" for that time.

Unless it is to wait for subscriptions, the first message waits until one is found, for --spin-time at
the most.`,
		Example: `  pinion topic pub -1 /chatter std_msgs/msg/String 'data: hello'
  pinion topic pub -r 10 /cmd_vel geometry_msgs/msg/TwistStamped '{header: auto, twist: {linear: {x: 0.2}}}'
  pinion topic pub --qos-durability transient_local /map_name std_msgs/String '{"data": "hall"}'`,
		ValidArgsFunction: complete(false, l.topics, l.typeOfTopic),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.run(cmd, l, args) },
	}
	p.qos.add(cmd, "default", "that of the profile")
	f := cmd.Flags()
	f.Float64VarP(&p.pub.Rate, "rate", "r", 1, "messages per second")
	f.BoolVarP(&p.once, "once", "1", false, "publish one message and exit")
	f.IntVarP(&p.pub.Times, "times", "t", 0, "publish that many messages and exit (0: no end)")
	f.IntVarP(&p.pub.Print, "print", "p", 1, "print every N-th message only (0: none)")
	f.IntVarP(&p.pub.Wait, "wait-matching-subscriptions", "w", 0, "wait for that many subscriptions first (default 1 with --once or --times)")
	f.Var(&p.maxWait, "max-wait-time-secs", "give up waiting for subscriptions after that time (default never)")
	f.Var(&p.keepAlive, "keep-alive", "how long to stay after the last message, beyond its acknowledgement")
	f.StringVarP(&p.node, "node-name", "n", "", "name of the publishing node (default a hidden one)")
	f.BoolVar(&p.stdin, "stdin", false, "read VALUES from standard input")
	return cmd
}

func (p *pubFlags) check(cmd *cobra.Command, args []string) error {
	if p.once && cmd.Flags().Changed("times") {
		return errors.New("--once and --times exclude each other")
	}
	if p.stdin && len(args) == 3 {
		return errors.New("--stdin and VALUES exclude each other")
	}
	if p.pub.Times < 0 || p.pub.Print < 0 || p.pub.Wait < 0 {
		return errors.New("--times, --print and --wait-matching-subscriptions must not be negative")
	}
	if p.once {
		p.pub.Times = 1
	}
	if p.pub.Times > 0 && !cmd.Flags().Changed("wait-matching-subscriptions") {
		p.pub.Wait = 1
	}
	if p.maxWait > 0 && p.pub.Wait == 0 {
		return errors.New("--max-wait-time-secs limits a wait that --wait-matching-subscriptions, --once or --times asks for; give one of them")
	}
	return nil
}

func (p *pubFlags) run(cmd *cobra.Command, l *looker, args []string) error {
	err := p.check(cmd, args)
	if err != nil {
		return usage(cmd, err)
	}
	if p.pub.QoS, _, err = p.qos.resolve(cmd); err != nil {
		return err
	}
	f, err := l.finder()
	if err != nil {
		return err
	}
	if p.pub.Type, err = f.Message(args[1]); err != nil {
		return err
	}
	text, err := p.values(cmd, args)
	if err != nil {
		return err
	}
	if p.pub.Values, err = yaml.Parse(text); err != nil {
		return fmt.Errorf("the values are no YAML: %w", err)
	}
	n, err := l.node(p.node)
	if err != nil {
		return err
	}
	defer n.Close()
	if p.pub.Topic, err = topic.Resolve(n, args[0]); err != nil {
		return err
	}
	p.pub.MaxWait, p.pub.Settle, p.pub.KeepAlive = p.maxWait.duration(), l.spin.duration(), p.keepAlive.duration()
	p.pub.JSON, p.pub.Out = l.json, cmd.OutOrStdout()
	return p.pub.Run(cmd.Context(), n)
}

func (p *pubFlags) values(cmd *cobra.Command, args []string) ([]byte, error) {
	switch {
	case p.stdin:
		text, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return text, nil
	case len(args) == 3:
		return []byte(args[2]), nil
	}
	return []byte("{}"), nil
}
