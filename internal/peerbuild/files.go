package peerbuild

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/pinion-ros/pinion/msggen"
)

// Files are what a program is built from, by their paths in the folder where that happens.
type Files map[string][]byte

// Add takes over files, and folders with all that is in them.
func (f Files) Add(from fs.FS, paths ...string) error {
	for _, path := range paths {
		err := fs.WalkDir(from, path, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			f[path], err = fs.ReadFile(from, path)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// AddIDL adds the IDL that DDS compilers take for types of ROS 2, such as "std_msgs/msg/String", and
// for all that these contain.
func (f Files) AddIDL(loader *msggen.Loader, types ...string) error {
	for _, t := range types {
		name, err := msggen.ParseTypeName(t)
		if err != nil {
			return err
		}
		if err := f.addIDL(loader, name); err != nil {
			return err
		}
	}
	return nil
}

func (f Files) addIDL(loader *msggen.Loader, name msggen.TypeName) error {
	def, err := loader.Definition(name)
	if err != nil {
		return err
	}
	if def == nil {
		return fmt.Errorf("the definition of %s has faults: %w", name, loader.Check().Err())
	}
	path := msggen.IDLPath(def.Name, msggen.FlavourDDS)
	if _, done := f[path]; done {
		return nil
	}
	if f[path], err = msggen.IDL(def, msggen.FlavourDDS); err != nil {
		return err
	}
	for _, m := range msggen.Derive(def) {
		for _, field := range m.Fields {
			if field.Type.Base != msggen.Nested {
				continue
			}
			if err := f.addIDL(loader, field.Type.Nested); err != nil {
				return err
			}
		}
	}
	return nil
}

// Names returns the paths of files with one of the endings, in order.
func (f Files) Names(endings ...string) []string {
	names := slices.Sorted(maps.Keys(f))
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(endings, filepath.Ext(name)) })
}

// Write puts the files into a folder.
func (f Files) Write(dir string) error {
	for name, content := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
