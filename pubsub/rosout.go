package pubsub

import (
	"sync/atomic"

	"github.com/pinion-ros/pinion/msgs/builtin_interfaces"
	"github.com/pinion-ros/pinion/msgs/rcl_interfaces"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// rosoutTopic is where nodes publish what they log.
const rosoutTopic = "/rosout"

// WithRosout switches whether what the node's logger logs is published on /rosout too, which is the
// default as in ROS 2.
func WithRosout(on bool) Option {
	return func(o *nodeOptions) error {
		o.noRosout = !on
		return nil
	}
}

// RosoutCore returns a core that publishes what is logged on /rosout, as the node's own logger does,
// for use in other loggers. A logger without a name logs under the node's. It does nothing for a
// node without /rosout.
func (n *Node) RosoutCore() zapcore.Core {
	if n.rosout == nil {
		return zapcore.NewNopCore()
	}
	return n.rosout
}

// addRosout has the node's logger publish on /rosout.
func (n *Node) addRosout(levels LogLevels, prefix string) error {
	core := &rosoutCore{
		publisher: new(atomic.Pointer[Publisher[rcl_interfaces.Log]]),
		fields:    zapcore.NewJSONEncoder(zapcore.EncoderConfig{SkipLineEnding: true}),
		node:      n.name.LoggerName(),
		prefix:    prefix,
	}
	n.rosout = levels.limit(core, prefix, zapcore.InfoLevel)
	n.log = n.log.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core { return zapcore.NewTee(c, n.rosout) }))
	// Who logs does not wait: what there is no space for is not published.
	p, err := NewPublisher[rcl_interfaces.Log](n, rosoutTopic, RosoutQoS(), WithMaxBlocking(0), WithPublisherInEveryPart())
	if err != nil {
		return err
	}
	core.publisher.Store(p)
	return nil
}

// A rosoutCore publishes what is logged.
type rosoutCore struct {
	publisher    *atomic.Pointer[Publisher[rcl_interfaces.Log]] // nil until it exists
	fields       zapcore.Encoder
	node, prefix string // names of loggers
}

func (c *rosoutCore) Enabled(zapcore.Level) bool { return true }

func (c *rosoutCore) With(fields []zapcore.Field) zapcore.Core {
	d := *c
	d.fields = c.fields.Clone()
	for _, f := range fields {
		f.AddTo(d.fields)
	}
	return &d
}

func (c *rosoutCore) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	return ce.AddCore(e, c)
}

// Write does not tell of errors: a node that is being closed logs too.
func (c *rosoutCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	p := c.publisher.Load()
	if p == nil {
		return nil
	}
	_ = p.Publish(&rcl_interfaces.Log{
		Stamp:    builtin_interfaces.Time{Sec: int32(e.Time.Unix()), Nanosec: uint32(e.Time.Nanosecond())},
		Level:    rosLevel(e.Level),
		Name:     c.logger(e.LoggerName),
		Msg:      c.text(e, fields),
		File:     e.Caller.File,
		Function: e.Caller.Function,
		Line:     uint32(e.Caller.Line),
	})
	return nil
}

func (c *rosoutCore) Sync() error { return nil }

func (c *rosoutCore) logger(name string) string {
	if name = rosLogger(name, c.prefix); name == "" {
		return c.node
	}
	return name
}

// text appends the fields to the message as zap's console encoder does.
func (c *rosoutCore) text(e zapcore.Entry, fields []zapcore.Field) string {
	buf, err := c.fields.EncodeEntry(zapcore.Entry{}, fields)
	if err != nil {
		return e.Message
	}
	defer buf.Free()
	if buf.String() == "{}" {
		return e.Message
	}
	return e.Message + " " + buf.String()
}

// rosLevel returns the level that ROS 2 has for one of zap's.
func rosLevel(l zapcore.Level) uint8 {
	switch {
	case l <= zapcore.DebugLevel:
		return rcl_interfaces.Log_DEBUG
	case l == zapcore.InfoLevel:
		return rcl_interfaces.Log_INFO
	case l == zapcore.WarnLevel:
		return rcl_interfaces.Log_WARN
	case l == zapcore.ErrorLevel:
		return rcl_interfaces.Log_ERROR
	}
	return rcl_interfaces.Log_FATAL
}
