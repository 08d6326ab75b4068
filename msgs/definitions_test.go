package msgs_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
	"github.com/pinion-ros/pinion/msgs/humble"
)

// sectionNames gives the sections of each kind of file the names that the tables use.
var sectionNames = map[string][]string{
	"msg":    {"message"},
	"srv":    {"request", "response"},
	"action": {"goal", "result", "feedback"},
}

// member is a row of a table of interfaces. An empty section has one whose kind is "empty".
type member struct {
	section, kind, typ, name, value, spelled string
}

// declaration is the line that declares the member.
func (m member) declaration() string {
	switch {
	case m.kind == "constant":
		return m.spelled + " " + m.name + "=" + m.value
	case m.value != "":
		return m.spelled + " " + m.name + " " + m.value
	}
	return m.spelled + " " + m.name
}

// readTable returns the members of each type of a table, by the path of its file.
func readTable(t *testing.T, file string) map[string][]member {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	types := make(map[string][]member)
	lines := bufio.NewScanner(f)
	lines.Scan() // the names of the columns
	for lines.Scan() {
		c := strings.Split(lines.Text(), "\t")
		if len(c) != 10 {
			t.Fatalf("%s: %d columns in %q", file, len(c), lines.Text())
		}
		path := fmt.Sprintf("%s/%s/%s.%s", c[0], c[1], c[2], c[1])
		types[path] = append(types[path], member{c[3], c[5], c[6], c[7], c[8], c[9]})
	}
	if err := lines.Err(); err != nil || len(types) == 0 {
		t.Fatalf("%s: %d types, %v", file, len(types), err)
	}
	return types
}

func TestFiles(t *testing.T) {
	var got []string
	err := fs.WalkDir(msgs.Definitions, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(maps.Keys(readTable(t, "testdata/interfaces-jazzy.tsv")))
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the files do not match the table:\n%s", difference(want, got))
	}
}

// TestDeclarations compares the files with the table line by line, as they are spelled.
func TestDeclarations(t *testing.T) {
	for path, members := range readTable(t, "testdata/interfaces-jazzy.tsv") {
		checkDeclarations(t, msgs.Definitions, path, members)
	}
}

