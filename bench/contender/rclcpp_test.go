package contender

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/internal/peerbuild"
)

// sourced pretends that ROS 2 is, with a cmake that runs a script.
func sourced(t *testing.T, cmake string) {
	t.Helper()
	bin := t.TempDir()
	for name, script := range map[string]string{"cmake": cmake, "c++": "exit 1"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("AMENT_PREFIX_PATH", "/opt/ros/test")
}

// The messages are built first, and the program finds their libraries.
func TestBuildRclcpp(t *testing.T) {
	sourced(t, `
[ "$1" = -S ] && { [ -e "$2/CMakeLists.txt" ] && [ -e "$2/package.xml" ]; exit; }
case $2 in
*/gamepad_msgs) mkdir -p "$2/../../install/lib" ;;
*/rclcpp) mkdir -p "$2" && [ -d "$2/../../install/lib" ] && printf '#!/bin/sh\necho "$LD_LIBRARY_PATH" "$1"' >"$2/contender" && chmod +x "$2/contender" ;;
esac`)
	t.Setenv("LD_LIBRARY_PATH", "/opt/ros/test/lib")
	program, err := BuildRclcpp(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "argument").Output()
	if want := filepath.Join(filepath.Dir(program), "install", "lib") + ":/opt/ros/test/lib argument\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v; want %q", out, err, want)
	}
	if again, err := BuildRclcpp(t.Context()); again != program || err != nil {
		t.Errorf("built again: %s, %v", again, err)
	}
}

// What a failed attempt has found out does not decide about the next one.
func TestBuildRclcppAgain(t *testing.T) {
	sourced(t, `
[ "$1" = -S ] || exit 1
[ ! -e "$4/CMakeCache.txt" ] || { echo stale >&2; exit 1; }
mkdir -p "$4" && touch "$4/CMakeCache.txt"`)
	for range 2 {
		if _, err := BuildRclcpp(t.Context()); err == nil || strings.Contains(err.Error(), "stale") {
			t.Errorf("%v", err)
		}
	}
}

func TestBuildRclcppErrors(t *testing.T) {
	sourced(t, `echo "no such package" >&2; exit 1`)
	var missing *peerbuild.MissingError
	if _, err := BuildRclcpp(t.Context()); err == nil || errors.As(err, &missing) || !strings.Contains(err.Error(), "ROS 2 is sourced") || !strings.Contains(err.Error(), "no such package") {
		t.Errorf("a build that fails: %v", err)
	}
	t.Setenv("AMENT_PREFIX_PATH", "")
	if _, err := BuildRclcpp(t.Context()); !errors.As(err, &missing) {
		t.Errorf("without ROS 2: %v", err)
	}
}
