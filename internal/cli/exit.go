package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// An exitError is a command's exit status, about which everything has been said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func exitCode(code int) error {
	if code == 0 {
		return nil
	}
	return exitError(code)
}

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

// args has a command's check of its arguments report a usageError.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return usage(cmd, check(cmd, args)) }
}

// group returns a command that is nothing without a subcommand.
func group(use, short, long string) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Long:  long,
		Args:  args(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}

// ExitCode returns the status that the program should end with after err, and whether err is still
// to be printed: 1 for what went wrong, 2 for a command line that cannot be read.
func ExitCode(err error) (code int, print bool) {
	var exit exitError
	var usage *usageError
	switch {
	case err == nil:
		return 0, false
	case errors.As(err, &exit):
		return int(exit), false
	case errors.As(err, &usage):
		return 2, true
	}
	return 1, true
}
