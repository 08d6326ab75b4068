package msggencli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

// result is what a run of the command leaves.
type result struct {
	code           int
	stdout, stderr string
}

func run(t *testing.T, stdin string, env map[string]string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Main(args, Env{
		Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(name string) string { return env[name] },
	})
	return result{code, stdout.String(), stderr.String()}
}

// tree writes files into a new folder and makes it the current one.
func tree(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// listing returns the files below the current folder that have the given end.
func listing(t *testing.T, suffix string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, suffix) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestExitCodes(t *testing.T) {
	tests := []struct {
		name   string
		args   string
		code   int
		stderr string // words
	}{
		{"nothing", "", 2, "usage msggen"},
		{"help", "help", 0, ""},
		{"help of a command", "hash -h", 0, ""},
		{"unknown flag", "gen -x p", 2, "-x usage"},
		{"no arguments", "check", 2, "name usage"},
		{"good", "check p", 0, ""},
		{"good without a command", "p", 0, ""},
		{"flags behind arguments", "idl p -flavour ros", 0, ""},
		{"faulty", "check bad", 1, "bad/msg/B.msg:1:1: float64"},
		{"every fault", "check bad p2", 1, "bad/msg/B.msg:1:1: p2/msg/C.msg:1:1: searched"},
		{"nothing there", "check nowhere", 1, "nowhere searched"},
		{"no such path", "gen ./nowhere", 1, "./nowhere no such file"},
		{"folder without definitions", "check empty", 1, "empty .msg"},
		{"other file", "check empty/x.txt", 1, "x.txt .msg"},
		{"no flavour", "idl p", 2, "-flavour"},
		{"wrong flavour", "idl -flavour c p", 2, "\"c\" ros dds"},
		{"idl-out alone", "gen -idl-out x p", 2, "-idl"},
		{"no import path", "gen -module ../x p", 2, "-module \"../x\""},
		{"wrong type name", "hash String", 1, "\"String\" package/msg/Name"},
		{"wrong kind", "hash std_msgs/message/String", 1, "\"message\" msg srv action"},
		{"unknown type", "hash std_msgs/msg/Nothing", 1, "std_msgs/msg/Nothing.msg searched -I"},
		{"two types", "encode std_msgs/msg/Bool std_msgs/msg/Bool", 2, "one type"},
		{"service", "encode std_srvs/srv/SetBool", 1, "_Request"},
		{"wrong include folder", "hash -I nowhere std_msgs/msg/Bool", 1, "-I nowhere folder"},
		{"format", "parse p/msg/A.msg", 2, "--format json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree(t, map[string]string{
				"go.mod":         "module example.com/m\n",
				"p/msg/A.msg":    "int32 a\nstd_msgs/Header h\n",
				"bad/msg/B.msg":  "double a\n",
				"p2/msg/C.msg":   "q/D d\n",
				"empty/x.txt":    "",
				"empty/.git/msg": "",
			})
			got := run(t, "{}", nil, strings.Fields(tt.args)...)
			if got.code != tt.code {
				t.Errorf("exit code %d, want %d: %s", got.code, tt.code, got.stderr)
			}
			if (got.stderr == "") != (tt.stderr == "") {
				t.Errorf("standard error %q", got.stderr)
			}
			for _, word := range strings.Fields(tt.stderr) {
				if !strings.Contains(got.stderr, word) {
					t.Errorf("%q does not say %q", got.stderr, word)
				}
			}
			if tt.code != 0 && got.stdout != "" {
				t.Errorf("standard output %q in spite of a fault", got.stdout)
			}
			if code := listing(t, ".go"); tt.code != 0 && code != nil {
				t.Errorf("files %v in spite of a fault", code)
			}
		})
	}
}

