package rosargs

import (
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/pubsub/internal/lex"
)

// LogLevel is a severity of log messages with the numbers of ROS 2.
type LogLevel uint8

// The severities. Unset leaves the decision to the default.
const (
	Unset LogLevel = 0
	Debug LogLevel = 10
	Info  LogLevel = 20
	Warn  LogLevel = 30
	Error LogLevel = 40
	Fatal LogLevel = 50
)

var logLevels = map[string]LogLevel{
	"unset": Unset, "debug": Debug, "info": Info, "warn": Warn, "error": Error, "fatal": Fatal,
}

func (l LogLevel) String() string {
	for name, level := range logLevels {
		if level == l {
			return name
		}
	}
	return fmt.Sprintf("LogLevel(%d)", uint8(l))
}

// parseLogLevel reads [logger:=]level. Without a logger the level is that of all.
func parseLogLevel(text string) (logger string, level LogLevel, err error) {
	s := lex.Scanner{Text: text}
	for s.Peek() != lex.Separator {
		if s.Peek() == lex.End {
			level, err = namedLevel(text)
			return "", level, err
		}
		s.Next()
	}
	logger = text[:s.Pos]
	if logger == "" {
		return "", 0, fmt.Errorf("the name of a logger is missing in front of \":=\"")
	}
	s.Next()
	level, err = namedLevel(s.Rest())
	return logger, level, err
}

func namedLevel(name string) (LogLevel, error) {
	level, ok := logLevels[strings.ToLower(name)]
	if !ok {
		return 0, fmt.Errorf("%.300q is no log level, use debug, info, warn, error, fatal or unset", name)
	}
	return level, nil
}
