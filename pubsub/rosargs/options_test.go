package rosargs_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"github.com/pinion-ros/pinion/pubsub/rosargs"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestMain(m *testing.M) { os.Exit(pubsubtest.Run(m)) }

// A command line as a launch file makes it, on its way through a node.
func TestOptions(t *testing.T) {
	const line = `--ros-args -r __node:=driver -r arm:__ns:=/ignored -r __ns:=/arm -r chatter:=/talk -r ~/state:=/status
		--params-file testdata/params.yaml -p driver:rate:=7 -p label:='left' -e /robots/left
		--log-level warn --log-level arm.driver.bus:=debug`
	args, rest, err := rosargs.Parse(strings.Fields(line))
	if err != nil || len(rest) != 0 {
		t.Fatal(err, rest)
	}
	d := pubsubtest.NewDomain(t)
	core, logs := observer.New(zap.DebugLevel)
	code := []pubsub.Option{pubsub.WithLogger(zap.New(core)), pubsub.WithRosout(true)}
	// The code's rules win wherever they stand.
	n := d.NewNode("any", slices.Concat(code, args.Options(), []pubsub.Option{pubsub.WithRemap("~/state:=/code")})...)
	if n.FullName() != "/arm/driver" {
		t.Errorf("node %s", n.FullName())
	}
	for name, want := range map[string]string{"chatter": "/talk", "~/state": "/code", "other": "/arm/other"} {
		p, err := pubsub.NewPublisher[std_msgs.String](n, name, pubsub.DefaultQoS())
		if err != nil || p.Topic() != want {
			t.Errorf("topic %s is %v, %v; want %s", name, p.Topic(), err, want)
		}
	}
	if rate, err := pubsub.Param[int64](n.Params(), "rate"); err != nil || rate != 31 {
		t.Errorf("rate %v, %v", rate, err)
	}
	if label, err := pubsub.Param[string](n.Params(), "label"); err != nil || label != "left" {
		t.Errorf("label %q, %v", label, err)
	}
	if _, err := pubsub.Param[string](n.Params(), "rate"); !errors.As(err, new(*pubsub.ParamTypeError)) {
		t.Errorf("rate as a string: %v", err)
	}
	if frame, err := pubsub.ParamOr(n.Params(), "nowhere", "map"); err != nil || frame != "map" {
		t.Errorf("a parameter that is not set: %q, %v", frame, err)
	}
	nodes, err := n.Nodes()
	if err != nil || len(nodes) != 1 || nodes[0].Enclave != "/robots/left" {
		t.Errorf("nodes %+v, %v", nodes, err)
	}
	n.Logger().Info("dropped")
	n.Logger().Warn("kept")
	n.Logger().Named("bus").Debug("kept too")
	if logs.Len() != 2 || logs.FilterMessageSnippet("kept").Len() != 2 {
		t.Errorf("logged %v", logs.All())
	}
	if topics, err := n.Topics(); err != nil || !slices.ContainsFunc(topics, func(i pubsub.TopicInfo) bool { return i.Name == "/rosout" }) {
		t.Errorf("topics %v, %v", topics, err)
	}
}

func TestOptionsSwitches(t *testing.T) {
	args, _, err := rosargs.Parse([]string{"--ros-args", "--disable-rosout-logs", "--disable-stdout-logs", "--log-level", "unset"})
	if err != nil {
		t.Fatal(err)
	}
	n := pubsubtest.NewDomain(t).NewNode("n", append([]pubsub.Option{pubsub.WithRosout(true)}, args.Options()...)...)
	if topics, err := n.Topics(); err != nil || len(topics) != 0 {
		t.Errorf("topics %v, %v", topics, err)
	}
	if n.Logger().Core().Enabled(zap.ErrorLevel) {
		t.Error("logs go somewhere in spite of both switches")
	}
}