func TestHash(t *testing.T) {
	got := run(t, "", nil, "hash", "std_msgs/msg/String", "std_srvs/srv/SetBool_Event")
	want := "std_msgs/msg/String\tRIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18\n" +
		"std_srvs/srv/SetBool_Event\tRIHS01_3c4c20015afb4303eafd347b1d6a786f171a89c814726961a9593ef10df878cf\n"
	if got.code != 0 || got.stdout != want {
		t.Errorf("%+v, want %s", got, want)
	}
}

// TestHashFaults asks for several types that are faulty for the same reason.
func TestHashFaults(t *testing.T) {
	tree(t, map[string]string{"p/msg/A.msg": "double a\n", "p/msg/B.msg": "A a\n", "p/msg/C.msg": "B b\nint32 Q\n"})
	got := run(t, "", nil, "hash", "-I", ".", "p/msg/A", "p/msg/B", "p/msg/No", "p/msg/C", "std_msgs/msg/Bool")
	for _, part := range []string{"p/msg/A.msg:1:1: ", "p/msg/C.msg:2:7: ", "p/msg/No.msg is not found"} {
		if strings.Count(got.stderr, part) != 1 {
			t.Errorf("not once %q", part)
		}
	}
	if got.code != 1 || got.stdout != "" {
		t.Errorf("%+v", got)
	}
}

func TestSearch(t *testing.T) {
	tree(t, map[string]string{
		"inc/p/msg/A.msg":                "int32 first\n",
		"ament/share/p/msg/A.msg":        "int32 second\n",
		"ament/share/q/msg/B.msg":        "p/A a\n",
		"other/share/q/msg/B.msg":        "int64 hidden\n",
		"other/share/std_msgs/msg/N.msg": "String s\n",
	})
	env := map[string]string{"AMENT_PREFIX_PATH": "ament:other:nowhere"}
	tests := []struct{ typ, json, hex string }{
		{"p/msg/A", `{"first":1}`, "0001000001000000"},
		{"q/msg/B", `{"a":{"first":2}}`, "0001000002000000"},
		{"std_msgs/msg/N", `{"s":{"data":""}}`, "000100000100000000"},
	}
	for _, tt := range tests {
		got := run(t, tt.json, env, "encode", "-I", "inc", tt.typ)
		if got.code != 0 || got.stdout != tt.hex+"\n" {
			t.Errorf("%s: %+v, want %s", tt.typ, got, tt.hex)
		}
	}
}

