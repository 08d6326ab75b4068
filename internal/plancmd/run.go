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

const usage = `usage: pinion plan check FILE [--topics FILE] [--published FILE] [--cpus LIST]
                         [--soft LIST] [--shared-cpus]

Reads a plan and reports, each with file and line, what is wrong with it, and what its lanes
guarantee: from the rates, jitters and budgets in the plan follows how long each message may take at
the most, and which deadlines may be missed and why. A deadline of which that is not known is an
error, too; the message says what to add.

  --topics FILE     the names of all topics that the program subscribes to, one a line ("-" for
                    standard input, as from "ros2 topic list"). Topics of the plan that are not among
                    them are errors, patterns excepted; patterns of lanes stand for those that they
                    match. Without it nobody notices misspelt names, and what a lane with a pattern
                    may delay has no bound
  --published FILE  the names of topics that chains end in, where the program does not subscribe to
                    them; in the list of --topics they count as load of the lane that they match
  --cpus LIST       the CPUs of the machine that the plan is for, such as 0-3,6; by default those that
                    this process may use
  --soft LIST       names and patterns, with commas between them, of topics, timers and chains whose
                    deadlines nothing needs to guarantee: their misses are only counted
  --shared-cpus     the program is made with executor.WithSharedCPUs

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
	file, topics, published, cpus, soft string
	sharedCPUs                          bool
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
	flags.StringVar(&q.published, "published", "", "")
	flags.StringVar(&q.cpus, "cpus", "", "")
	flags.StringVar(&q.soft, "soft", "", "")
	flags.BoolVar(&q.sharedCPUs, "shared-cpus", false, "")
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
	if q.published != "" && q.topics == "" {
		return q, errors.New("--published needs --topics")
	}
	if q.published == "-" && q.topics == "-" {
		return q, errors.New("one of --topics and --published can be standard input")
	}
	return q, nil
}

// check writes the report and returns what is wrong.
func (q query) check(stdin io.Reader, stdout io.Writer) error {
	plan, err := executor.ReadPlan(q.file)
	if err != nil {
		return err
	}
	var wrong []error
	note := func(err error) { wrong = append(wrong, err) }
	available, usable, err := q.available()
	if err != nil {
		return err
	}
	err = plan.ValidateCPUs(available)
	if !q.sharedCPUs {
		err = errors.Join(err, plan.ValidateShares(usable))
	}
	if note(err); err != nil && q.cpus == "" {
		note(errors.New("pinion plan: name the CPUs of another machine with --cpus"))
	}
	analyse := plan.Check
	if q.topics != "" {
		subscribed, published, err := q.lists(stdin)
		if err != nil {
			return err
		}
		note(plan.Unused(subscribed, append(published, subscribed...)))
		analyse = func() (*executor.Analysis, error) { return plan.CheckTopics(subscribed) }
	}
	analysis, err := analyse()
	note(err)
	soft := strings.FieldsFunc(q.soft, func(c rune) bool { return c == ',' || c == ' ' })
	note(plan.Unbounded(analysis, soft...))
	report(stdout, plan, analysis)
	if q.topics == "" && namesTopics(plan) {
		fmt.Fprintln(stdout, "\nwhether the program has topics of these names was not checked; --topics FILE does")
	}
	return errors.Join(wrong...)
}

// available returns the CPUs that lanes may be pinned to, and those that are for the rest of the program.
func (q query) available() (available, usable []int, err error) {
	if q.cpus != "" {
		cpus, err := executor.ParseCPUs(q.cpus)
		return cpus, cpus, wrap("--cpus", err)
	}
	if available, err = executor.PermittedCPUs(); err == nil {
		usable, err = executor.AllowedCPUs()
	}
	return available, usable, err
}

// lists reads those of topics.
func (q query) lists(stdin io.Reader) (subscribed, published []string, err error) {
	subscribed, err = names(q.topics, stdin)
	if err != nil || q.published == "" {
		return subscribed, nil, wrap("--topics", err)
	}
	published, err = names(q.published, stdin)
	return subscribed, published, wrap("--published", err)
}

func wrap(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// names reads a list of topics: the first word of each line.
func names(file string, stdin io.Reader) ([]string, error) {
	read := func() ([]byte, error) { return os.ReadFile(file) }
	if file == "-" {
		read = func() ([]byte, error) { return io.ReadAll(stdin) }
	}
	data, err := read()
	var names []string
	for line := range strings.Lines(string(data)) {
		if words := strings.Fields(line); len(words) > 0 {
			names = append(names, words[0])
		}
	}
	return names, err
}
