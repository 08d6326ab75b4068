package msggencli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pinion-ros/pinion/internal/interfaces"
	"github.com/pinion-ros/pinion/msggen"
)

// source is an interface file named by the arguments.
type source struct {
	path string
	pkg  string
	root string // folder of the package
}

// inputs are the definitions that the arguments name, with a loader for what they need.
type inputs struct {
	loader *msggen.Loader
	defs   []*msggen.Definition // in the order of their names
	roots  map[string]string    // folder of each package that the arguments name files or folders of
}

// places returns where types are searched behind the packages of the arguments.
func (a *app) places() ([]*msggen.Place, error) {
	return interfaces.Places(a.include, a.Getenv)
}

// load parses all that the arguments name and checks it together with all that it needs. Faults of
// the definitions are returned as msggen.Diagnostics.
func (a *app) load(args []string) (*inputs, error) {
	sources, packages, err := resolve(args)
	if err != nil {
		return nil, err
	}
	in := &inputs{roots: make(map[string]string)}
	var places []*msggen.Place
	for _, s := range sources {
		if _, ok := in.roots[s.pkg]; !ok {
			in.roots[s.pkg] = s.root
			places = append(places, msggen.PackageFolder(s.root, s.pkg))
		}
	}
	more, err := a.places()
	if err != nil {
		return nil, err
	}
	in.loader = msggen.NewLoader(append(places, more...)...)
	if err := in.add(sources, packages); err != nil {
		return nil, err
	}
	return in, in.loader.Check().Err()
}

// resolve tells files and folders from names of packages.
func resolve(args []string) (sources []source, packages []string, err error) {
	var errs []error
	for _, arg := range args {
		found, err := findSources(arg)
		switch {
		case errors.Is(err, fs.ErrNotExist) && msggen.ValidPackageName(arg):
			packages = append(packages, arg)
		case err != nil:
			errs = append(errs, err)
		}
		sources = append(sources, found...)
	}
	return sources, packages, errors.Join(errs...)
}

func (in *inputs) add(sources []source, packages []string) error {
	type identity struct{ file, pkg, name string } // of what is the same even by way of links
	seen := make(map[identity]bool)
	for _, s := range sources {
		file, err := filepath.EvalSymlinks(s.path)
		if err == nil {
			file, err = filepath.Abs(file)
		}
		if err != nil {
			return err
		}
		id := identity{file, s.pkg, filepath.Base(s.path)}
		if seen[id] {
			continue
		}
		seen[id] = true
		text, err := msggen.ReadFile(s.path)
		if err != nil {
			return err
		}
		if def := in.loader.Add(s.path, text, s.pkg); def != nil {
			in.defs = append(in.defs, def)
		}
	}
	for _, pkg := range packages {
		defs, err := in.loader.Package(pkg)
		if err != nil {
			return err
		}
		for _, def := range defs {
			if !slices.Contains(in.defs, def) {
				in.defs = append(in.defs, def)
			}
		}
	}
	slices.SortFunc(in.defs, func(a, b *msggen.Definition) int {
		return strings.Compare(a.Name.String(), b.Name.String())
	})
	return nil
}

// findSources returns the interface files that a file or folder stands for. It fails with
// fs.ErrNotExist where there is no file or folder of that name.
func findSources(arg string) ([]source, error) {
	info, err := os.Stat(arg)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		s, err := newSource(arg)
		return []source{s}, err
	}
	files, err := findFiles(arg, []fs.FileInfo{info})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no .msg, .srv or .action files", arg)
	}
	var sources []source
	var errs []error
	for _, file := range files {
		s, err := newSource(file)
		if err != nil {
			errs = append(errs, err)
		}
		sources = append(sources, s)
	}
	return sources, errors.Join(errs...)
}

// findFiles returns the interface files below a folder. It follows links, by which people bring
// packages into their workspaces, unless they lead back to one of the folders above.
func findFiles(dir string, above []fs.FileInfo) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.IsDir() && e.Type() != fs.ModeSymlink {
			if isInterface(path) {
				files = append(files, path)
			}
			continue
		}
		info, err := os.Stat(path)
		switch {
		case err != nil || !info.IsDir():
			if isInterface(path) {
				files = append(files, path) // whoever reads it sees the error
			}
		case !ignored(path) && !slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, info) }):
			below, err := findFiles(path, append(above[:len(above):len(above)], info))
			if err != nil {
				return nil, err
			}
			files = append(files, below...)
		}
	}
	return files, nil
}

// ignored reports whether a folder is hidden or marked as one that build tools of ROS 2 leave out,
// like their own build and install folders, which hold copies of definitions.
func ignored(dir string) bool {
	if strings.HasPrefix(filepath.Base(dir), ".") {
		return true
	}
	for _, mark := range [...]string{"COLCON_IGNORE", "AMENT_IGNORE"} {
		if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
			return true
		}
	}
	return false
}

func isInterface(path string) bool {
	_, err := msggen.NameOf(path, "")
	return err == nil
}

func newSource(path string) (source, error) {
	if _, err := msggen.NameOf(path, ""); err != nil {
		return source{}, err
	}
	pkg, err := msggen.PackageOf(path)
	if err != nil {
		return source{}, fmt.Errorf("%s: %w", path, err)
	}
	root, err := packageFolder(path)
	return source{path: path, pkg: pkg, root: root}, err
}

// packageFolder returns the folder of the package that an interface file belongs to: the one above
// msg, srv or action or, for files elsewhere, the nearest that has a package.xml.
func packageFolder(file string) (string, error) {
	dir := filepath.Dir(file)
	switch baseName(dir) {
	case "msg", "srv", "action":
		return filepath.Join(dir, ".."), nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, "package.xml"))
		if err == nil || dir == filepath.Dir(dir) {
			return dir, err
		}
	}
}