func TestVectors(t *testing.T) {
	table, err := os.ReadFile("testdata/cdr-vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	vectors := 0
	for line := range strings.Lines(string(table)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || cells[0] == "type" {
			continue
		}
		vectors++
		typ, text, digits := cells[0], cells[1], cells[2]
		if got := run(t, text, nil, "encode", typ); got.code != 0 || got.stdout != digits+"\n" {
			t.Errorf("encode %s %s: %+v, want %s", typ, text, got, digits)
		}
		got := run(t, digits, nil, "decode", typ)
		if got.code != 0 || !reflect.DeepEqual(parsed(t, got.stdout), parsed(t, text)) {
			t.Errorf("decode %s: %+v, want %s", typ, got, text)
		}
	}
	if vectors < 50 {
		t.Errorf("%d vectors", vectors)
	}
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestBadMessages(t *testing.T) {
	for _, tt := range []struct{ command, input, want string }{
		{"encode", `{"data": 5}`, "data"},
		{"encode", `{"dat": ""}`, "dat"},
		{"encode", `{`, "std_msgs/msg/String"},
		{"decode", "00zz", "hexadecimal"},
		{"decode", "0001000005000000", "std_msgs/msg/String"},
	} {
		got := run(t, tt.input, nil, tt.command, "std_msgs/msg/String")
		if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%s %s: %+v", tt.command, tt.input, got)
		}
	}
}

func TestParse(t *testing.T) {
	tree(t, map[string]string{
		"p/msg/A.msg":   "# note\n\nstring<=5[<=3] a ['<']  # [m]\nuint64 X=18446744073709551615\nfloat32 y -inf\nstring z ''\nbool[] e []\n",
		"p/srv/S.srv":   "---\ntime t\n",
		"p/msg/B.msg":   "int32\n \u00a0x",
		"q/package.xml": "<package><name>real</name></package>",
		"q/msg/C.msg":   "Self a\n",
	})
	got := run(t, "", nil, "parse", "--format", "json", "p/msg/A.msg", "p/srv/S.srv", "p/msg/B.msg", "q/msg/C.msg", "none.msg")
	want := `{"file":"p/msg/A.msg","package":"p","kind":"msg","name":"A","sections":[{"name":"message","comment":["note"],"members":[` +
		`{"member_kind":"field","type":"string<=5","array":"bounded:3","name":"a","value":["<"],"comment":[],"unit":"m"},` +
		`{"member_kind":"constant","type":"uint64","array":"-","name":"X","value":18446744073709551615,"comment":[],"unit":null},` +
		`{"member_kind":"field","type":"float32","array":"-","name":"y","value":"-Infinity","comment":[],"unit":null},` +
		`{"member_kind":"field","type":"string","array":"-","name":"z","value":"","comment":[],"unit":null},` +
		`{"member_kind":"field","type":"bool","array":"unbounded","name":"e","value":[],"comment":[],"unit":null}]}]}
{"file":"p/srv/S.srv","package":"p","kind":"srv","name":"S","sections":[{"name":"request","comment":[],"members":[]},` +
		`{"name":"response","comment":[],"members":[{"member_kind":"field","type":"time","array":"-","name":"t","comment":[],"unit":null}]}],` +
		`"errors":[{"line":2,"column":1,"message":"ROS 2 has no time in IDL; use builtin_interfaces/Time","stage":"idl"}]}
{"file":"p/msg/B.msg","errors":[` +
		`{"line":1,"column":1,"message":"\"int32\" is a single word; write a type, a blank and a name","stage":"parse"},` +
		`{"line":2,"column":1,"message":"the line starts with a blank; start definitions in column 1","stage":"parse"}]}
{"file":"q/msg/C.msg","package":"real","kind":"msg","name":"C","sections":[{"name":"message","comment":[],"members":[` +
		`{"member_kind":"field","type":"real/Self","array":"-","name":"a","comment":[],"unit":null}]}]}
{"file":"none.msg","errors":[{"line":1,"column":1,"message":"open none.msg: no such file or directory","stage":"parse"}]}
`
	if got.code != 1 || got.stdout != want || got.stderr != "" {
		t.Errorf("got\n%s\nwant\n%s\n%s", got.stdout, want, got.stderr)
	}
}

func TestGenFolders(t *testing.T) {
	source := map[string]string{
		"go.mod":                     "module example.com/m // comment\n",
		"ws/p/msg/A.msg":             "q/B b\nstd_msgs/Header h\n",
		"ws/p/srv/S.srv":             "---\n",
		"ws/q/msg/B.msg":             "int32 a\n",
		"ws/q/install/msg/B.msg":     "int32 a\n",
		"ws/q/install/COLCON_IGNORE": "",
	}
	const imports = "gen/p/a_msg.go"
	tests := []struct {
		name string
		args string
		want []string
		path string // that a_msg.go imports q by
	}{
		{"beside the definitions", "ws", []string{"ws/p/a_msg.go", "ws/p/doc.go", "ws/p/s_srv.go", "ws/q/b_msg.go", "ws/q/doc.go"}, "example.com/m/ws/q"},
		{"into a folder", "-out gen ws", []string{imports, "gen/p/doc.go", "gen/p/s_srv.go", "gen/q/b_msg.go", "gen/q/doc.go"}, "example.com/m/gen/q"},
		{"folder of the package", "gen -out gen/p -I ws ws/p/msg/A.msg", []string{imports, "gen/p/doc.go"}, "example.com/m/gen/q"},
		{"module", "gen -out gen -module other.org/x -I ws ws/p/msg", []string{imports, "gen/p/doc.go"}, "other.org/x/q"},
		{"packages", "gen -I ws p", []string{"p/a_msg.go", "p/doc.go", "p/s_srv.go"}, "example.com/m/q"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree(t, source)
			if got := run(t, "", nil, strings.Fields(tt.args)...); got.code != 0 {
				t.Fatal(got.stderr)
			}
			files := listing(t, ".go")
			if !reflect.DeepEqual(files, tt.want) {
				t.Errorf("files %v, want %v", files, tt.want)
			}
			code, err := os.ReadFile(files[0])
			if err != nil || !strings.Contains(string(code), `"`+tt.path+`"`) ||
				!strings.Contains(string(code), `"github.com/pinion-ros/pinion/msgs/std_msgs"`) {
				t.Errorf("%s imports other than %s, %v:\n%s", files[0], tt.path, err, code)
			}
		})
	}
}

