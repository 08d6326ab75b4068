// Package interfaces finds the definitions of message types for the tools: in folders that the user
// names, in the ROS installation that the environment points to, and among those of this module.
package interfaces

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
	"github.com/pinion-ros/pinion/msgs/humble"
)

// Places returns where types are searched, in this order: the folders of include, each of which
// holds packages, the share folders of AMENT_PREFIX_PATH, and the definitions of this module, those
// of Humble first if ROS_DISTRO says so.
func Places(include []string, getenv func(string) string) ([]*msggen.Place, error) {
	var places []*msggen.Place
	for _, dir := range include {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("-I %s is not a folder", dir)
		}
		places = append(places, msggen.PlaceOf(dir, os.DirFS(dir)))
	}
	for _, prefix := range filepath.SplitList(getenv("AMENT_PREFIX_PATH")) {
		share := filepath.Join(prefix, "share")
		if info, err := os.Stat(share); err == nil && info.IsDir() {
			places = append(places, msggen.PlaceOf(share, os.DirFS(share)))
		}
	}
	if getenv("ROS_DISTRO") == "humble" {
		places = append(places, msggen.PlaceOf("the interfaces of Humble", humble.Definitions))
	}
	return append(places, msggen.PlaceOf("the standard interfaces", msgs.Definitions)), nil
}

// Finder finds types by their names. It is not safe for concurrent use.
type Finder struct{ loader *msggen.Loader }

// NewFinder returns a finder that searches the places that Places returns.
func NewFinder(include []string, getenv func(string) string) (*Finder, error) {
	places, err := Places(include, getenv)
	if err != nil {
		return nil, err
	}
	return &Finder{msggen.NewLoader(places...)}, nil
}

// Describe returns the description of a message, service or action. Where definitions have faults
// they are the error, for they tell more than that the type cannot be described.
func (f *Finder) Describe(name string) (*cdr.TypeDescription, error) {
	n, err := msggen.ParseTypeName(name)
	if err != nil {
		return nil, err
	}
	d, err := f.loader.Describe(n)
	if _, missing := err.(*msggen.NotFoundError); missing {
		return nil, err // not one of those in the type, which come wrapped
	}
	if err != nil {
		if faults := f.loader.Check(); len(faults) > 0 {
			return nil, faults
		}
	}
	return d, err
}

// Message returns a message type, of those that services and actions consist of too.
func (f *Finder) Message(name string) (*dynamic.Type, error) {
	d, err := f.Describe(name)
	if err != nil {
		return nil, err
	}
	n, err := msggen.ParseTypeName(name)
	if err != nil {
		return nil, err
	}
	if _, err := f.loader.Message(n); err != nil {
		return nil, err // a service or action, which has a description too
	}
	return dynamic.NewType(d)
}

// Source returns the file that defines a type, and its text.
func (f *Finder) Source(name msggen.TypeName) (file string, text []byte, err error) {
	return f.loader.Source(name)
}

// Definition returns the definition of a type, whose faults are the error.
func (f *Finder) Definition(name msggen.TypeName) (*msggen.Definition, error) {
	def, err := f.loader.Definition(name)
	if err == nil && def == nil {
		err = f.loader.Check().Err()
	}
	return def, err
}

// Names returns the types of the packages, of all packages for none, in the order of their names
// within each kind.
func (f *Finder) Names(packages ...string) ([]msggen.TypeName, error) {
	var err error
	if len(packages) == 0 {
		if packages, err = f.loader.Packages(); err != nil {
			return nil, err
		}
	}
	var names []msggen.TypeName
	for _, pkg := range packages {
		of, err := f.loader.Names(pkg)
		if err != nil {
			return nil, err
		}
		names = append(names, of...)
	}
	return names, nil
}
