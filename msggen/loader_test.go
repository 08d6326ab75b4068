package msggen

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// standardDefinitions writes all standard interfaces of ROS 2 from the table of their members.
func standardDefinitions(t testing.TB) fstest.MapFS {
	t.Helper()
	sectionNumber := map[string]int{"message": 0, "request": 0, "response": 1, "goal": 0, "result": 1, "feedback": 2}
	texts := make(map[string]*strings.Builder)
	written := make(map[string]int)
	for _, row := range rows(t, "testdata/interfaces-jazzy.tsv") {
		file := row["package"] + "/" + row["kind"] + "/" + row["type"] + "." + row["kind"]
		b := texts[file]
		if b == nil {
			b = new(strings.Builder)
			texts[file] = b
		}
		for ; written[file] < sectionNumber[row["section"]]; written[file]++ {
			b.WriteString("---\n")
		}
		switch row["member_kind"] {
		case "field":
			b.WriteString(row["type_as_spelled"] + " " + row["member_name"] + " " + row["value"] + "\n")
		case "constant":
			b.WriteString(row["type_as_spelled"] + " " + row["member_name"] + "=" + row["value"] + "\n")
		}
	}
	files := make(fstest.MapFS)
	for file, b := range texts {
		files[file] = &fstest.MapFile{Data: []byte(b.String())}
	}
	return files
}

func standardLoader(t testing.TB) *Loader {
	t.Helper()
	return NewLoader(PlaceOf("standard", standardDefinitions(t)))
}

func TestStandardMembers(t *testing.T) {
	l := standardLoader(t)
	for _, row := range rows(t, "testdata/interfaces-jazzy.tsv") {
		if row["member_kind"] != "field" {
			continue
		}
		suffix := map[string]string{"message": "", "request": "_Request", "response": "_Response",
			"goal": "_Goal", "result": "_Result", "feedback": "_Feedback"}[row["section"]]
		name := typeNamed(t, row["package"], row["kind"], row["type"]+suffix)
		m, err := l.Message(name)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range m.Fields {
			if f.Name == row["member_name"] {
				found = true
				if f.Type.String() != row["member_type"] {
					t.Errorf("%s.%s is %s, want %s", name, f.Name, f.Type, row["member_type"])
				}
			}
		}
		if !found {
			t.Errorf("%s has no field %s", name, row["member_name"])
		}
	}
	if diags := l.Check(); len(diags) > 0 {
		t.Error(diags)
	}
}

