package msggencli

// check reports the faults of definitions.
func (a *app) check() command {
	return command{
		usage: "check [-I DIR]... DIR|FILE...",
		run: func(args []string) error {
			if len(args) == 0 {
				return usagef("name the folders or files to check")
			}
			_, err := a.load(args)
			return err
		},
	}
}
