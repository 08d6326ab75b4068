package doctest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// docs/dependencies.md has a row for each module that go.mod requires directly or names as a tool,
// and for no other.
func TestDependencies(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	names := func(re, text string) (all []string) {
		for _, m := range regexp.MustCompile(re).FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)
		return all
	}
	mod := read("go.mod")
	want := append(names(`(?m)^\t(\S+) v\S+$`, mod), names(`(?m)^(?:tool |\t)(\S+)/cmd/\S+$`, mod)...)
	slices.Sort(want)
	got := names("(?m)^\\| `([^`/]+/[^`]+)` \\|", read("docs/dependencies.md"))
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("docs/dependencies.md explains\n%v\ngo.mod requires\n%v", got, want)
	}
}
