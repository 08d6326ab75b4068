package doctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the text mentions is there: commands of pinion and make, names of packages, files, and what
// links lead to.
func TestNames(t *testing.T) {
	exported := exportedNames(t)
	for _, d := range documents(t) {
		for _, s := range d.spans {
			before, _, _ := strings.Cut(s.text, "#")
			words := strings.Fields(before)
			switch m := selector.FindStringSubmatch(s.text); {
			case len(words) == 0:
			case m != nil && exported[m[1]] != nil:
				if name := strings.Trim(m[2]+m[3], "."); !exported[m[1]][name] {
					t.Errorf("%s: package %s has no %s", s.place(), m[1], name)
				}
			case len(words) == 1 && file.MatchString(s.text):
				if _, err := os.Stat(filepath.Join(root(t), s.text)); err != nil {
					t.Errorf("%s: %s is not there", s.place(), s.text)
				}
			default:
				checkCommand(t, s, words, false)
			}
		}
		for _, l := range d.links {
			checkLink(t, d, l)
		}
	}
}

var (
	selector = regexp.MustCompile(`^([a-z]+)\.([A-Z]\w*)(?:\[[^\]]*\])?(\.[A-Z]\w*)?(?:\(.*\))?$`)
	file     = regexp.MustCompile(`^(\.ci|bench|cdr|cmd|docs|executor|internal|msggen|pubsub)/[\w./-]*$`)
)

func checkLink(t *testing.T, d *document, l span) {
	target, _, _ := strings.Cut(l.text, "#")
	if strings.Contains(target, "://") || target == "" {
		return
	}
	dir := "docs"
	if d.name == "README.md" {
		dir = "."
	}
	if _, err := os.Stat(filepath.Join(root(t), dir, target)); err != nil {
		t.Errorf("%s: the link to %s leads nowhere", l.place(), l.text)
	}
}

// exportedNames returns, by package, what is exported: "Node", "Node.Close", "QoS.Depth".
func exportedNames(t *testing.T) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	err := fs.WalkDir(os.DirFS(root(t)), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if slices.Contains([]string{"msgs", "testdata", ".git"}, e.Name()) || strings.HasPrefix(e.Name(), "peer") {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if all[f.Name.Name] == nil {
			all[f.Name.Name] = map[string]bool{}
		}
		collect(f, all[f.Name.Name])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func collect(f *ast.File, names map[string]bool) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names[receiver(d)+d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				collectSpec(s, names)
			}
		}
	}
}

func collectSpec(s ast.Spec, names map[string]bool) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names[n.Name] = true
		}
	case *ast.TypeSpec:
		names[s.Name.Name] = true
		var fields *ast.FieldList
		switch t := s.Type.(type) {
		case *ast.StructType:
			fields = t.Fields
		case *ast.InterfaceType:
			fields = t.Methods
		default:
			return
		}
		for _, f := range fields.List {
			for _, n := range f.Names {
				names[s.Name.Name+"."+n.Name] = true
			}
		}
	}
}

// receiver returns the receiver's type and a dot, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	e := d.Recv.List[0].Type
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name + "."
		}
	}
}
