package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// ignoredFlag lets a command take a switch of ROS 2 that changes nothing here.
func ignoredFlag(cmd *cobra.Command, name string) {
	f := cmd.PersistentFlags()
	f.Bool(name, false, "has no effect")
	_ = f.MarkHidden(name) // which fails for unknown flags alone
}

// An absentFlag is a flag of ROS 2 that is not there: it says what to do instead.
type absentFlag string

func (a absentFlag) String() string { return "" }

func (a absentFlag) Set(string) error { return errors.New(string(a)) }

func (a absentFlag) Type() string { return "absent" }

func refuseFlag(cmd *cobra.Command, name, short, instead string, isSwitch bool) {
	f := cmd.PersistentFlags()
	flag := f.VarPF(absentFlag(instead), name, short, "")
	flag.Hidden = true
	if isSwitch {
		flag.NoOptDefVal = "true"
	}
}

// refuseFilter refuses --filter, whose value is Python.
func refuseFilter(cmd *cobra.Command) {
	refuseFlag(cmd, "filter", "", `there is no Python here; use "pinion topic echo --json" and filter with jq`, false)
}
