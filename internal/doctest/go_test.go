package doctest

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

func checkGo(t *testing.T, d *document, b block) {
	if pretty, err := format.Source([]byte(b.text)); err != nil {
		t.Errorf("%s: %v", b.place(), err)
	} else if string(pretty) != b.text {
		t.Errorf("%s: the block is not formatted; gofmt makes\n%s", b.place(), pretty)
	}
}

func isProgram(b block) bool {
	return b.language == "go" && strings.Contains("\n"+b.text, "\npackage main\n")
}

// Programs end by themselves and say hello when they have done what they are there for. Those that a
// session runs are in files.
func TestPrograms(t *testing.T) {
	found := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if !isProgram(b) || b.file() != "" {
				continue
			}
			found++
			t.Run(b.document, func(t *testing.T) {
				dir := t.TempDir()
				newModule(t, dir)
				write(t, dir, "main.go", b.text)
				command(t, dir, nil, "go", "build", "-mod=mod", "-o", "robot", ".")
				if out := command(t, dir, alone(t), "./robot"); !strings.Contains(out, "hello") {
					t.Errorf("%s: the program printed %q", b.place(), out)
				}
			})
		}
	}
	if found == 0 {
		t.Error("no program in any document")
	}
}

// Fragments compile, vetted, in a package each. Statements stand in a function that returns an error
// and has what a node usually has at hand.
func TestFragments(t *testing.T) {
	dir := t.TempDir()
	newModule(t, dir)
	found := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.language != "go" || isProgram(b) || b.file() != "" {
				continue
			}
			found++
			source, err := complete(b)
			if err != nil {
				t.Errorf("%s: %v", b.place(), err)
				continue
			}
			write(t, dir, fmt.Sprintf("%s_%d/fragment.go", strings.TrimSuffix(b.document, ".md"), b.line), source)
		}
	}
	if found == 0 {
		t.Fatal("no fragment in any document")
	}
	command(t, dir, nil, "go", "vet", "-unreachable=false", "-mod=mod", "./...")
}

// given is what fragments may use without having made it.
const given = `ctx context.Context, ex *executor.Executor, node *pubsub.Node, log *zap.Logger, handle func(any)`

// complete makes a fragment a file.
func complete(b block) (string, error) {
	body := b.text
	if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+body, 0); err != nil {
		used, err := assigned(body)
		if err != nil {
			return "", err
		}
		// An error that the fragment leaves alone is looked at by nobody here.
		body = "func _(" + given + ") (err error) {\n{\n" + body + used + "}\nreturn err\n}\n"
	}
	var imports strings.Builder
	for _, path := range importable {
		name := path[strings.LastIndex(path, "/")+1:]
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(body) {
			fmt.Fprintf(&imports, "import %q\n", path)
		}
	}
	return "// Package fragment is a part of a document.\npackage fragment\n" + imports.String() +
		fmt.Sprintf("//line %s:%d\n", b.document, b.line-1) + body, nil
}

// assigned returns statements that use the variables that the outermost statements define.
func assigned(statements string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+statements+"}", 0)
	if err != nil {
		return "", err
	}
	var used strings.Builder
	for _, s := range file.Decls[0].(*ast.FuncDecl).Body.List {
		a, ok := s.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE {
			continue
		}
		for _, e := range a.Lhs {
			if name := e.(*ast.Ident).Name; name != "_" {
				fmt.Fprintf(&used, "_ = %s\n", name)
			}
		}
	}
	return used.String(), nil
}

const module = "github.com/pinion-ros/pinion/"

var importable = []string{"context", "errors", "fmt", "os", "testing", "time", "go.uber.org/zap",
	module + "cdr", module + "executor", module + "pubsub", module + "pubsub/pubsubtest", module + "pubsub/rosargs",
	module + "executor/metrics", module + "msgs/geometry_msgs", module + "msgs/sensor_msgs", module + "msgs/std_msgs"}
