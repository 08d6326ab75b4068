package archtest

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A tree is the source of the module: its files and the packages they form.
type tree struct {
	fsys  fs.FS
	files []string
	pkgs  []*pkg
}

// A pkg is one directory of Go files.
type pkg struct {
	dir   string
	files []*goFile // in order of their names
}

type goFile struct {
	name    string // with its directory
	imports []string
	syntax  *ast.File
}

func (f *goFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// readTree reads the module at the root of fsys. What git ignores is not part of it.
func readTree(fsys fs.FS) (*tree, error) {
	t := &tree{fsys: fsys}
	ignored := ignorePatterns(fsys)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && (d.Name() == ".git" || ignores(ignored, d)):
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir():
			t.files = append(t.files, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, t.parse()
}

// ignorePatterns reads .gitignore, of which it understands base names and whole directories.
func ignorePatterns(fsys fs.FS) []string {
	text, err := fs.ReadFile(fsys, ".gitignore")
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

func ignores(patterns []string, d fs.DirEntry) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if strings.HasSuffix(p, "/") && !d.IsDir() {
			return false
		}
		ok, _ := path.Match(strings.Trim(p, "/"), d.Name())
		return ok
	})
}

// parse reads the Go files of this module: not those of modules within it and not test data.
func (t *tree) parse() error {
	pkgs := map[string]*pkg{}
	for _, name := range t.files {
		dir := path.Dir(name)
		if path.Ext(name) != ".go" || isTestdata(name) || t.isForeign(dir) {
			continue
		}
		f, err := parseFile(t.fsys, name)
		if err != nil {
			return err
		}
		if f == nil {
			continue
		}
		if pkgs[dir] == nil {
			pkgs[dir] = &pkg{dir: dir}
			t.pkgs = append(t.pkgs, pkgs[dir])
		}
		pkgs[dir].files = append(pkgs[dir].files, f)
	}
	return nil
}

// isForeign reports whether dir belongs to a module of its own within this one.
func (t *tree) isForeign(dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if slices.Contains(t.files, path.Join(dir, "go.mod")) {
			return true
		}
	}
	return false
}

func isTestdata(name string) bool {
	return slices.Contains(strings.Split(name, "/"), "testdata")
}

// parseFile returns nil for a file that belongs to no package because it carries
// "//go:build ignore".
func parseFile(fsys fs.FS, name string) (*goFile, error) {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	mode := parser.ParseComments
	if !strings.HasSuffix(name, "_test.go") {
		mode |= parser.ImportsOnly
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), name, src, mode)
	if err != nil {
		return nil, fmt.Errorf("archtest: %w", err)
	}
	if isIgnored(syntax) {
		return nil, nil
	}
	f := &goFile{name: name, syntax: syntax}
	for _, spec := range syntax.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("archtest: %s: import %s: %w", name, spec.Path.Value, err)
		}
		f.imports = append(f.imports, p)
	}
	return f, nil
}

func isIgnored(syntax *ast.File) bool {
	for _, group := range syntax.Comments {
		for _, c := range group.List {
			if c.Pos() > syntax.Package {
				return false
			}
			if expr, err := constraint.Parse(c.Text); err == nil && expr.String() == "ignore" {
				return true
			}
		}
	}
	return false
}
