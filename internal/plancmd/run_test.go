package plancmd

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// Each plan in testdata gives its golden output, standard error behind standard output.
func TestGolden(t *testing.T) {
	plans, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(plans) < 3 {
		t.Fatalf("%v, %v", plans, err)
	}
	for _, plan := range plans {
		var out, errs bytes.Buffer
		code := Run([]string{"check", "--cpus=0-2", plan, "--topics", "testdata/topics.txt"}, nil, &out, &errs)
		got := out.String() + "---\n" + errs.String()
		golden := strings.TrimSuffix(plan, ".yaml") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s gives\n%s\nwant\n%s", plan, got, want)
		}
		if wantCode := exitFault; strings.Contains(plan, "good") != (code == exitOK) || code != exitOK && code != wantCode {
			t.Errorf("%s: exit code %d", plan, code)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"check testdata/good.yaml --cpus 0,1-2", exitOK, "chain reflex"},
		{"check --topics - testdata/good.yaml --cpus 0-2", exitFault, "no subscription uses topic /imu"},
		{"check testdata/good.yaml --cpus 0-1", exitFault, "testdata/good.yaml:14: background: CPU 2"},
		{"check testdata/good.yaml --cpus 3-1", exitFault, "a list such as 0-3,6"},
		{"check testdata/good.yaml --cpus 9999", exitFault, "a list such as 0-3,6"},
		{"check testdata/good.yaml --topics testdata/none", exitFault, "no such file"},
		{"check testdata/none.yaml", exitFault, "no such file"},
		{"--help", exitOK, "usage: pinion plan check"},
		{"check --help", exitOK, "usage: pinion plan check"},
		{"", exitUsage, "one thing to do"},
		{"draw", exitUsage, "one thing to do"},
		{"check", exitUsage, "a FILE is wanted"},
		{"check a b", exitUsage, "one FILE"},
		{"check a --speed 3", exitUsage, "not defined"},
	} {
		var out bytes.Buffer
		code := Run(strings.Fields(tt.args), strings.NewReader("/other\n"), &out, &out)
		if code != tt.code || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: code %d, %q in\n%s", tt.args, code, tt.want, out.String())
		}
	}
}
