// Package doctest holds the documents against the code. Whole programs in README.md and docs are
// built and run as a user's would be, fragments of Go are compiled, plans and message definitions are
// read, command lines are held against the commands that there are, and the names that the text
// mentions against those that exist.
package doctest

import (
	"os"
	"path/filepath"
	"testing"
)

// documents returns README.md and everything in docs.
func documents(t *testing.T) []*document {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var docs []*document
	for _, file := range append(files, filepath.Join(root(t), "README.md")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := parse(filepath.Base(file), string(text))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	return docs
}

// root returns the directory of this module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// checks tells by the language of a block what proves it.
var checks = map[string]func(*testing.T, *document, block){
	"go":   checkGo,
	"ini":  checkUnit,
	"msg":  checkDefinition,
	"sh":   checkShell,
	"text": checkOutput,
	"yaml": checkPlan,
}

// Every block is of a kind that something checks here.
func TestBlocks(t *testing.T) {
	for _, d := range documents(t) {
		t.Run(d.name, func(t *testing.T) {
			for _, b := range d.blocks {
				check, ok := checks[b.language]
				if !ok {
					t.Errorf("%s: nothing checks blocks of %q", b.place(), b.language)
					continue
				}
				check(t, d, b)
			}
		})
	}
}

// checkOutput sees that the text is the output of something that is run; TestSessions compares.
func checkOutput(t *testing.T, d *document, b block) {
	if b.index == 0 || !d.blocks[b.index-1].runs() {
		t.Errorf("%s: the text does not follow commands that are run", b.place())
	}
}