// TestGenFromAnywhere names the same package from several folders and in unusual layouts. The code
// lies in the folder of the package each time.
func TestGenFromAnywhere(t *testing.T) {
	const manifest = "<?xml version='1.0' encoding='ISO-8859-1'?><package><name>p</name><author>Andr\xe9</author></package>"
	plain := map[string]string{"go.mod": "module m\n", "ws/p/msg/A.msg": "B b\n", "ws/p/msg/B.msg": "int32 a\n"}
	odd := map[string]string{"go.mod": "module m\n", "ws/p/package.xml": manifest,
		"ws/p/msg/B.msg": "int32 a\n", "ws/p/msg/more/A.msg": "B b\n", "ws/p/C.msg": "A a\n"}
	tests := []struct {
		name   string
		files  map[string]string
		folder string // the current one
		arg    string
		want   []string
	}{
		{"file beside", plain, "ws/p/msg", "A.msg", []string{"a_msg.go", "doc.go"}},
		{"this folder", plain, "ws/p/msg", ".", []string{"a_msg.go", "b_msg.go", "doc.go"}},
		{"folder above", plain, "ws/p/msg", "..", []string{"a_msg.go", "b_msg.go", "doc.go"}},
		{"package folder", plain, "ws/p", ".", []string{"a_msg.go", "b_msg.go", "doc.go"}},
		{"odd layout", odd, "ws", "p", []string{"a_msg.go", "b_msg.go", "c_msg.go", "doc.go"}},
		{"odd file", odd, "ws/p/msg/more", "A.msg", []string{"a_msg.go", "doc.go"}},
		{"odd file, package named", odd, "ws/p", "C.msg", nil}, // A is not where ROS 2 has it
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree(t, tt.files)
			top, err := os.Getwd()
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(tt.folder)
			got := run(t, "", nil, tt.arg)
			t.Chdir(top)
			var want []string
			for _, name := range tt.want {
				want = append(want, "ws/p/"+name)
			}
			if files := listing(t, ".go"); !reflect.DeepEqual(files, want) || (got.code == 0) != (want != nil) {
				t.Errorf("files %v, want %v\n%+v", files, want, got)
			}
		})
	}
}

