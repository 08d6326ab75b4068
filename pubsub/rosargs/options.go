package rosargs

import (
	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap/zapcore"
)

// Options returns what makes a node follow the arguments, as the nodes of ROS 2 do: rules after those
// given in code, the enclave, parameters, log levels, and what logs go where. Log files, which
// --log-config-file, --log-file-name and the external-lib-logs switches are about, are not written.
func (a *Arguments) Options() []pubsub.Option {
	options := []pubsub.Option{
		pubsub.WithCommandLineRemap(a.Rules...),
		pubsub.WithParams(a.Params),
		pubsub.WithLogLevels(a.logLevels()),
	}
	if a.Enclave != "" {
		options = append(options, pubsub.WithEnclave(a.Enclave))
	}
	if a.NoStdoutLogs {
		options = append(options, pubsub.WithStderr(false))
	}
	if a.NoRosoutLogs {
		options = append(options, pubsub.WithRosout(false))
	}
	return options
}

// logLevels leaves out what is unset.
func (a *Arguments) logLevels() pubsub.LogLevels {
	levels := pubsub.LogLevels{Logger: map[string]zapcore.Level{}}
	if a.LogLevel != Unset {
		level := a.LogLevel.zap()
		levels.All = &level
	}
	for logger, level := range a.LogLevels {
		if level != Unset {
			levels.Logger[logger] = level.zap()
		}
	}
	return levels
}

// zap returns the level of zap from which on its messages have the severity.
func (l LogLevel) zap() zapcore.Level {
	switch {
	case l <= Debug:
		return zapcore.DebugLevel
	case l <= Info:
		return zapcore.InfoLevel
	case l <= Warn:
		return zapcore.WarnLevel
	case l <= Error:
		return zapcore.ErrorLevel
	}
	return zapcore.DPanicLevel
}
