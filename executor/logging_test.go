package executor

import (
	"io"
	"os"
	"strings"
	"testing"
)

// A topic that was misspelt must show, whether or not the program asked for a log.
func TestDefaultLogger(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stderr := os.Stderr
	os.Stderr = w
	e, err := New(WithNoisyRuntime(), WithPlan(Plan{Lanes: []Lane{{Name: "l", Topics: []string{"/mispelt"}}}}))
	os.Stderr = stderr
	startExecutor(t, e, err)()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	w.Close()
	if text, err := io.ReadAll(r); err != nil || !strings.Contains(string(text), "no subscription uses topic /mispelt") {
		t.Errorf("standard error: %q, %v", text, err)
	}
}
