package msggencli

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pinion-ros/pinion/cdr"
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
			places, err := a.places()
			if err != nil {
				return err
			}
			loader := msggen.NewLoader(places...)
			var out bytes.Buffer
			var errs []error
			for _, arg := range args {
				d, err := describe(loader, arg)
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

// describe returns the description of the type called name. Faults of the definitions it needs are
// reported as they are, for they tell more than that the type cannot be described.
func describe(loader *msggen.Loader, name string) (*cdr.TypeDescription, error) {
	n, err := msggen.ParseTypeName(name)
	if err != nil {
		return nil, err
	}
	d, err := loader.Describe(n)
	if err != nil {
		if diags := loader.Check(); len(diags) > 0 {
			return nil, diags
		}
	}
	return d, err
}
