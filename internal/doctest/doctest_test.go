// Package doctest holds the documents against the code: every Go program in README.md and docs is
// built and run as the main package of a module of its own, as a user's would be.
package doctest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// program is a fenced block that is a whole main package.
var program = regexp.MustCompile("(?ms)^```go\n(package main\n.*?)^```$")

func TestPrograms(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range append(files, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range program.FindAllStringSubmatch(string(text), -1) {
			found++
			t.Run(filepath.Base(file), func(t *testing.T) { run(t, root, m[1]) })
		}
	}
	if found == 0 {
		t.Error("no program in any document")
	}
}

// run builds and runs a program in a module that replaces pinion by this checkout.
func run(t *testing.T, root, source string) {
	t.Helper()
	dir := t.TempDir()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := strings.Cut(string(mod), "\n")
	write(t, dir, "go.mod", "module example.com/robot\n"+requires+
		"\nrequire github.com/pinion-ros/pinion v0.0.0\nreplace github.com/pinion-ros/pinion => "+root+"\n")
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "go.sum", string(sum))
	write(t, dir, "main.go", source)
	command(t, dir, "go", "build", "-mod=mod", "-o", "robot", ".")
	if out := command(t, dir, "./robot"); !strings.Contains(out, "hello") {
		t.Errorf("the program printed %q", out)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, dir string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ROS_LOCALHOST_ONLY=1", "ROS_DOMAIN_ID=197", "CYCLONEDDS_URI=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
