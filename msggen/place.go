package msggen

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Place is where a [Loader] searches for definitions: a folder that holds packages, each with its
// files in msg, srv and action below it.
type Place struct {
	name  string // for messages
	files fs.FS
	only  string            // where the folder is a package itself, its name
	found map[string]string // folders of packages that were asked for, "" where there is none
	index map[string]string // folders of all packages that have a package.xml, nil until needed
}

// PlaceOf returns the place of the packages in files. Name tells people which place it is.
func PlaceOf(name string, files fs.FS) *Place { return &Place{name: name, files: files} }

// PackageFolder returns the place that is nothing but the folder of the package pkg.
func PackageFolder(dir, pkg string) *Place {
	return &Place{name: dir, files: os.DirFS(dir), only: pkg}
}

// read returns the definition file of name.
func (p *Place) read(name TypeName) (file string, src []byte, err error) {
	dir, err := p.folder(name.Package)
	if err != nil {
		return "", nil, err
	}
	kind := name.Kind.String()
	file = path.Join(dir, kind, name.Name+"."+kind)
	src, err = readIn(p.files, file, p.display(file))
	return p.display(file), src, err
}

// list returns the names of the types that package pkg defines in this place, in order.
func (p *Place) list(pkg string) ([]TypeName, error) {
	dir, err := p.folder(pkg)
	if err != nil {
		return nil, err
	}
	var names []TypeName
	for k := Msg; k <= Action; k++ {
		entries, err := fs.ReadDir(p.files, path.Join(dir, k.String()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if base, found := strings.CutSuffix(e.Name(), "."+k.String()); found && !e.IsDir() {
				names = append(names, TypeName{pkg, k, base})
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: %w", p.display(dir), fs.ErrNotExist)
	}
	return names, nil
}

// mayHold reports whether it makes sense to look for the package here.
func (p *Place) mayHold(pkg string) bool { return p.only == "" || p.only == pkg }

// folder returns the folder of a package.
func (p *Place) folder(pkg string) (string, error) {
	dir, known := p.found[pkg]
	if !known {
		dir = p.findFolder(pkg)
		if p.found == nil {
			p.found = make(map[string]string)
		}
		p.found[pkg] = dir
	}
	if dir == "" {
		return "", fs.ErrNotExist
	}
	return dir, nil
}

func (p *Place) findFolder(pkg string) string {
	switch {
	case !p.mayHold(pkg):
		return ""
	case p.only == pkg:
		return "."
	}
	if info, err := fs.Stat(p.files, pkg); err == nil && info.IsDir() {
		if name, err := readPackageName(p.files, pkg); err != nil || name == pkg {
			return pkg
		}
	}
	if p.index == nil {
		p.index = indexPackages(p.files)
	}
	return p.index[pkg]
}

// indexPackages finds packages by what their package.xml says.
func indexPackages(files fs.FS) map[string]string {
	index := make(map[string]string)
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return index
	}
	for _, e := range slices.Backward(entries) { // the first of several wins
		if name, err := readPackageName(files, e.Name()); err == nil {
			index[name] = e.Name()
		}
	}
	return index
}

func (p *Place) display(file string) string { return filepath.Join(p.name, filepath.FromSlash(file)) }

// readPackageName returns the name that the package.xml in dir gives.
func readPackageName(files fs.FS, dir string) (string, error) {
	file := path.Join(dir, "package.xml")
	text, err := readIn(files, file, file)
	if err != nil {
		return "", err
	}
	var manifest struct {
		Name string `xml:"name"`
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = asciiOnly
	if err := d.Decode(&manifest); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return strings.TrimSpace(manifest.Name), nil
}

// asciiOnly replaces whatever is not ASCII. It serves to read names of packages, which are ASCII, in
// any encoding that contains ASCII.
func asciiOnly(_ string, input io.Reader) (io.Reader, error) {
	text, err := io.ReadAll(input)
	for i, c := range text {
		if c >= utf8.RuneSelf {
			text[i] = '?'
		}
	}
	return bytes.NewReader(text), err
}

// PackageOf returns the name of the package that the interface file belongs to: the one in the
// package.xml of the nearest folder above it that has one, otherwise the name of the folder above
// msg, srv or action.
func PackageOf(file string) (string, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	for dir := filepath.Dir(abs); ; dir = filepath.Dir(dir) {
		name, err := readPackageName(os.DirFS(dir), ".")
		switch {
		case err == nil && name == "":
			return "", fmt.Errorf("%s gives no name", filepath.Join(dir, "package.xml"))
		case err == nil:
			return name, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("in %s: %w", dir, err)
		case dir == filepath.Dir(dir):
			return packageByFolder(abs)
		}
	}
}

func packageByFolder(abs string) (string, error) {
	dir := filepath.Dir(abs)
	switch filepath.Base(dir) {
	case Msg.String(), Srv.String(), Action.String():
		return filepath.Base(filepath.Dir(dir)), nil
	}
	return "", fmt.Errorf("cannot tell the package of the file; put it into <package>/msg, srv or action, or a package.xml above it")
}
