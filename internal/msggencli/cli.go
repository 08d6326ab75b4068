// Package msggencli is the command msggen, apart from what a process of its own needs: arguments,
// input, output and environment are given, the exit code is returned.
package msggencli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/pinion-ros/pinion/msggen"
)

// Env is what the command sees of the world besides files.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
}

// The exit codes.
const (
	exitOK    = 0
	exitFault = 1 // a definition, type or file is at fault; nothing was written
	exitUsage = 2
)

// command is a subcommand. Run is called with the arguments that are left when the flags that it
// shares with the function flags are set.
type command struct {
	usage string
	flags func(*flag.FlagSet) // defines flags of its own, may be nil
	run   func(args []string) error
}

// usageError is a fault of the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// errReported stands for faults that are printed already.
var errReported = errors.New("reported")

const usage = `usage: msggen [command] [-I DIR]... [flags] ...

  msggen gen [-out DIR] [-module PATH] [-idl ros|dds] [-idl-out DIR] DIR|FILE|PACKAGE...
        write Go code, and IDL where asked; the word gen may be left out
  msggen idl -flavour ros|dds [-out DIR] DIR|FILE|PACKAGE...
        write IDL, to standard output without -out
  msggen check DIR|FILE...
        report faults
  msggen hash TYPE...
        print the RIHS01 hash of types like std_msgs/msg/String
  msggen parse --format json FILE...
        print what files hold, one JSON object a line
  msggen encode TYPE
        read a message as JSON, print its CDR as hexadecimal digits
  msggen decode TYPE
        read CDR as hexadecimal digits, print the message as JSON

Types are searched in the packages of the arguments, in the folders of packages that -I names, in
those of AMENT_PREFIX_PATH and among the standard definitions that ship with msggen.
`

// Main runs the command and returns its exit code: 0, 1 where a definition or file is at fault, 2
// where the command line is.
func Main(args []string, env Env) int {
	app := &app{Env: env}
	commands := map[string]func() command{
		"gen": app.gen, "idl": app.idl, "check": app.check, "hash": app.hash,
		"parse": app.parse, "encode": app.encode, "decode": app.decode,
	}
	if len(args) == 0 {
		fmt.Fprint(env.Stderr, usage)
		return exitUsage
	}
	name := args[0]
	switch name {
	case "help", "-h", "-help", "--help":
		fmt.Fprint(env.Stdout, usage)
		return exitOK
	}
	newCommand, named := commands[name]
	if named {
		args = args[1:]
	} else {
		name, newCommand = "gen", app.gen
	}
	return app.execute(name, newCommand(), args)
}

type app struct {
	Env
	include includeDirs
}

func (a *app) execute(name string, c command, args []string) int {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Var(&a.include, "I", "folder that holds packages")
	if c.flags != nil {
		c.flags(flags)
	}
	rest, err := parseFlags(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(a.Stdout, "usage: msggen %s\n", c.usage)
		return exitOK
	}
	if err == nil {
		err = c.run(rest)
	}
	var bad *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &bad):
		fmt.Fprintf(a.Stderr, "msggen %s: %v\nusage: msggen %s\n", name, err, c.usage)
		return exitUsage
	case errors.Is(err, errReported):
	case errors.As(err, new(msggen.Diagnostics)):
		fmt.Fprintln(a.Stderr, err) // every line names its file
	default:
		fmt.Fprintf(a.Stderr, "msggen %s: %v\n", name, err)
	}
	return exitFault
}

// parseFlags parses flags before, between and behind the other arguments.
func parseFlags(flags *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, usagef("%v", err)
		}
		if flags.NArg() == 0 {
			return rest, nil
		}
		rest = append(rest, flags.Arg(0))
		args = flags.Args()[1:]
	}
}

// includeDirs collects the values of -I.
type includeDirs []string

func (d *includeDirs) String() string { return strings.Join(*d, ", ") }

func (d *includeDirs) Set(dir string) error {
	*d = append(*d, dir)
	return nil
}
