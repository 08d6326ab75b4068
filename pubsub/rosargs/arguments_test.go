package rosargs

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/pubsub"
)

func mustParse(t *testing.T, args ...string) (*Arguments, []string) {
	t.Helper()
	a, rest, err := Parse(args)
	if err != nil {
		t.Fatal(err)
	}
	return a, rest
}

func ruleTexts(rules []pubsub.Rule) []string {
	var texts []string
	for _, r := range rules {
		texts = append(texts, r.String())
	}
	return texts
}

func TestParse(t *testing.T) {
	a, rest := mustParse(t,
		"run", "-r", "--ros-args", "-r", "a:=b", "--remap", "n:__ns:=/x", "--ros-args", "--log-level", "WARN",
		"--log-level", "a.b:=debug", "--log-level", "a.b:=Error", "--", "-v", "--", "c:=d", "--enclave",
		"--ros-args", "-e", "/e", "--log-config-file", "f", "--log-file-name", "g",
		"--disable-stdout-logs", "--disable-rosout-logs", "--enable-rosout-logs", "--disable-external-lib-logs",
		"-r", "rosservice://s:=~/t")
	if want := []string{"run", "-r", "-v", "--", "--enclave"}; !slices.Equal(rest, want) {
		t.Errorf("rest %q, want %q", rest, want)
	}
	want := []string{"a:=b", "n:__ns:=/x", "c:=d", "rosservice://s:=~/t"}
	if got := ruleTexts(a.Rules); !slices.Equal(got, want) {
		t.Errorf("rules %q, want %q", got, want)
	}
	if !slices.Equal(a.Deprecated, []string{"c:=d"}) {
		t.Errorf("deprecated %q", a.Deprecated)
	}
	if a.LogLevel != Warn || !maps.Equal(a.LogLevels, map[string]LogLevel{"a.b": Error}) {
		t.Errorf("levels %v, %v", a.LogLevel, a.LogLevels)
	}
	if a.Enclave != "/e" || a.LogConfigFile != "f" || a.LogFileName != "g" {
		t.Errorf("%q, %q, %q", a.Enclave, a.LogConfigFile, a.LogFileName)
	}
	if !a.NoStdoutLogs || a.NoRosoutLogs || !a.NoExternalLibLogs {
		t.Errorf("%t, %t, %t", a.NoStdoutLogs, a.NoRosoutLogs, a.NoExternalLibLogs)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
		is   error
	}{
		{"x --ros-args --foo", `argument 2, "--foo": unknown ROS argument, "--" ends the arguments for ROS`, ErrUnknownArgument},
		{"--ros-args a:=b", `argument 1, "a:=b": unknown ROS argument, "--" ends the arguments for ROS`, ErrUnknownArgument},
		{"--ros-args --enable-logs", `argument 1, "--enable-logs": unknown ROS argument, "--" ends the arguments for ROS`, ErrUnknownArgument},
		{"--ros-args -r", `argument 1, "-r": its value is missing`, ErrMissingValue},
		{"--ros-args -r a:=", `argument 1, -r "a:=": remap rule "a:=": the end at byte 3 where a part of a name (letters, digits and single "_", no digit first; no wildcards, no braces) is wanted`, pubsub.ErrInvalidRule},
		{"--ros-args -p a.:=1", `argument 1, -p "a.:=1": parameter rule "a.:=1": ":" at byte 2 where a part of a name (letters, digits, "_" and "/", no digit first; no wildcards) is wanted`, pubsub.ErrInvalidRule},
		{"--ros-args -p a:=", `argument 1, -p "a:=": the value is missing, an empty string is written as ''`, nil},
		{"--ros-args --param a:={b:1}", `argument 1, --param "a:={b:1}": line 1: a value or a list of values is wanted here, not a map`, nil},
		{"--ros-args -e a", `argument 1, -e "a": enclave "a": it starts with "a" at byte 0 and has to start with "/"`, pubsub.ErrInvalidName},
		{"--ros-args --log-level loud", `argument 1, --log-level "loud": "loud" is no log level, use debug, info, warn, error, fatal or unset`, nil},
		{"--ros-args --log-level :=info", `argument 1, --log-level ":=info": the name of a logger is missing in front of ":="`, nil},
		{"--ros-args --params-file testdata/missing.yaml", `argument 1, --params-file "testdata/missing.yaml": open testdata/missing.yaml: no such file or directory`, nil},
	} {
		_, _, err := Parse(strings.Fields(c.args))
		if err == nil || err.Error() != c.want || !errors.As(err, new(*ArgumentError)) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		if c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v is not %v", err, c.is)
		}
	}
}

