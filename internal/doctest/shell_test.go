package doctest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/internal/cli"
	"github.com/spf13/pflag"
)

// checkShell sees that bash can read the block, and that pinion and make know what is asked of them.
func checkShell(t *testing.T, d *document, b block) {
	t.Helper()
	cmd := exec.Command("bash", "-n")
	cmd.Stdin = strings.NewReader(b.text)
	var message bytes.Buffer
	cmd.Stderr = &message
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v: %s", b.place(), err, &message)
	}
	for _, words := range simpleCommands(b.text) {
		checkCommand(t, b.span, words, true)
	}
}

var (
	// word is a word of a command, a comment or an operator.
	word      = regexp.MustCompile(`'[^']*'|"[^"]*"|#[^\n]*|\\\n|\n|[|&;()<>]+|[^\s|&;()<>'"]+`)
	operator  = regexp.MustCompile(`^(\n|[|&;()]+)$`)
	setting   = regexp.MustCompile(`^[A-Z_]+=`)
	makeRules = regexp.MustCompile(`(?m)^([a-z0-9-]+)(?: [a-z0-9 -]+)?:`)
)

// simpleCommands splits a script at its operators. It knows as much of the syntax as the documents use.
func simpleCommands(text string) (all [][]string) {
	var words []string
	for _, w := range append(word.FindAllString(text, -1), "\n") {
		switch {
		case operator.MatchString(w):
			if len(words) > 0 {
				all = append(all, words)
			}
			words = nil
		case w[0] == '#' || w == "\\\n", len(words) == 0 && setting.MatchString(w):
		default:
			words = append(words, strings.Trim(w, `'"`))
		}
	}
	return all
}

// checkCommand looks at a command of pinion or make; complete tells that its arguments must suffice.
func checkCommand(t *testing.T, s span, words []string, complete bool) {
	t.Helper()
	switch filepath.Base(words[0]) {
	case "pinion":
		checkPinion(t, s, words[1:], complete)
	case "make":
		rules, err := os.ReadFile(filepath.Join(root(t), "Makefile"))
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range words[1:] {
			if regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(target) && target != "pinion" &&
				!slices.ContainsFunc(makeRules.FindAllStringSubmatch(string(rules), -1), func(m []string) bool { return m[1] == target }) {
				t.Errorf("%s: make has no target %s", s.place(), target)
			}
		}
	}
}

func checkPinion(t *testing.T, s span, args []string, complete bool) {
	t.Helper()
	if i := slices.IndexFunc(args, func(w string) bool { return strings.Trim(w, "<>") == "" }); i >= 0 {
		args = args[:i] // a redirection
	}
	root := cli.New()
	root.InitDefaultCompletionCmd()
	cmd, rest, err := root.Find(args)
	if err != nil {
		t.Errorf("%s: pinion %s: %v", s.place(), strings.Join(args, " "), err)
		return
	}
	if cmd.DisableFlagParsing {
		return
	}
	if err := cmd.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
		t.Errorf("%s: pinion %s: %v", s.place(), strings.Join(args, " "), err)
		return
	}
	rest = cmd.Flags().Args()
	if len(rest) > 0 && cmd.HasSubCommands() {
		t.Errorf("%s: %s has no command %s", s.place(), cmd.CommandPath(), rest[0])
	}
	if !complete {
		return
	}
	if err := cmd.ValidateArgs(rest); err != nil {
		t.Errorf("%s: pinion %s: %v", s.place(), strings.Join(args, " "), err)
	}
}
