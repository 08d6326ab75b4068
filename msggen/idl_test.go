package msggen

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pinion-ros/pinion/msgs"
)

// standardDefs returns all standard definitions as they ship, with their comments.
func standardDefs(t testing.TB) []*Definition {
	t.Helper()
	l := NewLoader(PlaceOf("msgs", msgs.Definitions))
	packages, err := fs.ReadDir(msgs.Definitions, ".")
	if err != nil {
		t.Fatal(err)
	}
	var defs []*Definition
	for _, p := range packages {
		more, err := l.Package(p.Name())
		if err != nil {
			t.Fatal(err)
		}
		defs = append(defs, more...)
	}
	if err := l.Check().Err(); err != nil {
		t.Fatal(err)
	}
	return defs
}

func parseText(t testing.TB, path, pkg, text string) *Definition {
	t.Helper()
	def, diags := ParseFile(path, []byte(text), pkg)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	return def
}

// caseDefs returns the definitions of both tables of cases that both stages accept. Every one has
// a package of its own.
func caseDefs(t testing.TB) []*Definition {
	t.Helper()
	var defs []*Definition
	for _, table := range []string{"msg-cases.tsv", "msg-file-cases.tsv"} {
		for _, row := range rows(t, "testdata/"+table) {
			if row["idl_accepted"] != "yes" {
				continue
			}
			kind, name, pkg := "msg", "Case", "pkg"
			if row["kind"] != "" {
				kind, name, pkg = row["kind"], row["name"], row["package"]
			}
			var text string
			if err := json.Unmarshal([]byte(row["input"]), &text); err != nil {
				t.Fatal(err)
			}
			def := parseText(t, name+"."+kind, pkg, text)
			defs = append(defs, def)
		}
	}
	return defs
}