// TestLinks checks a workspace into which packages are linked, one of them twice.
func TestLinks(t *testing.T) {
	tree(t, map[string]string{
		"p/package.xml": "<package><name>p</name></package>", "p/msg/A.msg": "int32 a\n",
		"lib/B.msg": "int32\n", "ws/src/q/srv/S.srv": "p/A a\n---\n",
	})
	for link, to := range map[string]string{
		"ws/src/one": "../../p", "ws/src/two": "../../p", "ws/src/up": "..", "ws/src/q/msg": "../../../lib", "ws/src/gone": "nowhere",
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	got := run(t, "", nil, "check", "ws")
	if lines := strings.Count(got.stderr, "\n"); got.code != 1 || lines != 1 || !strings.HasPrefix(got.stderr, "ws/src/q/msg/B.msg:1:1: ") {
		t.Errorf("%+v", got)
	}
}

// TestNoFiles checks names of definitions that stand for something that must not be read.
func TestNoFiles(t *testing.T) {
	tree(t, map[string]string{"p/msg/A.msg": "B b\n", "p/package.xml": "<package><name>p</name></package>"})
	for what, make := range map[string]func(path string) error{
		"no regular file":    func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"no regular file\n":  func(path string) error { return os.Symlink("/dev/zero", path) },
		"bytes, more than":   func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 1<<40)) },
		"no such file":       func(path string) error { return os.Symlink("B.msg", path+"x") },
		"too many levels":    func(path string) error { return os.Symlink("B.msg", path) },
		"is a folder where ": func(path string) error { return os.Symlink("..", path) },
	} {
		if err := errors.Join(os.RemoveAll("p/msg/B.msg"), make("p/msg/B.msg")); err != nil {
			t.Fatal(err)
		}
		for _, args := range []string{"check p/msg/B.msg", "check p/msg/A.msg", "parse --format json p/msg/B.msg", "hash -I . p/msg/B"} {
			got := run(t, "", nil, strings.Fields(args)...)
			text := got.stdout + got.stderr
			if got.code != 1 || strings.Count(text, "\n") != 1 || !strings.Contains(text, "B.msg") {
				t.Errorf("%s, %s: %+v", what, args, got)
			}
			if want := strings.TrimSpace(what); !strings.Contains(text, want) && !strings.Contains(text, "not found") {
				t.Errorf("%s does not say %q: %+v", args, want, got)
			}
		}
	}
}

func TestGenKeepsDoc(t *testing.T) {
	const byHand = "// Package p is mine.\n//\n//go:generate go tool msggen .\npackage p\n"
	tree(t, map[string]string{"p/msg/A.msg": "int32 a\n", "p/doc.go": byHand})
	got := run(t, "", nil, "p")
	if text, err := os.ReadFile("p/doc.go"); got.code != 0 || string(text) != byHand || len(listing(t, ".go")) != 2 {
		t.Errorf("%+v, %v\n%s", got, err, text)
	}
}

// TestGenStale leaves code behind by removing definitions.
func TestGenStale(t *testing.T) {
	const mine = "// Code generated by msggen from q/msg/A.msg. DO NOT EDIT.\npackage p\n"
	tree(t, map[string]string{"p/msg/A.msg": "int32 a\n", "p/msg/Old.msg": "int32 a\n", "p/srv/S.srv": "---\n",
		"p/by_hand.go": "package p\n", "p/other.go": mine, "p/empty.go": ""})
	if got := run(t, "", nil, "p"); got.code != 0 || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	if err := errors.Join(os.Remove("p/msg/Old.msg"), os.Rename("p/s_srv.go", "p/renamed_srv.go")); err != nil {
		t.Fatal(err)
	}
	const oldFault = "p/old_msg.go: its definition p/msg/Old is gone; remove this file\n"
	const nameFault = "p/renamed_srv.go: p/srv/S is in s_srv.go now; remove this file\n"
	if got := run(t, "", nil, "p"); got.code != 0 || got.stderr != oldFault+nameFault {
		t.Errorf("all: %+v", got)
	}
	if got := run(t, "", nil, "p/msg/A.msg"); got.code != 0 || got.stderr != oldFault {
		t.Errorf("one file: %+v", got)
	}
}