func TestParseLogLevel(t *testing.T) {
	for _, c := range []struct {
		text, logger string
		level        LogLevel
	}{
		{"info", "", Info},
		{"UNSET", "", Unset},
		{"rcl:=fatal", "rcl", Fatal},
		{"a.b 1/c:d:=warn", "a.b 1/c:d", Warn},
	} {
		logger, level, err := parseLogLevel(c.text)
		if logger != c.logger || level != c.level || err != nil {
			t.Errorf("%q: %q, %v, %v", c.text, logger, level, err)
		}
	}
	for _, text := range []string{"", "10", "a:=", "a:=b", "a:=b:=info", "a:=info ", "~:=info", "a=info"} {
		if logger, level, err := parseLogLevel(text); err == nil {
			t.Errorf("%q: %q, %v", text, logger, level)
		}
	}
}

func values(p pubsub.Params) map[string]any {
	return maps.Collect(p.All())
}

func TestParamsFile(t *testing.T) {
	a, _ := mustParse(t, "--ros-args", "--params-file", "testdata/params.yaml")
	all := map[string]any{"use_sim_time": true, "rate": int64(10), "frame": "5"}
	for node, more := range map[string]map[string]any{
		"/arm/driver": {
			"rate": int64(31), "limits.joint.one": []float64{1, 2}, "limits.two.enabled": false,
			"names": []string{"a", "1", "b c"}, "word": "5", "none": []any{},
		},
		"/arm/x":        {"rate": int64(31)},
		"/arm/x/y":      {},
		"/camera":       {"exposure": int64(-8), "gain": .5, "text": "5\n"},
		"/a/b/camera":   {"exposure": int64(-8), "gain": .5, "text": "5\n"},
		"/a/camera/b":   {},
		"/other":        {"rate": 1000.0},
		"/a/other":      {},
		"/arm":          {},
		"/arm_/driver2": {},
	} {
		want := maps.Clone(all)
		maps.Copy(want, more)
		if got := values(a.Params(node)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", node, got, want)
		}
	}
}

// The order is that of rcl: by the first mention of a node's name, not by that of a value.
func TestParamsOrder(t *testing.T) {
	for _, c := range []struct {
		args string
		want int64
	}{
		{"-p a:=1 -p n:a:=2", 2},
		{"-p n:a:=1 -p a:=2", 2},
		{"-p n:a:=1 -p a:=2 -p n:a:=3", 2},
		{"-p a:=1 -p a:=2", 2},
		{"-p a:=x -p a:=2", 2},
		{"--params-file n:1 -p a:=2", 2},
		{"-p a:=1 --params-file n:2", 2},
		{"-p a:=1 --params-file **:2", 2},
		{"--params-file n:1 --params-file **:2 --params-file n:3", 2},
	} {
		files := func(path string) ([]byte, error) {
			node, value, _ := strings.Cut(path, ":")
			return []byte("/" + node + ": {ros__parameters: {a: " + value + "}}"), nil
		}
		a, _, err := parse(strings.Fields("--ros-args "+c.args), files)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := pubsub.Param[int64](a.Params("/n"), "a"); got != c.want || err != nil {
			t.Errorf("%s: %d, %v, want %d", c.args, got, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("run\n--ros-args\n-r\na:=b\n-p\nn:a.b:=[1, 2]\n--\nc:=d", "")
	f.Add("--ros-args\n--params-file\nf\n--log-level\na:=info\n-e\n/e", "/**: {ros__parameters: {a: {b: [x]}}}")
	f.Add("--ros-args\n--disable-stdout-logs\n--log-file-name\nf\n--bad", "")
	f.Fuzz(func(t *testing.T, lines, file string) {
		args := strings.Split(lines, "\n")
		a, rest, err := parse(args, func(string) ([]byte, error) { return []byte(file), nil })
		if err != nil {
			var fault *ArgumentError
			if !errors.As(err, &fault) || fault.Index < 0 || fault.Index >= len(args) || args[fault.Index] != fault.Flag {
				t.Errorf("%q: %v", args, err)
			}
			return
		}
		if len(rest)+len(a.Rules) > len(args) {
			t.Errorf("%q: %d rules, rest %q", args, len(a.Rules), rest)
		}
		for name, v := range a.Params("/ns/n").All() {
			if v == nil || name == "" {
				t.Errorf("%q: parameter %q = %v", args, name, v)
			}
		}
	})
}
