package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/bench/suite"
)

func TestEmbedREADME(t *testing.T) {
	dir := t.TempDir()
	evidence := filepath.Join(dir, "bench", "evidence")
	if err := os.MkdirAll(evidence, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := WriteREADME(evidence, sample("multitopic"), 0, "spread"); err != nil {
		t.Fatal(err)
	}
	readme := filepath.Join(dir, "README.md")
	const before, after = "# x\n\n", "\nmore\n"
	if err := os.WriteFile(readme, []byte(before+readmeBegin+"old\n"+readmeEnd+after), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 { // doing it again changes nothing
		if err := EmbedREADME(readme, evidence); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(readme)
		if err != nil {
			t.Fatal(err)
		}
		block := strings.TrimSuffix(strings.TrimPrefix(string(text), before+readmeBegin), readmeEnd+after)
		if !strings.Contains(block, "| c listener | 39.8 | 39.8 |\n\n!["+plotTitle+"](bench/evidence/readme.svg)\n") || strings.Contains(block, "old") || strings.Contains(block, "more") {
			t.Errorf("the block is\n%s", block)
		}
	}
	if err := os.WriteFile(readme, []byte("no marks"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := EmbedREADME(readme, evidence); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(readmeBegin)) {
		t.Errorf("without marks: %v", err)
	}
}

// What the README shows is what the result beside it says.
func TestEvidence(t *testing.T) {
	const evidence = "../evidence/multitopic"
	r, err := suite.Read(evidence)
	if err != nil {
		t.Fatal(err)
	}
	var table, plot bytes.Buffer
	if err := README(&table, r, 20, "spread"); err != nil {
		t.Fatal(err)
	}
	if err := SVG(&plot, r, 20, "spread"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{readmeTable: table.Bytes(), readmePlot: plot.Bytes()} {
		if got, err := os.ReadFile(filepath.Join(evidence, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what result.json makes: run make evidence (%v)", name, err)
		}
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block, _, _ := strings.Cut(strings.SplitN(string(text), readmeBegin, 2)[1], readmeEnd)
	if !strings.HasPrefix(block, strings.TrimSpace(table.String())+"\n\n![") || !strings.HasSuffix(block, "](bench/evidence/multitopic/readme.svg)\n") {
		t.Errorf("README.md does not show it: run make evidence\n%s", block)
	}
	if r.Machine.CPU == "" || !strings.Contains(block, r.Machine.CPU) {
		t.Errorf("README.md does not name the machine, %q", r.Machine.CPU)
	}
}
