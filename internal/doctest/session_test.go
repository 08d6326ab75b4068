package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The commands of a document that are to be run are run in their order by one shell, in an empty
// folder beside a checkout of pinion, as a user's would be.
func TestSessions(t *testing.T) {
	bin := t.TempDir()
	command(t, root(t), nil, "go", "build", "-o", bin+"/", "./cmd/pinion")
	found := 0
	for _, d := range documents(t) {
		if !hasSession(d) {
			continue
		}
		found++
		t.Run(d.name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "user")
			write(t, parent, "session.sh", script(d))
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(root(t), filepath.Join(dir, "pinion")); err != nil {
				t.Fatal(err)
			}
			env := append(alone(t), "PATH="+bin+":"+os.Getenv("PATH"))
			out := command(t, dir, env, "bash", "../session.sh")
			compare(t, d, strings.Split(out, separator+"\n"))
		})
	}
	if found == 0 {
		t.Error("no document has commands that are run")
	}
}

func hasSession(d *document) bool {
	for _, b := range d.blocks {
		if b.runs() {
			return true
		}
	}
	return false
}

// separator stands in the output between that of blocks.
const separator = "-- end of block --"

// script has a part for each block, an empty one for those that are not run.
func script(d *document) string {
	var s strings.Builder
	s.WriteString("set -eu\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n")
	for _, b := range d.blocks {
		switch name := b.file(); {
		case name != "":
			fmt.Fprintf(&s, "cat >%s <<'END OF FILE'\n%sEND OF FILE\n", name, b.text)
		case b.runs():
			s.WriteString(b.text)
		}
		fmt.Fprintf(&s, "echo '%s'\n", separator)
	}
	return s.String()
}

// compare holds output against the blocks of text, in which a line of three dots stands for any lines.
func compare(t *testing.T, d *document, outputs []string) {
	t.Helper()
	for i, b := range d.blocks {
		if b.language != "text" {
			continue
		}
		if got := outputs[i-1]; !matches(strings.Split(got, "\n"), strings.Split(b.text, "\n")) {
			t.Errorf("%s: the output is\n%s", b.place(), got)
		}
	}
}

func matches(got, want []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "...":
		for i := range len(got) + 1 {
			if matches(got[i:], want[1:]) {
				return true
			}
		}
		return false
	default:
		return len(got) > 0 && strings.TrimRight(got[0], " ") == strings.TrimRight(want[0], " ") && matches(got[1:], want[1:])
	}
}
