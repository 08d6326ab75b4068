package peerbuild_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pinion-ros/pinion/internal/peerbuild"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
)

func TestBuild(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	built := 0
	build := func(files peerbuild.Files, tools string) string {
		t.Helper()
		dir, err := files.Build("peer", tools, func(dir string) error {
			built++
			source, err := os.ReadFile(filepath.Join(dir, "src", "main.c"))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, "peer"), source, 0o777))
		})
		if err != nil {
			t.Fatal(err)
		}
		if program, err := os.ReadFile(filepath.Join(dir, "peer")); err != nil || string(program) != string(files["src/main.c"]) {
			t.Errorf("%q, %v", program, err)
		}
		return dir
	}
	first := build(peerbuild.Files{"src/main.c": []byte("1")}, "gcc 1")
	long := time.Now().AddDate(0, -1, 0)
	if err := os.Chtimes(first, long, long); err != nil {
		t.Fatal(err)
	}
	if again := build(peerbuild.Files{"src/main.c": []byte("1")}, "gcc 1"); again != first || built != 1 {
		t.Errorf("built %d times, in %s and %s", built, first, again)
	}
	unused := build(peerbuild.Files{"src/main.c": []byte("1")}, "gcc 2")
	if err := os.Chtimes(unused, long, long); err != nil {
		t.Fatal(err)
	}
	build(peerbuild.Files{"src/main.c": []byte("2")}, "gcc 1")
	if built != 3 {
		t.Errorf("built %d times, want 3", built)
	}
	if _, err := os.Stat(first); err != nil {
		t.Errorf("what was used is gone: %v", err)
	}
	if _, err := os.Stat(unused); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what nobody has used for a month: %v", err)
	}
}

// What an attempt that failed has left behind is not there at the next.
func TestBuildFails(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for range 2 {
		_, err := peerbuild.Files{}.Build("peer", "", func(dir string) error {
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
				t.Errorf("begins with %v, %v", entries, err)
			}
			return errors.Join(os.WriteFile(filepath.Join(dir, "peer"), nil, 0o777), errors.ErrUnsupported)
		})
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v", err)
		}
	}
}

func TestAddIDL(t *testing.T) {
	files := peerbuild.Files{}
	loader := msggen.NewLoader(msggen.PlaceOf("here", fstest.MapFS{
		"own_msgs/package.xml": {Data: []byte("<package><name>own_msgs</name></package>")},
		"own_msgs/msg/Odd.msg": {Data: []byte("int32 Odd\n")},
	}), msggen.PlaceOf("the standard definitions", msgs.Definitions))
	if err := files.AddIDL(loader, "geometry_msgs/msg/TwistStamped", "std_msgs/msg/Header"); err != nil {
		t.Fatal(err)
	}
	want := []string{"builtin_interfaces__msg__Time.idl", "geometry_msgs__msg__Twist.idl", "geometry_msgs__msg__TwistStamped.idl",
		"geometry_msgs__msg__Vector3.idl", "std_msgs__msg__Header.idl"}
	if got := files.Names(".idl"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for name, want := range map[string]string{"no_msgs/msg/No": "no_msgs/msg/No", "own_msgs/msg/Odd": "own_msgs/msg/Odd has faults"} {
		if err := files.AddIDL(loader, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestRun(t *testing.T) {
	out, err := peerbuild.Run(t.Context(), t.TempDir(), []byte("in"), "sh", "-c", "cat; echo note >&2")
	if err != nil || string(out) != "in" {
		t.Errorf("%q, %v", out, err)
	}
	_, err = peerbuild.Run(t.Context(), ".", nil, "sh", "-c", "echo said; echo why >&2; exit 3")
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "said\nwhy\n") {
		t.Errorf("%v", err)
	}
	var missing *peerbuild.MissingError
	if err := peerbuild.Need("apt install it", "sh", "no-such-tool"); !errors.As(err, &missing) || missing.What != "no-such-tool" {
		t.Errorf("%v", err)
	}
}
