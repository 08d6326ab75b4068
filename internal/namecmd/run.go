// Package namecmd is the command `pinion name`: what ROS 2 makes of a name or a rule, and why.
package namecmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const usage = `usage: pinion name KIND INPUT [--node N] [--ns NS] [--topic T]

KIND is one of
  node_name    the name of a node
  namespace    the namespace of a node
  input_name   the name of a topic or service as a program gives it
  full_name    the name of a topic or service after expansion and remapping
  expand       like input_name, and what it stands for in the node
  remap_rule   a rule as -r takes it
  remap_topic  a rule as -r takes it, applied to the full name T
  param_rule   a rule as -p takes it

The node is "node" in the namespace "/" unless --node and --ns say otherwise. "--" ends the flags,
for an INPUT that starts with a dash. The first line printed is the result code of ROS 2, 0 for
accepted, a tab, and the result.
`

// The exit codes. A name that is refused was explained, which is what was asked for.
const (
	exitOK    = 0
	exitUsage = 2
)

// query is what is asked.
type query struct {
	kind, input     string
	node, namespace string
	topic           string
	hasTopic        bool
}

// answer is what is printed.
type answer struct {
	code   int
	result string
	text   string // for people
}

// Run runs the command with the arguments behind its name and returns the exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	if slices.ContainsFunc(args[:flagEnd(args)], isHelp) {
		fmt.Fprint(stdout, usage)
		return exitOK
	}
	q, err := parseQuery(args)
	if err != nil {
		fmt.Fprintf(stderr, "pinion name: %v\n\n%s", err, usage)
		return exitUsage
	}
	a := kinds[q.kind](q)
	fmt.Fprintf(stdout, "%d\t%s\n%s\n", a.code, a.result, a.text)
	return exitOK
}

func isHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// flagEnd returns the position behind which no argument is a flag.
func flagEnd(args []string) int {
	if i := slices.Index(args, "--"); i >= 0 {
		return i
	}
	return len(args)
}

// parseQuery reads the arguments. Flags may stand anywhere, unlike with package flag.
func parseQuery(args []string) (query, error) {
	q := query{node: "node", namespace: "/"}
	var words []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			words = append(words, args[i+1:]...)
			break
		}
		if !strings.HasPrefix(arg, "-") {
			words = append(words, arg)
			continue
		}
		name, value, joined := strings.Cut(arg, "=")
		dst := q.flag(name)
		if dst == nil {
			return q, fmt.Errorf("unknown flag %.60s, put \"--\" in front of an INPUT with a dash", name)
		}
		if !joined {
			i++
			if i == len(args) {
				return q, fmt.Errorf("flag %s wants a value", name)
			}
			value = args[i]
		}
		*dst = value
		q.hasTopic = q.hasTopic || dst == &q.topic
	}
	if len(words) != 2 {
		return q, fmt.Errorf("KIND and INPUT are wanted, not %d arguments", len(words))
	}
	q.kind, q.input = words[0], words[1]
	return q, q.check()
}

func (q *query) flag(name string) *string {
	switch strings.TrimPrefix(name, "-") {
	case "-node", "node":
		return &q.node
	case "-ns", "ns":
		return &q.namespace
	case "-topic", "topic":
		return &q.topic
	}
	return nil
}

func (q *query) check() error {
	if kinds[q.kind] == nil {
		return fmt.Errorf("there is no KIND %.60q", q.kind)
	}
	if q.kind == "remap_topic" && !q.hasTopic {
		return errors.New("remap_topic wants the name that the rule is applied to: --topic /name")
	}
	return nil
}
