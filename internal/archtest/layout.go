package archtest

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// checkTopLevel finds what does not belong into the root directory.
func checkTopLevel(t *tree) []string {
	var faults []string
	for _, name := range t.files {
		top, _, _ := strings.Cut(name, "/")
		fault := top + ": does not belong to the top level"
		if !slices.Contains(topLevel, top) && !slices.Contains(faults, fault) {
			faults = append(faults, fault)
		}
	}
	return faults
}

// checkComments finds packages that do not say what they are for.
func checkComments(t *tree) []string {
	var faults []string
	for _, p := range t.pkgs {
		if !slices.ContainsFunc(p.files, hasPackageComment) {
			faults = append(faults, p.dir+": has no package comment in the form that go doc expects")
		}
	}
	return faults
}

// hasPackageComment accepts "Package name ..." and, for a command, any sentence.
func hasPackageComment(f *goFile) bool {
	if f.syntax.Doc == nil {
		return false
	}
	text, name := f.syntax.Doc.Text(), f.syntax.Name.Name
	return strings.HasPrefix(text, "Package "+name+" ") || name == "main" && text != ""
}

// machinePath matches an absolute path into a directory that belongs to one machine or person.
var machinePath = regexp.MustCompile(`(?m)(?:^|[\s"'` + "`" + `=:(,])(/(?:home|root|Users|work|workspace|builds)/[\w.-]+|[A-Z]:\\+Users\\)`)

// checkPaths finds text files that name a place on some machine, or root, where this tree lies.
func checkPaths(t *tree, root string) ([]string, error) {
	var faults []string
	for _, name := range t.files {
		text, err := fs.ReadFile(t.fsys, name)
		if err != nil {
			return nil, err
		}
		if bytes.IndexByte(text, 0) >= 0 {
			continue
		}
		found := ""
		if m := machinePath.FindSubmatch(text); m != nil {
			found = string(m[1])
		} else if len(root) > 1 && bytes.Contains(text, []byte(root+"/")) {
			found = root
		}
		if found != "" {
			faults = append(faults, fmt.Sprintf("%s: names the path %s, which exists on one machine only", name, found))
		}
	}
	return faults, nil
}

// generatedHeader matches Go's mark of generated files, which counts above the first statement only.
var generatedHeader = regexp.MustCompile(`\A(?:(?://.*)?\n)*// Code generated .* DO NOT EDIT\.\n`)

// checkGenerated finds files that lie where the message compiler writes and do not say that
// they are generated: the IDL files of an interface package, which is a directory whose definitions
// lie in msg, srv or action, and its Go files by the names that the compiler gives them. Other Go
// files beside them are written by hand.
func checkGenerated(t *tree) ([]string, error) {
	packages := map[string]bool{}
	for _, name := range t.files {
		switch kind := path.Base(path.Dir(name)); kind {
		case "msg", "srv", "action":
			packages[path.Dir(path.Dir(name))] = packages[path.Dir(path.Dir(name))] || path.Ext(name) == "."+kind
		}
	}
	var faults []string
	for _, name := range t.files {
		if !isOutput(name, packages) {
			continue
		}
		text, err := fs.ReadFile(t.fsys, name)
		if err != nil {
			return nil, err
		}
		if !generatedHeader.Match(text) {
			faults = append(faults, name+`: lacks the header "// Code generated ... DO NOT EDIT."`)
		}
	}
	return faults, nil
}

var generatedName = regexp.MustCompile(`(_msg|_srv|_action|^doc)\.go$`)

func isOutput(name string, packages map[string]bool) bool {
	if isTestdata(name) || strings.HasSuffix(name, "_test.go") {
		return false
	}
	dir := path.Dir(name)
	switch path.Ext(name) {
	case ".go":
		return packages[dir] && generatedName.MatchString(path.Base(name))
	case ".idl":
		return packages[dir] || packages[path.Dir(dir)]
	}
	return false
}
