package pubsub

import (
	"maps"
	"os"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// LogLevels says from which level on loggers log. They are named as in ROS 2: "left.arm_controller"
// for the node /left/arm_controller, and a logger without a level has that of the next logger above
// it, "left" here.
type LogLevels struct {
	All    *zapcore.Level // of loggers without one, nil for the default
	Logger map[string]zapcore.Level
}

// WithLogLevels sets levels for the node's logger and those derived from it, on top of what their
// destination lets through: a logger of WithLogger keeps its own level. By default /rosout gets
// everything from Info on, as in ROS 2, and standard error warnings and errors.
func WithLogLevels(levels LogLevels) Option {
	return func(o *nodeOptions) error {
		o.logLevels = LogLevels{levels.All, maps.Clone(levels.Logger)}
		return nil
	}
}

// WithStderr switches the log on standard error that a node without WithLogger has.
func WithStderr(on bool) Option {
	return func(o *nodeOptions) error {
		o.noStderr = !on
		return nil
	}
}

// DefaultLogger returns what nodes without WithLogger log to besides /rosout: warnings and errors go to
// standard error.
func DefaultLogger() *zap.Logger { return new(nodeOptions).logger() }

// logger returns what the node logs to besides /rosout.
func (o *nodeOptions) logger() *zap.Logger {
	switch {
	case o.log != nil && o.logLevels.empty():
		return o.log
	case o.log != nil:
		return o.log.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core {
			return o.logLevels.limit(c, o.log.Name(), zapcore.DebugLevel)
		}))
	case o.noStderr:
		return zap.NewNop()
	}
	encoder := zap.NewDevelopmentEncoderConfig()
	encoder.CallerKey = "" // known, but for /rosout alone
	core := zapcore.NewCore(zapcore.NewConsoleEncoder(encoder), zapcore.Lock(os.Stderr), zapcore.DebugLevel)
	return zap.New(o.logLevels.limit(core, "", zapcore.WarnLevel), zap.AddCaller())
}

func (l LogLevels) empty() bool { return l.All == nil && len(l.Logger) == 0 }

// limit lets through to core what the levels allow; fallback stands for All.
func (l LogLevels) limit(core zapcore.Core, prefix string, fallback zapcore.Level) zapcore.Core {
	if l.All != nil {
		fallback = *l.All
	}
	lowest := fallback
	for _, level := range l.Logger {
		lowest = min(lowest, level)
	}
	return &limitedCore{core, prefix, l.Logger, fallback, lowest}
}

// A limitedCore is a core with levels for loggers.
type limitedCore struct {
	zapcore.Core
	prefix           string // name of the logger above all of the node's
	levels           map[string]zapcore.Level
	fallback, lowest zapcore.Level
}

func (c *limitedCore) Enabled(level zapcore.Level) bool {
	return level >= c.lowest && c.Core.Enabled(level)
}

func (c *limitedCore) With(fields []zapcore.Field) zapcore.Core {
	d := *c
	d.Core = c.Core.With(fields)
	return &d
}

func (c *limitedCore) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if e.Level < c.level(rosLogger(e.LoggerName, c.prefix)) {
		return ce
	}
	return c.Core.Check(e, ce)
}

func (c *limitedCore) level(logger string) zapcore.Level {
	for logger != "" {
		if level, ok := c.levels[logger]; ok {
			return level
		}
		logger = logger[:max(strings.LastIndexByte(logger, '.'), 0)]
	}
	return c.fallback
}

// rosLogger takes from a logger's name that of the logger that WithLogger was given.
func rosLogger(name, prefix string) string {
	if rest, ok := strings.CutPrefix(name, prefix); ok && prefix != "" {
		return strings.TrimPrefix(rest, ".")
	}
	return name
}