// checkDeclarations compares a file with the rows of its type.
func checkDeclarations(t *testing.T, files fs.FS, path string, members []member) {
	t.Helper()
	src, err := fs.ReadFile(files, path)
	if err != nil {
		t.Error(err)
		return
	}
	_, kind, _ := strings.Cut(path, ".")
	var want []string
	for i, section := range sectionNames[kind] {
		if i > 0 {
			want = append(want, "---")
		}
		for _, m := range members {
			if m.section == section && m.kind != "empty" {
				want = append(want, m.declaration())
			}
		}
	}
	var got []string
	for line := range strings.Lines(string(src)) {
		declaration, _, _ := strings.Cut(line, "#")
		if declaration = strings.TrimSpace(declaration); declaration != "" {
			got = append(got, declaration)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s does not match the table:\n%s", path, difference(want, got))
	}
}

// TestMembers compares what the compiler makes of the files with the table.
func TestMembers(t *testing.T) {
	loader := msggen.NewLoader(msggen.PlaceOf("msgs", msgs.Definitions))
	for path, members := range readTable(t, "testdata/interfaces-jazzy.tsv") {
		name, err := msggen.ParseTypeName(strings.TrimSuffix(path, path[strings.LastIndexByte(path, '.'):]))
		if err != nil {
			t.Fatal(err)
		}
		def, err := loader.Definition(name)
		if err != nil || def == nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if len(def.Sections[0].Comment) == 0 {
			t.Errorf("%s: no comment says what it is for", path)
		}
		var want []string
		for _, m := range members {
			if m.kind != "empty" {
				want = append(want, strings.Join([]string{m.section, m.kind, m.typ, m.name}, " "))
			}
		}
		var got []string
		for i, section := range def.Sections {
			for _, element := range section.Order {
				got = append(got, sectionNames[name.Kind.String()][i]+" "+describe(element))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s does not match the table:\n%s", path, difference(want, got))
		}
	}
	if err := loader.Check().Err(); err != nil {
		t.Error(err)
	}
}

func describe(element any) string {
	switch e := element.(type) {
	case *msggen.Field:
		return fmt.Sprintf("field %s %s", e.Type, e.Name)
	case *msggen.Constant:
		return fmt.Sprintf("constant %s %s", e.Type, e.Name)
	}
	return fmt.Sprintf("unknown element %T", element)
}

// TestHumbleDefinitions checks that package humble has those types, and only those, whose messages
// are other bytes there.
func TestHumbleDefinitions(t *testing.T) {
	old, now := readTable(t, "testdata/interfaces-humble.tsv"), readTable(t, "testdata/interfaces-jazzy.tsv")
	want := map[string]bool{}
	for path, members := range old {
		if now[path] != nil && !slices.Equal(encoding(members), encoding(now[path])) && path != "rmw_dds_common/msg/Gid.msg" {
			want[path] = true
			checkDeclarations(t, humble.Definitions, path, members)
		}
	}
	// None of them is part of another type, which would differ, too.
	for path, members := range now {
		for _, m := range members {
			part, _, _ := strings.Cut(m.typ, "[")
			if pkg, name, ok := strings.Cut(part, "/"); ok && want[pkg+"/msg/"+name+".msg"] {
				t.Errorf("%s contains %s", path, m.typ)
			}
		}
	}
	got, err := fs.Glob(humble.Definitions, "*/*/*")
	if err != nil || !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Errorf("there are %v, want %v; %v", got, slices.Sorted(maps.Keys(want)), err)
	}
}

// encoding returns the types of the fields, which decide about the bytes.
func encoding(members []member) []string {
	var all []string
	for _, m := range members {
		if m.kind == "field" {
			all = append(all, m.section+" "+m.typ)
		}
	}
	return all
}

// TestHumble lists how the definitions, which are those of ROS 2 Jazzy, differ from those of
// Humble. Nodes of both can talk only through types whose fields are the same.
func TestHumble(t *testing.T) {
	const accepted = "testdata/humble-differences.txt"
	humble := readTable(t, "testdata/interfaces-humble.tsv")
	jazzy := readTable(t, "testdata/interfaces-jazzy.tsv")
	var got []string
	for path := range jazzy {
		if humble[path] == nil {
			got = append(got, path+": only in jazzy")
		}
	}
	for path, old := range humble {
		if jazzy[path] == nil {
			got = append(got, path+": only in humble")
			continue
		}
		from, to := semantics(old), semantics(jazzy[path])
		lost, added := without(from, to), without(to, from)
		for _, m := range lost {
			got = append(got, path+": humble has "+m)
		}
		for _, m := range added {
			got = append(got, path+": jazzy has "+m)
		}
		if len(lost)+len(added) == 0 && !slices.Equal(from, to) {
			got = append(got, path+": the order differs")
		}
	}
	slices.Sort(got)
	text, err := os.ReadFile(accepted)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	if !slices.Equal(got, want) {
		t.Errorf("the differences from humble are not those of %s:\n%s", accepted, difference(want, got))
	}
}

// semantics returns the members of a type as text, without what only spelling decides.
func semantics(members []member) []string {
	var all []string
	for _, m := range members {
		m.spelled = m.typ
		all = append(all, strings.TrimSpace(m.section+" "+m.kind+" "+m.declaration()))
	}
	return all
}

// without returns the elements of a that b does not have.
func without(a, b []string) []string {
	var rest []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

func difference(want, got []string) string {
	var b strings.Builder
	for _, s := range without(want, got) {
		fmt.Fprintln(&b, "missing:", s)
	}
	for _, s := range without(got, want) {
		fmt.Fprintln(&b, "not expected:", s)
	}
	if b.Len() == 0 {
		return "the order differs"
	}
	return b.String()
}
