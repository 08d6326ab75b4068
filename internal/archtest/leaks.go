package archtest

import (
	"go/ast"
	"slices"
)

// checkLeaks finds packages whose tests do not end with a look for what they leave behind. Those that
// come to DDS have to have its entities counted; who implements it counts them itself.
func checkLeaks(t *tree) []string {
	var faults []string
	for _, p := range t.pkgs {
		ways := []string{"leaktest", "pubsubtest"}
		if p.dir != dds && t.testsReach(module+"/"+dds, p) {
			ways = ways[1:]
		}
		switch {
		case !slices.ContainsFunc(p.files, (*goFile).isTest):
		case !slices.ContainsFunc(p.files, func(f *goFile) bool { return f.runsTests(ways) }):
			faults = append(faults, p.dir+": has tests, but no TestMain that calls Run of "+ways[0])
		}
	}
	return faults
}

// testsReach reports whether the tests of p come to import target, in one way or another.
func (t *tree) testsReach(target string, p *pkg) bool {
	seen := map[string]bool{}
	if t.pathTo(target, p.dir, seen) != nil {
		return true
	}
	for _, f := range p.files {
		for _, imp := range f.imports {
			if dir, ok := own(imp); imp == target || ok && t.pathTo(target, dir, seen) != nil {
				return true
			}
		}
	}
	return false
}

// runsTests reports whether f has a TestMain that calls Run of one of these packages.
func (f *goFile) runsTests(ways []string) bool {
	found := false
	for _, d := range f.syntax.Decls {
		main, ok := d.(*ast.FuncDecl)
		if !ok || !f.isTest() || main.Recv != nil || main.Name.Name != "TestMain" {
			continue
		}
		ast.Inspect(main, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Run" {
					x, ok := f.X.(*ast.Ident)
					found = found || ok && slices.Contains(ways, x.Name)
				}
			}
			return !found
		})
	}
	return found
}