// TestGenSpreadPackage generates a package of which -I has more.
func TestGenSpreadPackage(t *testing.T) {
	tree(t, map[string]string{"p/msg/A.msg": "B[] b\n", "more/p/msg/B.msg": "int32 a\n"})
	if got := run(t, "", nil, "-I", "more", "p"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	if code, err := os.ReadFile("p/a_msg.go"); err != nil || !strings.Contains(string(code), "B []B") {
		t.Errorf("%v\n%s", err, code)
	}
}

func TestGenWithoutModule(t *testing.T) {
	tree(t, map[string]string{"p/msg/A.msg": "q/B b\n", "q/msg/B.msg": "int32 a\n"})
	got := run(t, "", nil, "p", "q")
	if got.code != 1 || !strings.Contains(got.stderr, "-module") || listing(t, ".go") != nil {
		t.Errorf("%+v", got)
	}
}

func TestGenAgainstOtherRelease(t *testing.T) {
	tree(t, map[string]string{
		"p/msg/A.msg":                       "std_msgs/Bool b\n",
		"ament/share/std_msgs/msg/Bool.msg": "bool data\nint32 more\n",
	})
	env := map[string]string{"AMENT_PREFIX_PATH": "ament"}
	got := run(t, "", env, "gen", "p")
	if got.code != 1 || !strings.Contains(got.stderr, "Bool.msg differs") || listing(t, ".go") != nil {
		t.Errorf("%+v", got)
	}
	if got := run(t, "", env, "gen", "-out", "gen", "-module", "example.com/gen", "p", "std_msgs"); got.code != 0 {
		t.Errorf("with the package: %+v", got)
	}
}

func TestGenIDL(t *testing.T) {
	tree(t, map[string]string{"p/msg/A.msg": "int32 a\n", "p/srv/S.srv": "---\n"})
	if got := run(t, "", nil, "gen", "-idl", "ros", "p"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	if got, want := listing(t, ".idl"), []string{"p/msg/A.idl", "p/srv/S.idl"}; !reflect.DeepEqual(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	beside, err := os.ReadFile("p/msg/A.idl")
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, "", nil, "idl", "-flavour", "ros", "p/msg/A.msg")
	if got.code != 0 || got.stdout != string(beside) {
		t.Errorf("%+v, want %s", got, beside)
	}
	for _, args := range []string{"gen -idl dds p", "gen -idl dds -idl-out out p", "idl -flavour dds -out out2 p"} {
		if got := run(t, "", nil, strings.Fields(args)...); got.code != 0 {
			t.Errorf("%s: %+v", args, got)
		}
	}
	for _, file := range []string{"p/p__msg__A.idl", "out/p__msg__A.idl", "out2/p__msg__A.idl"} {
		if text, err := os.ReadFile(file); err != nil || bytes.Equal(text, beside) {
			t.Errorf("%s: %s, %v", file, text, err)
		}
	}
}

func TestWriteFiles(t *testing.T) {
	tree(t, map[string]string{"same": "x", "changed": "y", "folder/file": ""})
	before, err := os.Stat("same")
	if err != nil {
		t.Fatal(err)
	}
	err = writeFiles([]outFile{{"same", []byte("x")}, {"changed", []byte("z")}, {"new/deep/file", []byte("n")}})
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat("same")
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the file that did not change is another one, %v", err)
	}
	// A folder stands where a file shall be: nothing changes.
	err = writeFiles([]outFile{{"changed", []byte("w")}, {"folder", []byte("f")}})
	if text, _ := os.ReadFile("changed"); err == nil || string(text) != "z" {
		t.Errorf("changed to %s, %v", text, err)
	}
	if got, want := listing(t, ""), []string{"changed", "folder/file", "new/deep/file", "same"}; !reflect.DeepEqual(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

// TestGeneratedCodeCompiles builds the code of a package of its own together with the shipped one
// that it needs.
func TestGeneratedCodeCompiles(t *testing.T) {
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tree(t, map[string]string{
		"go.mod":            "module example.com/m\n\ngo 1.26\n\nrequire github.com/pinion-ros/pinion v0.0.0\n\nreplace github.com/pinion-ros/pinion => " + module + "\n",
		"p/msg/A.msg":       "q/B b\nstd_msgs/Header h\nstring X=\"a\\tb\"\n",
		"p/action/F.action": "int32 n 5\n---\nint32[] s\n---\nA a\n",
		"q/msg/B.msg":       "int32 id # @key\n",
	})
	if got := run(t, "", nil, "p", "q"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	build := exec.Command("go", "vet", "./...")
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "CGO_ENABLED=0", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
