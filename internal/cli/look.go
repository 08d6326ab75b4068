package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/pinion-ros/pinion/internal/interfaces"
	"github.com/pinion-ros/pinion/internal/topic"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

// A looker is what the commands share that look at a running system.
type looker struct {
	spin    seconds
	json    bool
	include []string
	hidden  bool
}

// flags adds the flags of a group of commands.
func (l *looker) flags(cmd *cobra.Command) {
	l.spin = seconds(500 * time.Millisecond)
	f := cmd.PersistentFlags()
	f.Var(&l.spin, "spin-time", "how long to wait for the discovery of others")
	l.jsonFlag(cmd)
	ignoredFlag(cmd, "no-daemon") // pinion has none
	refuseFlag(cmd, "use-sim-time", "s", "pinion measures by the clock of this machine", true)
}

func (l *looker) jsonFlag(cmd *cobra.Command) {
	cmd.PersistentFlags().BoolVar(&l.json, "json", false, "print JSON")
}

// includeFlag adds -I.
func (l *looker) includeFlag(cmd *cobra.Command) {
	cmd.PersistentFlags().StringArrayVarP(&l.include, "include", "I", nil,
		"folder that holds packages with definitions, searched before AMENT_PREFIX_PATH and the standard interfaces")
}

func (l *looker) finder() (*interfaces.Finder, error) {
	return interfaces.NewFinder(l.include, os.Getenv)
}

// node opens the node to look from. It is hidden unless the user names it.
func (l *looker) node(name string, options ...pubsub.Option) (*pubsub.Node, error) {
	if name == "" {
		name = fmt.Sprintf("_pinion_%d", os.Getpid())
	}
	return pubsub.NewNode(name, append(options, pubsub.WithRosout(false))...)
}

// look calls f with a node that has had its time for discovery.
func (l *looker) look(ctx context.Context, f func(*pubsub.Node) error) error {
	n, err := l.node("")
	if err != nil {
		return err
	}
	defer n.Close()
	if l.wait(ctx); ctx.Err() != nil {
		return nil
	}
	return f(n)
}

// wait gives discovery its time.
func (l *looker) wait(ctx context.Context) {
	select {
	case <-time.After(l.spin.duration()):
	case <-ctx.Done():
	}
}

// A view is a topic with the node that looks at it.
type view struct {
	node      *pubsub.Node
	topic     string // full name
	endpoints []pubsub.EndpointInfo
}

// view opens a node and waits for the topic to be discovered.
func (l *looker) view(ctx context.Context, name string) (*view, error) {
	n, err := l.node("")
	if err != nil {
		return nil, err
	}
	v := &view{node: n}
	if v.topic, err = topic.Resolve(n, name); err == nil {
		v.endpoints, err = topic.Await(ctx, n, v.topic, l.spin.duration())
	}
	if err != nil {
		n.Close()
		return nil, err
	}
	return v, nil
}

func (v *view) close() { v.node.Close() }
