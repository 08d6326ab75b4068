package msggencli

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/pinion-ros/pinion/msggen"
)

// genOptions are the flags of gen.
type genOptions struct {
	out, module string
	idl, idlOut string
}

// gen writes Go code.
func (a *app) gen() command {
	var o genOptions
	return command{
		usage: "gen [-I DIR]... [-out DIR] [-module PATH] [-idl ros|dds] [-idl-out DIR] DIR|FILE|PACKAGE...",
		flags: func(f *flag.FlagSet) {
			f.StringVar(&o.out, "out", "", "folder for the Go code")
			f.StringVar(&o.module, "module", "", "import path of the folder that holds the packages")
			f.StringVar(&o.idl, "idl", "", "IDL to write too: ros or dds")
			f.StringVar(&o.idlOut, "idl-out", "", "folder for the IDL")
		},
		run: func(args []string) error {
			if len(args) == 0 {
				return usagef("name the folders, files or packages to generate code from")
			}
			if o.idlOut != "" && o.idl == "" {
				return usagef("-idl-out needs -idl ros or -idl dds")
			}
			return a.generate(args, o)
		},
	}
}

func (a *app) generate(args []string, o genOptions) error {
	var flavour msggen.Flavour
	var err error
	if o.idl != "" {
		if flavour, err = msggen.ParseFlavour(o.idl); err != nil {
			return usagef("-idl: %v", err)
		}
	}
	in, err := a.load(args)
	if err != nil {
		return err
	}
	files, err := goFiles(in, o)
	if err != nil {
		return err
	}
	if o.idl != "" {
		idl, err := idlFiles(in, flavour, func(pkg string) string { return idlFolder(in, o, flavour, pkg) })
		if err != nil {
			return err
		}
		files = append(files, idl...)
	}
	return writeFiles(files)
}

// goFiles returns the Go code of all packages of the arguments.
func goFiles(in *inputs, o genOptions) ([]outFile, error) {
	if err := checkShipped(in); err != nil {
		return nil, err
	}
	var files []outFile
	for pkg, defs := range in.packages() {
		paths := importPaths{in: in, options: o, from: pkg}
		code, err := in.loader.Go(pkg, defs, msggen.GoOptions{
			ImportPath: paths.of,
			// The same on every machine, unlike the path of the file.
			Source: func(def *msggen.Definition) string {
				return fmt.Sprintf("%s.%s", def.Name, def.Name.Kind)
			},
		})
		if err == nil {
			err = paths.err
		}
		if err != nil {
			return nil, err
		}
		for _, f := range code {
			files = append(files, outFile{filepath.Join(goFolder(in, o, pkg), f.Name), f.Content})
		}
	}
	return files, nil
}

// packages yields the definitions of each package.
func (in *inputs) packages() func(yield func(string, []*msggen.Definition) bool) {
	return func(yield func(string, []*msggen.Definition) bool) {
		defs := in.defs // sorted by name
		for len(defs) > 0 {
			pkg := defs[0].Name.Package
			n := slices.IndexFunc(defs, func(d *msggen.Definition) bool { return d.Name.Package != pkg })
			if n < 0 {
				n = len(defs)
			}
			if !yield(pkg, defs[:n]) {
				return
			}
			defs = defs[n:]
		}
	}
}

// goFolder returns the folder of a package's Go code. Its last element is always the name of the
// package: either -out names it, or it lies in -out. Without -out it is the folder that holds msg,
// srv or action or, for packages that the arguments name, a folder in the current one.
func goFolder(in *inputs, o genOptions, pkg string) string {
	switch {
	case o.out == "" && in.roots[pkg] != "":
		return in.roots[pkg]
	case baseName(o.out) == pkg:
		return o.out
	}
	return filepath.Join(o.out, pkg)
}

// idlFolder returns the folder that the IDL of a package is written below: that of -idl-out, or the
// one of the Go code. Files of ROS 2 have the name of the package in their path already.
func idlFolder(in *inputs, o genOptions, flavour msggen.Flavour, pkg string) string {
	code := goFolder(in, o, pkg)
	switch {
	case o.idlOut != "":
		return o.idlOut
	case flavour == msggen.FlavourROS:
		return filepath.Dir(code)
	}
	return code
}

// baseName is filepath.Base of the absolute path, so that it knows the name of ".".
func baseName(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil || dir == "" {
		return ""
	}
	return filepath.Base(abs)
}
