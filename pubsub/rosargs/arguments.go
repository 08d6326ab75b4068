// Package rosargs reads the command line that ROS 2 gives to every node: remap rules, parameters,
// parameter files, log levels and the enclave, between --ros-args and "--". What decides is what
// rcl and rclcpp make of the same arguments, apart from what Parse says.
package rosargs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/pubsub"
)

// Arguments is what a ROS command line says.
type Arguments struct {
	Rules         []pubsub.Rule // in their order, of which the first that fits wins
	Enclave       string        // "" if none is given
	LogLevel      LogLevel      // of all loggers without one of their own
	LogLevels     map[string]LogLevel
	LogConfigFile string
	LogFileName   string // prefix of the names of log files

	NoStdoutLogs      bool
	NoRosoutLogs      bool
	NoExternalLibLogs bool

	// Deprecated lists the remap rules that were given outside of --ros-args. They are in Rules
	// too; ROS 2 warns about them.
	Deprecated []string

	params overrides
}

var (
	// ErrUnknownArgument matches the error about a ROS argument that does not exist.
	ErrUnknownArgument = errors.New("unknown ROS argument")

	// ErrMissingValue matches the error about a flag at the end that wants a value.
	ErrMissingValue = errors.New("its value is missing")
)

// ArgumentError reports a ROS argument that cannot be used and unwraps to the reason.
type ArgumentError struct {
	Index int    // position in the arguments, of the flag where there is one
	Flag  string // or what stands in its place
	Value string // what follows the flag, if it takes a value
	Err   error
}

func (e *ArgumentError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("argument %d, %.300q: %v", e.Index, e.Flag, e.Err)
	}
	return fmt.Sprintf("argument %d, %s %.300q: %v", e.Index, e.Flag, e.Value, e.Err)
}

func (e *ArgumentError) Unwrap() error { return e.Err }

// Parse reads the arguments of a program without its name, os.Args[1:] as a rule, and returns what
// they say to ROS and the ones that are not for ROS. Parameter files are read here. An error is an
// [*ArgumentError]; unknown arguments for ROS are errors.
//
// What rcl lets pass at first or leaves open is decided here: the enclave is checked, a parameter
// without a value and a list or map in a list are refused, of values with different types for one
// parameter the last counts, an empty list fits every type of list, and a number too small for a
// float64 is the next one.
func Parse(args []string) (*Arguments, []string, error) {
	return parse(args, readFile)
}

func parse(args []string, readFile func(path string) ([]byte, error)) (*Arguments, []string, error) {
	p := parser{args: args, readFile: readFile}
	var rest []string
	forROS := false
	for p.next < len(args) {
		arg := args[p.next]
		p.next++
		switch {
		case arg == "--ros-args":
			forROS = true
		case forROS && arg == "--":
			forROS = false
		case forROS:
			if err := p.flag(arg); err != nil {
				return nil, nil, err
			}
		case !p.deprecatedRule(arg):
			rest = append(rest, arg)
		}
	}
	return &p.result, rest, nil
}

type parser struct {
	args     []string
	next     int // the argument that is read next
	readFile func(path string) ([]byte, error)
	result   Arguments
}

// flag reads a flag of ROS and its value.
func (p *parser) flag(flag string) error {
	if off, ok := p.logSwitch(flag); ok {
		*off = strings.HasPrefix(flag, "--disable-")
		return nil
	}
	take := p.taker(flag)
	index := p.next - 1
	if take == nil {
		return &ArgumentError{index, flag, "", fmt.Errorf(
			"%w, \"--\" ends the arguments for ROS", ErrUnknownArgument)}
	}
	if p.next == len(p.args) {
		return &ArgumentError{index, flag, "", ErrMissingValue}
	}
	value := p.args[p.next]
	p.next++
	if err := take(value); err != nil {
		return &ArgumentError{index, flag, value, err}
	}
	return nil
}

// logSwitch returns what a flag like --enable-stdout-logs switches.
func (p *parser) logSwitch(flag string) (off *bool, ok bool) {
	name, ok := strings.CutPrefix(flag, "--enable-")
	if !ok {
		name, ok = strings.CutPrefix(flag, "--disable-")
	}
	if !ok {
		return nil, false
	}
	switch name {
	case "stdout-logs":
		return &p.result.NoStdoutLogs, true
	case "rosout-logs":
		return &p.result.NoRosoutLogs, true
	case "external-lib-logs":
		return &p.result.NoExternalLibLogs, true
	}
	return nil, false
}

// taker returns what takes the value of a flag, nil if there is no such flag.
func (p *parser) taker(flag string) func(value string) error {
	switch flag {
	case "-r", "--remap":
		return p.rule
	case "-p", "--param":
		return p.result.params.addRule
	case "--params-file":
		return p.paramFile
	case "--log-level":
		return p.logLevel
	case "--log-config-file":
		return store(&p.result.LogConfigFile)
	case "--log-file-name":
		return store(&p.result.LogFileName)
	case "-e", "--enclave":
		return p.enclave
	}
	return nil
}

func store(dst *string) func(string) error {
	return func(value string) error {
		*dst = value
		return nil
	}
}

func (p *parser) rule(text string) error {
	rule, err := pubsub.ParseRule(text)
	if err == nil {
		p.result.Rules = append(p.result.Rules, rule)
	}
	return err
}

// deprecatedRule takes an argument outside of --ros-args if it reads as a remap rule.
func (p *parser) deprecatedRule(arg string) bool {
	if p.rule(arg) != nil {
		return false
	}
	p.result.Deprecated = append(p.result.Deprecated, arg)
	return true
}

func (p *parser) paramFile(path string) error {
	data, err := p.readFile(path)
	if err != nil {
		return err
	}
	return p.result.params.addFile(data)
}

func (p *parser) logLevel(text string) error {
	logger, level, err := parseLogLevel(text)
	switch {
	case err != nil:
		return err
	case logger == "":
		p.result.LogLevel = level
		return nil
	}
	if p.result.LogLevels == nil {
		p.result.LogLevels = make(map[string]LogLevel)
	}
	p.result.LogLevels[logger] = level
	return nil
}

func (p *parser) enclave(name string) error {
	p.result.Enclave = name
	return pubsub.ValidateEnclave(name)
}

// Params returns the parameters of the node with that full name, such as "/arm/driver". Where
// several sections fit the node, the one wins whose node name came up last, in a file or a rule,
// whatever it says: a rule for /** that follows a file for the node wins over the file. Within one
// section the last value counts.
func (a *Arguments) Params(fullName string) pubsub.Params {
	return a.params.forNode(fullName)
}
