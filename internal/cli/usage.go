package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A usageError tells that a command was not called as it wants to be.
type usageError struct {
	err     error
	command string
}

func (e *usageError) Error() string { return fmt.Sprintf("%v (see %s --help)", e.err, e.command) }

func (e *usageError) Unwrap() error { return e.err }

func usage(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err, cmd.CommandPath()}
}

// checkArguments has cmd and what is below it refuse arguments that their Use does not mention, in
// words that say what to do.
func checkArguments(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		checkArguments(sub)
	}
	switch {
	case cmd.HasSubCommands():
		cmd.SuggestionsMinimumDistance = 2
		cmd.Args = subcommand
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	case !cmd.DisableFlagParsing:
		cmd.Args = arguments
	}
}

// subcommand is the check of a command that is nothing without a subcommand: what it sees as an
// argument is one that does not exist.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("there is no command %q", cmd.CommandPath()+" "+args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
	}
	return usage(cmd, err)
}

// arguments checks the number of arguments.
func arguments(cmd *cobra.Command, args []string) error {
	takes := argumentsOf(cmd.Use)
	var fault string
	switch {
	case len(args) < takes.needed:
		fault = strings.Join(takes.names[len(args):takes.needed], " and ")
		if takes.needed-len(args) > 1 {
			fault += " are missing"
		} else {
			fault += " is missing"
		}
	case len(args) > len(takes.names) && !takes.more:
		fault = fmt.Sprintf("%q is one argument too many", args[len(takes.names)])
	default:
		return nil
	}
	return usage(cmd, fmt.Errorf("%s: %s", fault, cmd.UseLine()))
}

// An argumentList is what a command takes, in the order of names.
type argumentList struct {
	names  []string
	needed int
	more   bool // of the last one
}

// argumentsOf reads the line that shows how a command is called: in "echo TOPIC [TYPE]" TOPIC must be
// given, and in "hz TOPIC..." more than one may be.
func argumentsOf(use string) argumentList {
	var list argumentList
	for _, word := range strings.Fields(use)[1:] {
		if word == "|" {
			break // flags instead of arguments
		}
		word, more := strings.CutSuffix(word, "...")
		name, optional := strings.CutPrefix(word, "[")
		if !optional {
			list.needed++
		}
		list.names = append(list.names, strings.TrimSuffix(name, "]"))
		list.more = list.more || more
	}
	return list
}

// values are what flags of a type want.
var values = map[string]string{
	"bool":         "true or false",
	"int":          "a whole number",
	"uint":         "a whole number, 0 or more",
	"uint32":       "a whole number, 0 or more",
	"uint64":       "a whole number, 0 or more",
	"float64":      "a number",
	"duration":     "a time such as 500ms or 2s",
	"intSlice":     "whole numbers with commas between",
	"float64Slice": "numbers with commas between",
}

// flagError says in plain words what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	var (
		invalid *pflag.InvalidValueError
		lacking *pflag.ValueRequiredError
		unknown *pflag.NotExistError
	)
	switch {
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		if want, ok := values[f.Value.Type()]; ok {
			err = fmt.Errorf("--%s wants %s, not %q", f.Name, want, invalid.GetValue())
		} else {
			err = fmt.Errorf("--%s: %w", f.Name, invalid.Unwrap())
		}
	case errors.As(err, &lacking):
		err = fmt.Errorf("--%s wants a value", lacking.GetFlag().Name)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		err = fmt.Errorf("unknown flag -%.1s", unknown.GetSpecifiedShortnames())
	}
	return usage(cmd, err)
}
