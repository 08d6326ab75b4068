package msggen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Stage tells which of ROS 2's two stages rejects a definition.
type Stage uint8

// The stages a definition passes on its way into ROS 2.
const (
	StageParse Stage = iota // the parser of .msg, .srv and .action files
	StageIDL                // the translation to IDL and the parser that reads it
)

// String returns "parse" or "idl".
func (s Stage) String() string { return [...]string{"parse", "idl"}[s] }

// Diagnostic is one fault of a source file. It says what is wrong and what would be right.
type Diagnostic struct {
	File    string
	Pos     Pos // 1:1 where the fault is one of the whole file
	Stage   Stage
	Message string
}

// Error returns "file:line:column: message". A fault of the second stage says so.
func (d *Diagnostic) Error() string {
	stage := ""
	if d.Stage == StageIDL {
		stage = "idl stage: "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", d.File, d.Pos.Line, d.Pos.Column, stage, d.Message)
}

// Diagnostics are the faults of a file or of a whole run. As an error they print one per line.
type Diagnostics []*Diagnostic

// Error returns all faults, one per line.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find the single faults.
func (ds Diagnostics) Unwrap() []error {
	errs := make([]error, len(ds))
	for i, d := range ds {
		errs[i] = d
	}
	return errs
}

// Err returns ds as an error, nil when there is no fault.
func (ds Diagnostics) Err() error {
	if len(ds) == 0 {
		return nil
	}
	return ds
}

// accepted reports whether the first stage found no fault.
func (ds Diagnostics) accepted() bool {
	return !slices.ContainsFunc(ds, func(d *Diagnostic) bool { return d.Stage == StageParse })
}

// sort orders the faults by their place in the file.
func (ds Diagnostics) sort() {
	slices.SortStableFunc(ds, func(a, b *Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
}