func typeNamed(t testing.TB, pkg, kind, name string) TypeName {
	t.Helper()
	n, err := ParseTypeName(pkg + "/" + kind + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestBoundedStringHashes has the hashes that rosidl gives to a message pkg/Foo. It takes the bound of
// a wstring for that of the sequence, too.
func TestBoundedStringHashes(t *testing.T) {
	for text, want := range map[string]string{
		"wstring<=5[] a":    "RIHS01_9ce9311bdc1ec55659c6e42fe16a2ba6a3da53dc264e0c4d8a1eb9522f47c8a1",
		"wstring<=5[<=5] a": "RIHS01_9ce9311bdc1ec55659c6e42fe16a2ba6a3da53dc264e0c4d8a1eb9522f47c8a1",
		"wstring<=5[<=3] a": "RIHS01_5df2f5ecbea4ba33f247274ba12b775f7fa912244110b1c99c1a8f314d98486c",
		"wstring<=5[3] a":   "RIHS01_19549a254a4c9c95354c253800c2cf3ce13afb0e54ab901b74a925af95b5159f",
		"string<=5[] a":     "RIHS01_188c4ac8a03352f6da8de84884f7aeaea30d6f54e887d7c5ba168c501f79380e",
	} {
		l := NewLoader()
		name := l.Add("msg/Foo.msg", []byte(text), "pkg").Name
		d, err := l.Describe(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Hash(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		m, err := l.Message(name)
		if err != nil {
			t.Fatal(err)
		}
		if m.Order[0] != any(m.Fields[0]) {
			t.Errorf("%s: the order has another field", text)
		}
	}
}

func TestHashes(t *testing.T) {
	l := standardLoader(t)
	for _, row := range rows(t, "testdata/type-hashes-jazzy.tsv") {
		name := typeNamed(t, row["package"], row["kind"], row["type"])
		d, err := l.Describe(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := d.Hash(); got != row["hash"] {
			t.Errorf("%s: %s, want %s", name, got, row["hash"])
		}
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  []string // each a line: file:line:column: and words that must occur
	}{
		{"self", map[string]string{"p/msg/A.msg": "int32 x\nA[] children\n"},
			[]string{"p/msg/A.msg:2:1: children contain itself p/msg/A.children -> p/msg/A"}},
		{"cycle", map[string]string{"p/msg/A.msg": "B b\n", "p/msg/B.msg": "q/C c\n", "q/msg/C.msg": "p/A a\n"},
			[]string{"q/msg/C.msg:1:1: p/msg/A.b -> p/msg/B.c -> q/msg/C.a -> p/msg/A"}},
		{"missing type", map[string]string{"p/msg/A.msg": "# note\n\nq/Nothing b\n"},
			[]string{"p/msg/A.msg:3:1: field b q/msg/Nothing.msg not found searched place -I"}},
		{"names of ROS 1", map[string]string{"p/msg/A.msg": "Header h\nString s\n"},
			[]string{"p/msg/A.msg:1:1: std_msgs/Header", "p/msg/A.msg:2:1: primitive string"}},
		{"all faults of all files", map[string]string{"p/msg/A.msg": "int32 X\nB b\nint3 y\n", "p/msg/B.msg": "time t\n"},
			[]string{"p/msg/A.msg:1:7:", "p/msg/A.msg:3:1:", "p/msg/B.msg:1:1: builtin_interfaces/Time"}},
		{"faults of a file that another needs", map[string]string{"p/msg/A.msg": "B b\n", "p/msg/B.msg": "time t\n"},
			[]string{"p/msg/B.msg:1:1: idl stage builtin_interfaces/Time"}},
		{"service without its event", map[string]string{"p/srv/A.srv": "---\n"},
			[]string{"p/srv/A.srv:1:1: the srv needs service_msgs/msg/ServiceEventInfo searched"}},
		{"key in a message that varies", map[string]string{"p/msg/A.msg": "B id # @key\n", "p/msg/B.msg": "string s\n"},
			[]string{"p/msg/A.msg:1:1: field id key p/msg/B.s string"}},
		{"key in a key", map[string]string{"p/msg/A.msg": "B id # @key\n", "p/msg/B.msg": "int32 s # @key\n"},
			[]string{"p/msg/A.msg:1:1: p/msg/B.s marked"}},
		{"faults of all kinds at once", map[string]string{"p/msg/A.msg": "C c\nint33 x\nq/Gone g\nbad\nB b\nint8 y 300\n", "p/msg/B.msg": "int32\nD d\n"},
			[]string{"p/msg/A.msg:1:1: p/msg/C.msg searched", "p/msg/A.msg:2:1: int33", "p/msg/A.msg:3:1: q/msg/Gone.msg searched",
				"p/msg/A.msg:4:1: word", "p/msg/A.msg:6:8: 300", "p/msg/B.msg:1:1: word", "p/msg/B.msg:2:1: p/msg/D.msg searched"}},
		{"sections with faults", map[string]string{"p/srv/A.srv": "C c\n---\nint33 x\nD d\n"},
			[]string{"p/srv/A.srv:1:1: p/msg/C.msg", "p/srv/A.srv:3:1: int33", "p/srv/A.srv:4:1: p/msg/D.msg"}},
		{"key message", map[string]string{"p/msg/A.msg": "B id # @key\n", "p/msg/B.msg": "int32[4] s\n"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := make(fstest.MapFS)
			for name, text := range tt.files {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
			l := NewLoader(PlaceOf("place", files))
			for name, text := range tt.files {
				if strings.Contains(name, "/A.") {
					l.Add(name, []byte(text), strings.SplitN(name, "/", 2)[0])
				}
			}
			checkDiagnostics(t, l.Check(), tt.want)
		})
	}
}

// checkDiagnostics compares faults with lines that hold the place and words of the text.
func checkDiagnostics(t *testing.T, got Diagnostics, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("got %d faults, want %d:\n%v", len(got), len(want), got)
		return
	}
	for i, line := range want {
		text := strings.ReplaceAll(got[i].Error(), "place/", "")
		place, words, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(text, place) {
			t.Errorf("fault %q, want it at %s", text, place)
		}
		for _, word := range strings.Fields(words) {
			if !strings.Contains(text, word) {
				t.Errorf("fault %q does not say %q", text, word)
			}
		}
	}
}

func TestNotFound(t *testing.T) {
	l := NewLoader(PlaceOf("here", fstest.MapFS{}), PlaceOf("there", fstest.MapFS{}))
	_, err := l.Message(TypeName{"p", Msg, "A"})
	var missing *NotFoundError
	if !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) || len(missing.Places) != 2 {
		t.Errorf("error %v", err)
	}
}

func TestDefinedTwice(t *testing.T) {
	l := NewLoader()
	l.Add("a/p/msg/A.msg", []byte("int32 a\n"), "p")
	l.Add("b/p/msg/A.msg", []byte("int32 a\n"), "p")
	checkDiagnostics(t, l.Check(), []string{"b/p/msg/A.msg:1:1: p/msg/A a/p/msg/A.msg already"})
}

func TestPlaces(t *testing.T) {
	files := fstest.MapFS{
		"renamed-folder/package.xml": {Data: []byte("<package format='3'><name> p </name></package>")},
		"renamed-folder/msg/A.msg":   {Data: []byte("int32 a\n")},
		"p/package.xml":              {Data: []byte("<package><name>other</name></package>")},
		"p/msg/A.msg":                {Data: []byte("int32 wrong\n")},
		"plain/srv/S.srv":            {Data: []byte("---\n")},
		"plain/msg/B.msg":            {Data: []byte("int32 b\n")},
		"plain/msg/README.md":        {Data: []byte("text")},
	}
	l := NewLoader(PlaceOf("x", files))
	m, err := l.Message(TypeName{"p", Msg, "A"})
	if err != nil || m.Fields[0].Name != "a" {
		t.Errorf("message of the renamed folder: %v, %v", m, err)
	}
	defs, err := l.Package("plain")
	if err != nil || len(defs) != 2 || defs[0].Name.Name != "B" || defs[1].Name.Name != "S" {
		t.Errorf("package: %v, %v", defs, err)
	}
	if _, err := l.Package("nothing"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "searched x") {
		t.Errorf("missing package: %v", err)
	}
}
