package msggen

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse checks that no file makes the parser panic or contradict itself.
func FuzzParse(f *testing.F) {
	for _, row := range []struct {
		kind uint8
		text string
	}{
		{0, "# note [m]\n\nint32 a 5 # [s]\nstring<=5[<=3] b ['x', \"y\"]\nuint8 C=0x1F\n  # more\n"},
		{0, "# @key\nuint8[16] id\nstd_msgs/Header[] h\nfloat64 x -1_0.5e+3\nstring s \"a\\\"b\\\\n\"\n"},
		{1, "bool data\r\n---\r\nbool success true\r\nstring[] m [\"a\\\"b\\\"c\", d]\r\n"},
		{2, "int32 a\n---\n---\u2028char c\n"},
	} {
		f.Add(row.kind, []byte(row.text))
	}
	f.Fuzz(func(t *testing.T, kind uint8, src []byte) {
		path := "p/msg/A." + (Kind(kind) % (Action + 1)).String()
		def, diags := ParseFile(path, src, "p")
		if def == nil && diags.accepted() {
			t.Fatal("neither a definition nor a fault")
		}
		for _, d := range diags {
			if d.Pos.Line < 1 || d.Pos.Column < 1 || d.Message == "" {
				t.Errorf("fault without place or text: %v", d)
			}
		}
		if def == nil {
			return
		}
		for _, m := range def.Sections {
			for _, field := range m.Fields {
				checkField(t, field)
			}
		}
		checkLoads(t, path, src, diags)
	})
}

// checkField parses what a field prints as.
func checkField(t *testing.T, f *Field) {
	t.Helper()
	typ, bad := parseType(span{f.Type.String(), 0}, "other")
	if bad != nil || typ != f.Type {
		t.Errorf("type %s parses as %v, %v", f.Type, typ, bad)
	}
	if s, ok := Final(f.Default).(string); ok && !utf8.ValidString(s) {
		t.Errorf("final value %q is not UTF-8", s)
	}
}

// checkLoads follows the definition where it has no faults.
func checkLoads(t *testing.T, path string, src []byte, diags Diagnostics) {
	t.Helper()
	l := NewLoader()
	def := l.Add(path, src, "p")
	if (def == nil) != (len(diags) > 0) {
		t.Fatalf("definition %v, faults %v", def, diags)
	}
	if len(l.Check()) > 0 {
		return
	}
	if d, err := l.Describe(def.Name); err != nil || len(d.Hash()) != len("RIHS01_")+64 {
		t.Errorf("checked, but %v", err)
	}
}

// BenchmarkCompile parses, checks and describes all standard definitions.
func BenchmarkCompile(b *testing.B) {
	files := standardDefinitions(b)
	for b.Loop() {
		l := NewLoader(PlaceOf("standard", files))
		for path := range files {
			name, err := NameOf(path, strings.SplitN(path, "/", 2)[0])
			if err != nil {
				b.Fatal(err)
			}
			if _, err := l.Describe(name); err != nil {
				b.Fatal(err)
			}
		}
		if diags := l.Check(); len(diags) > 0 {
			b.Fatal(diags)
		}
	}
	b.ReportMetric(float64(len(files)), "files/op")
}
