package pubsub_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/msgs/rcl_interfaces"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func rosout(t testing.TB, d *pubsubtest.Domain) *pubsub.Subscription[rcl_interfaces.Log] {
	t.Helper()
	sub := must[*pubsub.Subscription[rcl_interfaces.Log]](t)(
		pubsub.NewSubscription[rcl_interfaces.Log](d.NewNode("listener"), "/rosout", pubsub.RosoutQoS(), nil))
	pubsubtest.WaitForMatch(t, sub)
	return sub
}

func TestRosout(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	core, stored := observer.New(zap.DebugLevel)
	n := d.NewNode("arm", pubsub.WithNamespace("left"), pubsub.WithRosout(true), pubsub.WithLogger(zap.New(core, zap.AddCaller()).Named("app")))
	log := n.Logger()
	log.Debug("not on /rosout")
	log.Info("first")
	log.Named("gripper").With(zap.Int("joint", 3)).Warn("second", zap.String("why", `"x"`))
	log.Error("third")
	log.DPanic("fourth")
	zap.New(n.RosoutCore()).Info("fifth")
	sub := rosout(t, d) // late, as ros2 topic echo is
	for _, want := range []rcl_interfaces.Log{
		{Level: rcl_interfaces.Log_INFO, Name: "left.arm", Msg: "first"},
		{Level: rcl_interfaces.Log_WARN, Name: "left.arm.gripper", Msg: `second {"joint":3,"why":"\"x\""}`},
		{Level: rcl_interfaces.Log_ERROR, Name: "left.arm", Msg: "third"},
		{Level: rcl_interfaces.Log_FATAL, Name: "left.arm", Msg: "fourth"},
		{Level: rcl_interfaces.Log_INFO, Name: "left.arm", Msg: "fifth"},
	} {
		m, _ := pubsubtest.Next(t, sub)
		if d := time.Since(time.Unix(int64(m.Stamp.Sec), int64(m.Stamp.Nanosec))); d < 0 || d > time.Minute {
			t.Errorf("%s: logged %v ago", m.Msg, d)
		}
		if caller := want.Msg != "fifth"; caller != (filepath.Base(m.File) == "rosout_test.go" && m.Line > 0 && strings.HasSuffix(m.Function, "TestRosout")) {
			t.Errorf("%s: logged in %s, %s:%d", m.Msg, m.Function, m.File, m.Line)
		}
		want.Stamp, want.File, want.Function, want.Line = m.Stamp, m.File, m.Function, m.Line
		if !m.Equal(&want) {
			t.Errorf("got\n%v, want\n%v", m, &want)
		}
	}
	if stored.Len() != 5 {
		t.Errorf("%d entries in the node's own log, want 5: %v", stored.Len(), stored.All())
	}
	n.Close()
	log.Info("logged after Close")
}

func TestRosoutOff(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	for _, on := range []bool{false, true} {
		n := d.NewNode("quiet", pubsub.WithRosout(on), pubsub.WithRemap("/rosout:=/elsewhere"))
		n.Logger().Error("x")
		zap.New(n.RosoutCore()).Error("x")
		topics := must[[]pubsub.TopicInfo](t)(n.Topics())
		if got := slices.ContainsFunc(topics, func(i pubsub.TopicInfo) bool { return i.Name == "/elsewhere" }); got != on {
			t.Errorf("with /rosout %v: topics %v", on, topics)
		}
		n.Close()
	}
}

func TestLogLevels(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	warn := zap.WarnLevel
	core, stored := observer.New(zap.DebugLevel)
	n := d.NewNode("arm", pubsub.WithNamespace("/left"), pubsub.WithRosout(true), pubsub.WithLogger(zap.New(core)),
		pubsub.WithLogLevels(pubsub.LogLevels{All: &warn, Logger: map[string]zapcore.Level{"left.arm.a": zap.DebugLevel, "left.arm.a.b": zap.ErrorLevel}}))
	for _, name := range []string{"", "a", "a.b", "a.b.c", "a.x", "ab"} {
		for _, level := range []zapcore.Level{zap.DebugLevel, zap.InfoLevel, zap.WarnLevel, zap.ErrorLevel} {
			n.Logger().Named(name).Log(level, name+" "+level.String())
		}
	}
	want := []string{" warn", " error", "a debug", "a info", "a warn", "a error", "a.b error", "a.b.c error",
		"a.x debug", "a.x info", "a.x warn", "a.x error", "ab warn", "ab error"}
	var got []string
	for _, e := range stored.All() {
		got = append(got, e.Message)
	}
	if !slices.Equal(got, want) {
		t.Errorf("logged %q, want %q", got, want)
	}
	sub := rosout(t, d)
	for _, text := range want {
		if m, _ := pubsubtest.Next(t, sub); m.Msg != text {
			t.Errorf("published %q, want %q", m.Msg, text)
		}
	}
}
