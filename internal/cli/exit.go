package cli

import (
	"errors"
	"fmt"
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

// status returns the exit status that the program should end with after err, and whether err is still
// to be printed: 1 for what went wrong, 2 for a command line that cannot be read.
func status(err error) (code int, print bool) {
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
