package msgcmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/internal/interfaces"
	"github.com/pinion-ros/pinion/msggen"
)

// finder finds the given files, by package/kind/Name.kind, and the standard interfaces.
func finder(t *testing.T, files map[string]string) *interfaces.Finder {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f, err := interfaces.NewFinder([]string{dir}, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var nesting = map[string]string{
	"robot/msg/Inner.msg": "# of the inner type\nint8 ONE=1  # one\n\nfloat64[3] v\t# of v\n",
	"robot/msg/Outer.msg": "# of the outer type\n\nInner[<=2] inners # many\nstring name \"a\" # its name\nbuiltin_interfaces/Time at\n",
	"robot/srv/Do.srv":    "# asked\nInner inner\n---\n# answered\nbool ok # done\n",
}

func TestShow(t *testing.T) {
	for _, c := range []struct {
		name, typ string
		comments  Comments
		want      string
	}{
		{"own comments", "robot/msg/Outer", OwnComments, `# of the outer type

Inner[<=2] inners # many
	int8 ONE=1
	float64[3] v
string name "a" # its name
builtin_interfaces/Time at
	int32 sec
	uint32 nanosec
`},
		{"no comments", "robot/Outer", NoComments, `Inner[<=2] inners
	int8 ONE=1
	float64[3] v
string name "a"
builtin_interfaces/Time at
	int32 sec
	uint32 nanosec
`},
		{"all comments", "robot/msg/Inner", AllComments, nesting["robot/msg/Inner.msg"]},
		{"all comments of a service", "robot/srv/Do", AllComments, `# asked
Inner inner
	# of the inner type
	int8 ONE=1  # one

	float64[3] v	# of v
---
# answered
bool ok # done
`},
		{"a service's request", "robot/srv/Do_Request", NoComments, `Inner inner
	int8 ONE=1
	float64[3] v
---
bool ok
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Show(finder(t, nesting), c.typ, c.comments)
			if err != nil {
				t.Fatal(err)
			}
			if s.Text != c.want {
				t.Errorf("got\n%s\nwant\n%s", s.Text, c.want)
			}
		})
	}
}

func TestShowErrors(t *testing.T) {
	files := map[string]string{
		"robot/msg/Bad.msg":     "int8 x\nint99 y\n",
		"robot/msg/Lacking.msg": "other_msgs/Thing x\n",
		"robot/msg/Loop.msg":    "Loop x\n",
	}
	for typ, want := range map[string]string{
		"robot/msg/Bad":     "Bad.msg:2",
		"robot/msg/Lacking": "-I",
		"robot/msg/Loop":    "Loop",
		"robot/msg/Nowhere": "robot/msg/Nowhere.msg is not found",
		"robot":             "robot",
		"":                  "",
	} {
		if _, err := Show(finder(t, files), typ, OwnComments); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", typ, err, want)
		}
	}
}

func TestList(t *testing.T) {
	f := finder(t, nesting)
	l, err := ListTypes(f, "robot", "std_srvs")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := l.Print(&out); err != nil {
		t.Fatal(err)
	}
	if want := "Messages:\n    robot/msg/Inner\n    robot/msg/Outer\nServices:\n    robot/srv/Do\n    std_srvs/srv/Empty\n    std_srvs/srv/SetBool\n    std_srvs/srv/Trigger\n"; out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	l.Keep(msggen.Action)
	if len(l.Messages)+len(l.Services)+len(l.Actions) != 0 {
		t.Errorf("kept %+v", l)
	}
	all, err := ListTypes(f)
	if err != nil || len(all.Messages) < 100 || len(all.Actions) == 0 {
		t.Errorf("all: %d messages, %v", len(all.Messages), err)
	}
}

func TestHashes(t *testing.T) {
	const want = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"
	got, err := Hashes(finder(t, nil), []string{"std_msgs/msg/String", "std_msgs/String"})
	if err != nil || len(got) != 2 || got[0].Hash != want || got[1].Hash != want {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
}
