package msggencli

import (
	"bytes"
	"flag"
	"path/filepath"

	"github.com/pinion-ros/pinion/msggen"
)

// idl writes IDL.
func (a *app) idl() command {
	var flavour, out string
	return command{
		usage: "idl [-I DIR]... -flavour ros|dds [-out DIR] DIR|FILE|PACKAGE...",
		flags: func(f *flag.FlagSet) {
			f.StringVar(&flavour, "flavour", "", "flavour of the IDL: ros or dds")
			f.StringVar(&out, "out", "", "folder for the files, standard output if empty")
		},
		run: func(args []string) error {
			fl, err := msggen.ParseFlavour(flavour)
			if err != nil {
				return usagef("-flavour: %v", err)
			}
			if len(args) == 0 {
				return usagef("name the folders, files or packages to write IDL for")
			}
			in, err := a.load(args)
			if err != nil {
				return err
			}
			files, err := idlFiles(in, fl, func(string) string { return out })
			if err != nil {
				return err
			}
			if out != "" {
				return writeFiles(files)
			}
			var text bytes.Buffer
			for _, f := range files {
				text.Write(f.data)
			}
			_, err = a.Stdout.Write(text.Bytes())
			return err
		},
	}
}

// idlFiles returns the IDL of all definitions of the arguments, each file where others include it
// from, below the folder that is given for its package.
func idlFiles(in *inputs, flavour msggen.Flavour, folder func(pkg string) string) ([]outFile, error) {
	var files []outFile
	for _, def := range in.defs {
		text, err := msggen.IDL(def, flavour)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(folder(def.Name.Package), filepath.FromSlash(msggen.IDLPath(def.Name, flavour)))
		files = append(files, outFile{path, text})
	}
	return files, nil
}
