package msggencli

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pinion-ros/pinion/internal/interfaces"
	"github.com/pinion-ros/pinion/msggen"
)

// hash prints the RIHS01 hash of types.
func (a *app) hash() command {
	return command{
		usage: "hash [-I DIR]... TYPE...",
		run: func(args []string) error {
			if len(args) == 0 {
				return usagef("name the types, like std_msgs/msg/String")
			}
			finder, err := interfaces.NewFinder(a.include, a.Getenv)
			if err != nil {
				return err
			}
			var out bytes.Buffer
			var errs []error
			var faults msggen.Diagnostics // of all definitions read so far
			for _, arg := range args {
				d, err := finder.Describe(arg)
				switch {
				case err == nil:
					fmt.Fprintf(&out, "%s\t%s\n", arg, d.Hash())
				case !errors.As(err, &faults):
					errs = append(errs, err)
				}
			}
			if err := errors.Join(append(errs, faults.Err())...); err != nil {
				return err
			}
			_, err = a.Stdout.Write(out.Bytes())
			return err
		},
	}
}
