package cdr

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// yaml-strings.tsv was made with PyYAML 6.0.3: a string, how its dumper writes it as value of a
// field, and how in brackets; each as a JSON string.
func TestYAMLString(t *testing.T) {
	data, err := os.ReadFile("testdata/yaml-strings.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var s, block, flow string
		for i, column := range strings.Split(strings.TrimSpace(line), "\t") {
			if err := json.Unmarshal([]byte(column), [...]*string{&s, &block, &flow}[i]); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		if got := string(appendYAMLString(nil, s, false, 2)); got != block {
			t.Errorf("%q: got %q, want %q", s, got, block)
		}
		if got := string(appendYAMLString(nil, s, true, 4)); got != flow {
			t.Errorf("%q in brackets: got %q, want %q", s, got, flow)
		}
	}
}

func TestYAMLStringNotUTF8(t *testing.T) {
	if got := string(appendYAMLString(nil, "a\xffb", false, 2)); got != "a\ufffdb" {
		t.Errorf("got %q", got)
	}
}
