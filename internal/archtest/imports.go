package archtest

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// in reports whether one of the patterns names the package or a tree that holds it.
func in(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		root, isTree := strings.CutSuffix(p, "...")
		if !isTree {
			return p == pkg
		}
		return strings.HasPrefix(pkg+"/", root)
	})
}

// own reports whether an import path is one of this module, and returns it without the module
// path if so, unchanged if not.
func own(importPath string) (string, bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// isStandard follows the go command: only paths of modules have a dot in their first element.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// checkImports applies the dependency rule to all but the tests.
func checkImports(t *tree) []string {
	var faults []string
	for _, p := range t.pkgs {
		i := slices.IndexFunc(imports, func(r rule) bool { return in([]string{r.part}, p.dir) })
		if i < 0 {
			faults = append(faults, p.dir+": the dependency rule says nothing about this package")
			continue
		}
		for _, f := range p.files {
			if !f.isTest() {
				faults = append(faults, imports[i].check(f)...)
			}
		}
	}
	return faults
}

func (r rule) check(f *goFile) []string {
	var faults []string
	for _, imp := range f.imports {
		name, isOwn := own(imp)
		allowed, origin := r.external, "other modules"
		switch {
		case isOwn:
			allowed, origin = r.ours, "this module"
		case isStandard(imp):
			continue
		}
		if !in(allowed, name) {
			faults = append(faults, fmt.Sprintf("%s: imports %s; of %s, %s may import %s",
				f.name, name, origin, r.part, cmp.Or(strings.Join(allowed, ", "), "nothing")))
		}
	}
	return faults
}

// checkCgo finds cgo where it may not stand.
func checkCgo(t *tree) []string {
	var faults []string
	for _, p := range t.pkgs {
		for _, f := range p.files {
			if slices.Contains(f.imports, "C") && !in(cgo, p.dir) {
				faults = append(faults, fmt.Sprintf("%s: imports \"C\"; only %s may", f.name, strings.Join(cgo, ", ")))
			}
		}
	}
	return faults
}

// checkPure follows the imports of the packages that must build without cgo.
func checkPure(t *tree) []string {
	var faults []string
	for _, p := range t.pkgs {
		if !in(pure, p.dir) {
			continue
		}
		if chain := t.pathTo("C", p.dir, map[string]bool{}); chain != nil {
			faults = append(faults, fmt.Sprintf("%s: needs cgo by way of %s", p.dir, strings.Join(chain, " -> ")))
		}
	}
	return faults
}

// pathTo returns the packages through which dir comes to import target, nil where it does not.
func (t *tree) pathTo(target, dir string, seen map[string]bool) []string {
	i := slices.IndexFunc(t.pkgs, func(p *pkg) bool { return p.dir == dir })
	if i < 0 || seen[dir] {
		return nil
	}
	seen[dir] = true
	for _, f := range t.pkgs[i].files {
		if f.isTest() {
			continue
		}
		for _, imp := range f.imports {
			if imp == target {
				return []string{dir, path.Base(f.name)}
			}
			if next, ok := own(imp); ok {
				if chain := t.pathTo(target, next, seen); chain != nil {
					return append([]string{dir}, chain...)
				}
			}
		}
	}
	return nil
}
