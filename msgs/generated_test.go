package msgs_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
)

// goSuffix gives the sections of files the ends of the names of their Go types.
var goSuffix = map[string]string{
	"message": "", "request": "Request", "response": "Response", "goal": "Goal", "result": "Result", "feedback": "Feedback",
}

// TestConstants compares the constants of the generated code with the table.
func TestConstants(t *testing.T) {
	packages := map[string]map[string]constant.Value{}
	for path, members := range readTable(t, "testdata/interfaces-jazzy.tsv") {
		pkg, file, _ := strings.Cut(path, "/")
		_, file, _ = strings.Cut(file, "/")
		typ, _, _ := strings.Cut(file, ".")
		if packages[pkg] == nil {
			packages[pkg] = readConstants(t, pkg)
		}
		for _, m := range members {
			if m.kind != "constant" {
				continue
			}
			name := typ + goSuffix[m.section] + "_" + m.name
			got := packages[pkg][name]
			if got == nil || !constant.Compare(got, token.EQL, wantConstant(m.value, got.Kind())) {
				t.Errorf("%s.%s is %v, want %s", pkg, name, got, m.value)
			}
		}
	}
}

// wantConstant reads a value of the table.
func wantConstant(text string, kind constant.Kind) constant.Value {
	switch kind {
	case constant.String:
		return constant.MakeString(strings.Trim(text, `"`))
	case constant.Bool:
		return constant.MakeBool(strings.EqualFold(text, "true") || text == "1")
	}
	digits, negative := strings.CutPrefix(text, "-")
	v := constant.MakeFromLiteral(digits, token.INT, 0)
	if v.Kind() == constant.Unknown {
		v = constant.MakeFromLiteral(digits, token.FLOAT, 0)
	}
	if negative {
		v = constant.UnaryOp(token.SUB, v, 0)
	}
	return v
}

// readConstants returns the constants that the code of a package declares.
func readConstants(t *testing.T, dir string) map[string]constant.Value {
	t.Helper()
	all := map[string]constant.Value{}
	files, err := fs.Glob(os.DirFS(dir), "*_*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), dir+"/"+name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
				for _, spec := range d.Specs {
					s := spec.(*ast.ValueSpec)
					for i, value := range s.Values {
						all[s.Names[i].Name] = evaluate(value)
					}
				}
			}
		}
	}
	return all
}

// evaluate returns the value of a literal, nil for what generated constants are not.
func evaluate(e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.Ident:
		return constant.MakeBool(e.Name == "true")
	case *ast.UnaryExpr:
		return constant.UnaryOp(e.Op, evaluate(e.X), 0)
	}
	return nil
}

// TestDefaults compares the defaults of generated types with those of the definitions, of which
// TestDeclarations holds the text against the table. What has none is zero.
func TestDefaults(t *testing.T) {
	loader := msggen.NewLoader(msggen.PlaceOf("msgs", msgs.Definitions))
	given := 0
	for _, name := range cdr.Types() {
		def, err := loader.Message(typeName(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		v := reflect.ValueOf(cdr.Lookup(name).New()).Elem()
		for i, f := range def.Fields {
			if f.Type.Base == msggen.Nested {
				continue
			}
			got := v.Field(i)
			if f.Default == nil {
				if !got.IsZero() {
					t.Errorf("%s: %s is %v without a default", name, f.Name, got)
				}
				continue
			}
			given++
			if want := msggen.Final(f.Default); !equalsDefault(got, want) {
				t.Errorf("%s: %s is %v, want %v", name, f.Name, got, want)
			}
		}
	}
	if given < 100 {
		t.Errorf("only %d defaults were seen", given)
	}
}

func equalsDefault(got reflect.Value, want msggen.Value) bool {
	if list, ok := want.([]msggen.Value); ok {
		if got.Len() != len(list) {
			return false
		}
		for i := range list {
			if !equalsDefault(got.Index(i), list[i]) {
				return false
			}
		}
		return true
	}
	if got.Kind() == reflect.Float32 || got.Kind() == reflect.Float64 {
		f, err := strconv.ParseFloat(fmt.Sprint(want), got.Type().Bits())
		return err == nil && got.Float() == f
	}
	return fmt.Sprint(got) == fmt.Sprint(want)
}

// TestHashes compares the hashes in the generated code with those of the definitions, which msggen
// holds against the table.
func TestHashes(t *testing.T) {
	loader := msggen.NewLoader(msggen.PlaceOf("msgs", msgs.Definitions))
	for _, name := range cdr.Types() {
		d, err := loader.Describe(typeName(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		typ := cdr.Lookup(name)
		if want := d.Hash(); typ.Hash != want || typ.Describe().Hash() != want {
			t.Errorf("%s has hash %s and describes itself as of %s, want %s", name, typ.Hash, typ.Describe().Hash(), want)
		}
	}
}

func typeName(t *testing.T, name string) msggen.TypeName {
	t.Helper()
	n, err := msggen.ParseTypeName(name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
