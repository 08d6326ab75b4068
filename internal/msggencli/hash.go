package msggencli

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pinion-ros/pinion/internal/interfaces"
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
			for _, arg := range args {
				d, err := finder.Describe(arg)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				fmt.Fprintf(&out, "%s\t%s\n", arg, d.Hash())
			}
			if err := errors.Join(errs...); err != nil {
				return err
			}
			_, err = a.Stdout.Write(out.Bytes())
			return err
		},
	}
}