func writeIDL(t testing.TB, def *Definition, f Flavour) string {
	t.Helper()
	text, err := IDL(def, f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fold removes comment lines and makes one blank of white space outside of strings.
func fold(idl string) string {
	var b strings.Builder
	inside, escaped, gap := false, false, false
	for line := range strings.Lines(idl) {
		if strings.HasPrefix(strings.TrimSpace(line), "//") {
			continue
		}
		for _, r := range line {
			switch {
			case inside:
				inside = r != '"' || escaped
				escaped = r == '\\' && !escaped
			case r == ' ' || r == '\n':
				gap = b.Len() > 0
				continue
			default:
				inside = r == '"'
			}
			if gap {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestROSFlavour(t *testing.T) {
	for _, row := range rows(t, "testdata/msg-file-cases.tsv") {
		if row["idl_accepted"] != "yes" {
			continue
		}
		def := parseText(t, row["name"]+"."+row["kind"], row["package"], unquote(t, row["input"]))
		if got := fold(writeIDL(t, def, FlavourROS)); got != row["idl"] {
			t.Errorf("%s:\ngot  %s\nwant %s", row["n"], got, row["idl"])
		}
	}
}

func TestIDLDeterministic(t *testing.T) {
	for _, def := range standardDefs(t) {
		for _, f := range []Flavour{FlavourROS, FlavourDDS} {
			first, second := writeIDL(t, def, f), writeIDL(t, def, f)
			if first != second {
				t.Errorf("%s: two runs differ", IDLPath(def.Name, f))
			}
		}
	}
}

func TestIDLErrors(t *testing.T) {
	tests := []struct {
		name, pkg, text string
		flavour         Flavour
		want            string
	}{
		{"type of the first stage", "p", "time t\n", FlavourROS, "time has no form in IDL"},
		{"type of the first stage", "p", "time t\n", FlavourDDS, "time has no form in IDL"},
		{"line break in a string", "p", `string s "a\nb"`, FlavourROS, "line break"},
		{"comment that ends in a backslash", "p", "int32 z\n# path \\\nint32 a\n", FlavourROS, "backslash"},
		{"unit of two lines", "p", "int32 z\n# a [x\n# y] b\nint32 a\n", FlavourROS, "line break"},
		{"string array beyond ASCII", "p", `string[] s ["ハ"]`, FlavourROS, "ASCII"},
		{"package called like a keyword", "struct", "int32 a\n", FlavourDDS, "rename the package"},
		{"package called like a macro", "linux", "int32 a\n", FlavourDDS, "rename the package"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			def, _ := ParseFile("msg/A.msg", []byte(test.text), test.pkg)
			text, err := IDL(def, test.flavour)
			if err == nil {
				t.Fatalf("no error but\n%s", text)
			}
			for _, want := range []string{"msg/A.msg", test.want} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}

func TestParseFlavour(t *testing.T) {
	for _, f := range []Flavour{FlavourROS, FlavourDDS} {
		if got, err := ParseFlavour(f.String()); got != f || err != nil {
			t.Errorf("%s: got %v, %v", f, got, err)
		}
	}
	if _, err := ParseFlavour("ROS"); err == nil || !strings.Contains(err.Error(), "ros or dds") {
		t.Errorf("unknown flavour: %v", err)
	}
}

// runTool runs a tool and returns all it has printed. Where that fails the test fails and says what
// to install, since a tool may be there without the library or the runtime that it needs.
func runTool(t testing.TB, tool string, args ...string) string {
	t.Helper()
	out, err := exec.Command(tool, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s\nIf something is missing, run: apt-get install %s",
			tool, strings.Join(args, " "), err, out, cmp.Or(toolPackages[tool], allPackages))
	}
	return string(out)
}

// toolPackages tells which Debian packages the tools and what they need are in.
var toolPackages = map[string]string{
	python:       "python3-rosidl",
	"idlc":       "cyclonedds-tools",
	"fastddsgen": "fastddsgen default-jre-headless",
}

// allPackages are needed to compile and run what the tools write.
const allPackages = "gcc g++ cyclonedds-dev libfastcdr-dev libfastrtps-dev"

const python = "/usr/bin/python3" // another one in PATH may not see Debian's packages

// tree is what a definition means: the parser of ROS 2 prints it in this form.
type tree struct {
	File     string
	Includes []string
	Messages []treeMessage
}

type treeMessage struct {
	Name              string
	Annotations       treeAnnotations
	Fields, Constants []treeMember
}

type treeMember struct {
	Name, Type  string
	Value       any
	Annotations treeAnnotations
}

type treeAnnotations struct {
	Verbatim *treeVerbatim
	Default  *treeValue
	Unit     *treeValue
}

type treeVerbatim struct{ Language, Text string }

type treeValue struct{ Value any }

// TestROSParser compares what the parser of ROS 2 reads with the definitions.
func TestROSParser(t *testing.T) {
	dir := t.TempDir()
	want := make(map[string]tree)
	write := func(def *Definition, file string) {
		if _, taken := want[file]; taken {
			t.Fatalf("%s is there already", file)
		}
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(writeIDL(t, def, FlavourROS)), 0o644); err != nil {
			t.Fatal(err)
		}
		want[file] = treeOf(t, def, file)
	}
	for _, def := range standardDefs(t) {
		write(def, IDLPath(def.Name, FlavourROS))
	}
	for i, def := range caseDefs(t) {
		write(def, filepath.Join("case", string(rune('a'+i%26)), strconv.Itoa(i), IDLPath(def.Name, FlavourROS)))
	}
	args := append([]string{"testdata/idl/tree.py", dir}, slices.Sorted(maps.Keys(want))...)
	seen := 0
	for line := range strings.Lines(runTool(t, python, args...)) {
		var got tree
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&got); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		seen++
		expected := want[got.File]
		if strings.Contains(got.File, "/action/") { // the parser adds what derived types need
			got.Includes = got.Includes[:min(len(got.Includes), len(expected.Includes))]
		}
		// A trip through JSON makes numbers comparable.
		var normal tree
		text, err := json.Marshal(expected)
		if err != nil {
			t.Fatal(err)
		}
		decoder = json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&normal); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, normal) {
			gotText, _ := json.Marshal(got)
			t.Errorf("%s:\ngot  %s\nwant %s", got.File, gotText, text)
		}
	}
	if seen != len(want) {
		t.Errorf("the parser has read %d of %d files", seen, len(want))
	}
}

func treeOf(t *testing.T, def *Definition, file string) tree {
	t.Helper()
	result := tree{File: file, Includes: []string{}}
	owner := make(map[string]int) // section of a constant, see below
	for section, m := range def.Sections {
		for _, f := range m.Fields {
			if f.Type.Base == Nested {
				result.Includes = append(result.Includes, IDLPath(f.Type.Nested, FlavourROS))
			}
		}
		result.Messages = append(result.Messages,
			treeMessage{Name: rosScoped(m.Name), Fields: []treeMember{}, Constants: []treeMember{}})
		message := &result.Messages[section]
		if def.Name.Kind == Msg { // the parser drops the comments of sections
			message.Annotations.Verbatim = verbatim(m.Comment)
		}
		for _, f := range m.WireFields() {
			member := treeMember{Name: f.Name, Type: treeType(f.Type)}
			member.Annotations.Verbatim = verbatim(f.Comment)
			if f.Default != nil {
				member.Annotations.Default = &treeValue{treeLiteral(f.Default)}
			}
			if f.Unit != "" {
				member.Annotations.Unit = &treeValue{Final(f.Unit)}
			}
			message.Fields = append(message.Fields, member)
		}
		for _, c := range m.Const {
			member := treeMember{Name: c.Name, Type: treeType(c.Type), Value: treeLiteral(c.Value)}
			if text, ok := member.Value.(string); ok && (c.Type.Base == String || c.Type.Base == WString) {
				member.Type += "<" + strconv.Itoa(utf8.RuneCountInString(text)) + ">"
			}
			member.Annotations.Verbatim = verbatim(c.Comment)
			// The parser cannot tell equal declarations apart and gives all to the first section.
			declaration := fmt.Sprint(member.Name, member.Type, member.Value, c.Comment)
			if _, ok := owner[declaration]; !ok {
				owner[declaration] = section
			}
			first := &result.Messages[owner[declaration]]
			first.Constants = append(first.Constants, member)
		}
	}
	slices.Sort(result.Includes)
	result.Includes = slices.Compact(result.Includes)
	return result
}

func verbatim(lines []string) *treeVerbatim {
	if len(lines) == 0 {
		return nil
	}
	final := make([]string, len(lines))
	for i, line := range lines {
		final[i] = Final(line).(string)
	}
	return &treeVerbatim{"comment", strings.Join(final, "\n")}
}

// treeType names types as the parser does.
func treeType(t Type) string {
	element := t.Base.String()
	switch t.Base {
	case Bool:
		element = "boolean"
	case Byte:
		element = "octet"
	case Char:
		element = "uint8"
	case Float32:
		element = "float"
	case Float64:
		element = "double"
	case Nested:
		element = t.Nested.Package + "::msg::" + t.Nested.Name
	}
	if t.Bound > 0 {
		element += "<" + strconv.Itoa(t.Bound) + ">"
	}
	switch t.Array {
	case Fixed:
		return element + "[" + strconv.Itoa(t.Len) + "]"
	case Bounded:
		return "sequence<" + element + ", " + strconv.Itoa(t.Len) + ">"
	case Unbounded:
		return "sequence<" + element + ">"
	}
	return element
}

// treeLiteral returns a value as the parser does: arrays as the text of a Python tuple, what is not
// finite as the name that stands for it, without its sign.
func treeLiteral(v Value) any {
	switch v := v.(type) {
	case float64:
		if text := strings.TrimPrefix(pythonFloat(v), "-"); text == "inf" || text == "nan" {
			return text
		}
		return json.RawMessage(pythonFloat(v))
	case []Value:
		return defaultText(v)
	default:
		return Final(v)
	}
}
