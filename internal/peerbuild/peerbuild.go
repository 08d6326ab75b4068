// Package peerbuild builds the programs of other implementations that tests and benches run beside
// this one, and keeps them in the user's cache folder.
package peerbuild

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
)

// MissingError tells that something cannot be built here, and what would have to be installed.
type MissingError struct{ What, Install string }

// Error says both.
func (e *MissingError) Error() string { return e.What + " is not installed: " + e.Install }

// Need returns a *MissingError for the first of the programs that is not there.
func Need(install string, programs ...string) error {
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			return &MissingError{p, install}
		}
	}
	return nil
}

// Run returns what a command prints when it runs in dir. Its error has all output.
func Run(ctx context.Context, dir string, stdin []byte, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s%s", cmd, err, out, stderr.Bytes())
	}
	return out, nil
}
