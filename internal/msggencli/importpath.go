package msggencli

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
)

// shippedPath is where the Go code of the standard definitions lies.
const shippedPath = "github.com/pinion-ros/pinion/msgs/"

// importPath matches what can stand in front of the name of a package: elements of the characters
// that the go command allows, none of which begins with a dot.
var importPath = regexp.MustCompile(`^[\w~+-][\w~+.-]*(/[\w~+-][\w~+.-]*)*$`)

// importPaths finds the import paths of packages that the code of one package imports.
type importPaths struct {
	in      *inputs
	options genOptions
	from    string
	err     error // the first that there is no path for
}

// of returns the import path of a package: that of its folder if it is generated too, that of the
// shipped code if there is one, otherwise that of a folder beside the importing package.
func (p *importPaths) of(pkg string) string {
	if !p.in.generates(pkg) && shipped(pkg) {
		return shippedPath + pkg
	}
	if p.options.module != "" {
		return path.Join(p.options.module, pkg)
	}
	folder := filepath.Join(filepath.Dir(goFolder(p.in, p.options, p.from)), pkg)
	if p.in.generates(pkg) {
		folder = goFolder(p.in, p.options, pkg)
	}
	found, err := importPathOf(folder)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("package %s imports %s: %w; give the import path of the folder that holds both with -module", p.from, pkg, err)
	}
	return found
}

func (in *inputs) generates(pkg string) bool {
	for other := range in.packages() {
		if other == pkg {
			return true
		}
	}
	return false
}

// shipped reports whether the module has Go code for a package.
func shipped(pkg string) bool {
	info, err := fs.Stat(msgs.Definitions, pkg)
	return err == nil && info.IsDir()
}

// checkShipped makes sure that imported packages whose shipped code is used have the shipped
// definitions too. Those found could be of another release of ROS 2.
func checkShipped(in *inputs) error {
	own := msggen.NewLoader(msggen.PlaceOf("shipped", msgs.Definitions))
	var errs []error
	for _, def := range in.loader.Definitions() {
		pkg := def.Name.Package
		if in.generates(pkg) || !shipped(pkg) {
			continue
		}
		found, err := in.loader.Describe(def.Name)
		if err != nil {
			return err
		}
		if ours, err := own.Describe(def.Name); err != nil || ours.Hash() != found.Hash() {
			errs = append(errs, fmt.Errorf("%s differs from the standard definition that the Go code of %s is made from; name %s as an argument too to generate it",
				def.File, pkg, pkg))
		}
	}
	return errors.Join(errs...)
}

// importPathOf returns the import path of a folder, which need not exist, from the go.mod above it.
func importPathOf(folder string) (string, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		module, err := moduleOf(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil:
			below, err := filepath.Rel(dir, abs)
			return path.Join(module, filepath.ToSlash(below)), err
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		case dir == filepath.Dir(dir):
			return "", fmt.Errorf("there is no go.mod above %s", folder)
		}
	}
}

// moduleOf returns the path that a go.mod gives its module.
func moduleOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || fields[0] != "module" {
			continue
		}
		if plain, err := strconv.Unquote(fields[1]); err == nil {
			return plain, nil
		}
		return fields[1], nil
	}
	return "", fmt.Errorf("%s names no module", file)
}
