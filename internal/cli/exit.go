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

// ExitCode returns the status that the program should end with after err, and whether err is still
// to be printed.
func ExitCode(err error) (code int, print bool) {
	var e exitError
	switch {
	case err == nil:
		return 0, false
	case errors.As(err, &e):
		return int(e), false
	}
	return 1, true
}
