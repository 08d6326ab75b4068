// Package plancmd is the command `pinion plan`: it tells what is wrong with a schedule before a robot
// does.
package plancmd

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pinion-ros/pinion/executor"
)

const usage = `usage: pinion plan check FILE [--topics LIST] [--cpus LIST]

Reads a plan and reports, each with file and line, what is wrong with it, and what its lanes
guarantee: from the rates, jitters and budgets in the plan follows how long each message may take at
the most, and which deadlines may be missed and why.

  --topics LIST  a file with the names of the topics that the program subscribes to and of those that
                 its chains end in, one a line ("-" for standard input, as from "ros2 topic list"):
                 topics of the plan that are not among them are errors, patterns excepted
  --cpus LIST    the CPUs of the machine that the plan is for, such as 0-3,6; by default those that
                 this process may use

The exit code is 0 if all is well, 1 if something is wrong, 2 if the command was not understood.
`

// The exit codes.
const (
	exitOK    = 0
	exitFault = 1
	exitUsage = 2
)

// query is what is asked.
type query struct {
	file, topics, cpus string
}

// Run runs the command with the arguments behind its name and returns the exit code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	q, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(stderr, "pinion plan: %v\n\n%s", err, usage)
		return exitUsage
	}
	if err := q.check(stdin, stdout); err != nil {
		if !errors.Is(err, executor.ErrPlan) {
			err = fmt.Errorf("pinion plan: %w", err)
		}
		fmt.Fprintln(stderr, err)
		return exitFault
	}
	return exitOK
}

// parse takes flags before and behind the file.
func parse(args []string) (query, error) {
	var q query
	if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
		return q, flag.ErrHelp
	}
	if len(args) == 0 || args[0] != "check" {
		return q, errors.New("there is one thing to do with a plan: check")
	}
	flags := flag.NewFlagSet("plan check", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&q.topics, "topics", "", "")
	flags.StringVar(&q.cpus, "cpus", "", "")
	for args = args[1:]; ; args = flags.Args()[1:] {
		if err := flags.Parse(args); err != nil {
			return q, err
		}
		if flags.NArg() == 0 {
			break
		}
		if q.file != "" {
			return q, fmt.Errorf("one FILE is wanted, not %q as well", flags.Arg(0))
		}
		q.file = flags.Arg(0)
	}
	if q.file == "" {
		return q, errors.New("a FILE is wanted")
	}
	return q, nil
}

// check writes the report and returns what is wrong.
func (q query) check(stdin io.Reader, stdout io.Writer) error {
	plan, err := executor.ReadPlan(q.file)
	if err != nil {
		return err
	}
	available, err := q.available()
	if err != nil {
		return err
	}
	wrong := []error{plan.ValidateCPUs(available)}
	if wrong[0] != nil && q.cpus == "" {
		wrong = append(wrong, errors.New("pinion plan: name the CPUs of another machine with --cpus"))
	}
	if q.topics != "" {
		names, err := q.names(stdin)
		if err != nil {
			return err
		}
		wrong = append(wrong, plan.Unused(names, names))
	}
	analysis, err := plan.Check()
	report(stdout, plan, analysis)
	return errors.Join(append(wrong, err)...)
}

func (q query) available() ([]int, error) {
	if q.cpus == "" {
		return executor.PermittedCPUs()
	}
	cpus, err := executor.ParseCPUs(q.cpus)
	if err != nil {
		return nil, fmt.Errorf("--cpus: %w", err)
	}
	return cpus, nil
}

// names reads the list of topics: the first word of each line.
func (q query) names(stdin io.Reader) ([]string, error) {
	data, err := func() ([]byte, error) {
		if q.topics == "-" {
			return io.ReadAll(stdin)
		}
		return os.ReadFile(q.topics)
	}()
	if err != nil {
		return nil, fmt.Errorf("--topics: %w", err)
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		if words := strings.Fields(line); len(words) > 0 {
			names = append(names, words[0])
		}
	}
	return names, nil
}
