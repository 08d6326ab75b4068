package msggen

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Packages returns the names of the packages that the places hold, in alphabetical order.
func (l *Loader) Packages() ([]string, error) {
	found := make(map[string]bool)
	for _, p := range l.places {
		if err := p.packages(found); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// Names returns the names of the types that a package defines, by kind and name, without reading
// them. The first place that has the package counts. Where none has, the error matches
// fs.ErrNotExist.
func (l *Loader) Names(pkg string) ([]TypeName, error) {
	for _, p := range l.places {
		names, err := p.list(pkg)
		if !errors.Is(err, fs.ErrNotExist) {
			return names, err
		}
	}
	return nil, fmt.Errorf("package %s is not found; searched %s: %w", pkg, strings.Join(l.searched(pkg), ", "), fs.ErrNotExist)
}

// Source returns the file that defines a type, derived types included, and its text. The error is
// that of Definition.
func (l *Loader) Source(name TypeName) (file string, src []byte, err error) {
	name = definitionOf(name)
	for _, p := range l.places {
		file, src, err = p.read(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, src, err
		}
	}
	return "", nil, &NotFoundError{Name: name, Places: l.searched(name.Package)}
}

// searched returns the names of the places where a package may lie.
func (l *Loader) searched(pkg string) []string {
	var names []string
	for _, p := range l.places {
		if p.mayHold(pkg) {
			names = append(names, p.name)
		}
	}
	return names
}

// packages adds the names of the place's packages to found.
func (p *Place) packages(found map[string]bool) error {
	if p.only != "" {
		found[p.only] = true
		return nil
	}
	entries, err := fs.ReadDir(p.files, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !p.hasInterfaces(e.Name()) {
			continue
		}
		name, err := readPackageName(p.files, e.Name())
		if err != nil {
			name = e.Name()
		}
		if ValidPackageName(name) {
			found[name] = true
		}
	}
	return nil
}

func (p *Place) hasInterfaces(dir string) bool {
	for k := Msg; k <= Action; k++ {
		if info, err := fs.Stat(p.files, path.Join(dir, k.String())); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}
