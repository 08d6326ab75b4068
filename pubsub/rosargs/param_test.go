package rosargs

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/pubsub"
)

func TestParseParamRule(t *testing.T) {
	for _, c := range []struct {
		text string
		want ParamRule
	}{
		{"a:=1", ParamRule{"/**", "a", "1"}},
		{"n:a:=1", ParamRule{"n", "a", "1"}},
		{"a.b:=x", ParamRule{"/**", "a.b", "x"}},
		{"/a//b/:=x", ParamRule{"/**", "/a//b/", "x"}},
		{"a__ns:=1", ParamRule{"/**", "a__ns", "1"}}, // the parts a_ and _ns
		{"a__b:=:=", ParamRule{"/**", "a__b", ":="}},
		{"a:=", ParamRule{"/**", "a", ""}},
		{"n:/a:=\n", ParamRule{"n", "/a", "\n"}},
	} {
		if got, err := ParseParamRule(c.text); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{
		"", ":=1", "a", "a=1", "a :=1", "a.:=1", ".a:=1", "a..b:=1", "1a:=1", "/n:a:=1", "n:m:a:=1", "n::=1",
		"*:=1", "a.**:=1", "~/a:=1", "__node:=1", "rostopic://a:=1", "é:=1",
	} {
		if got, err := ParseParamRule(text); !errors.Is(err, pubsub.ErrInvalidRule) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestParseValue(t *testing.T) {
	for text, want := range map[string]any{
		"1": int64(1), "+5": int64(5), "-0x10": int64(-16), "010": int64(8), "0": int64(0),
		"-9223372036854775808": int64(math.MinInt64), "9223372036854775807": int64(math.MaxInt64),
		"9223372036854775808": 9223372036854775808.0, "08": 8.0,
		"1.5": 1.5, "1.": 1.0, ".5": .5, "1e3": 1e3, "0x1p2": 4.0, "0x1.8": 1.5,
		".inf": math.Inf(1), "-.INF": math.Inf(-1), "+.Inf": math.Inf(1), "-infinity": math.Inf(-1),
		"1_000": "1_000", "0b1": "0b1", "0o7": "0o7", "1e400": "1e400", "-.nan": "-.nan", "1e": "1e", "0x": "0x", "+-1": "+-1", "0x-1": "0x-1", ".": ".",
		"yes": true, "On": true, "y": true, "off": false, "N": false, "yEs": "yEs",
		"'yes'": "yes", `"1"`: "1", "''": "", "!!str 1": "1", "!!int '1'": "1", "~": "~", "null": "null", "a b": "a b", "# c\n1 # d": int64(1),
		"[]": []any{}, "[1, 2]": []int64{1, 2}, "[1.0, 2.]": []float64{1, 2}, "[yes, off]": []bool{true, false},
		"[a, '1']": []string{"a", "1"}, "- 1\n- 2": []int64{1, 2},
	} {
		if got, err := ParseValue(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %T %v, %v, want %T %v", text, got, got, err, want, want)
		}
	}
	for _, text := range []string{".NaN", "NaN", "-nan", "nan()", "+NAN(0x1_a)"} {
		if got, err := ParseValue(text); err != nil || !math.IsNaN(got.(float64)) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"nan(", "nan(-)", "nan()x", "(nan)"} {
		if got, err := ParseValue(text); err != nil || got != any(text) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":             "the value is missing, an empty string is written as ''",
		"# nothing":    "the value is missing, an empty string is written as ''",
		"[1, 2.0]":     `line 1: "2.0" in a list that starts with "1", write all items as one type (1.0, 'text')`,
		"[1,\n]\n]":    "",
		"[[1]]":        "line 1: a list in a list, parameters have one level only",
		"[a, ]\n--- b": "more than one YAML document, give a single value",
		"a: b":         "line 1: a value or a list of values is wanted here, not a map",
		"[&a 1, *a]":   "line 1: aliases (*name) are not allowed, repeat the value",
		"[1":           "",
		"[a, !!str ]":  "line 1: the value is missing, an empty string is written as ''",
	} {
		if got, err := ParseValue(text); err == nil || want != "" && err.Error() != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestFileErrors(t *testing.T) {
	long := strings.Repeat("a", 300)
	for file, want := range map[string]string{
		"a":                             "line 1: a map is wanted here: a node's name, below it ros__parameters, below it the parameters",
		"n:\n  a: 1":                    "line 2: a map is wanted here: a node's name, below it ros__parameters, below it the parameters",
		"ros__parameters: {a: 1}":       "line 1: there is no name of a node above ros__parameters, use /** for all nodes",
		"n:\n  ros__parameters:":        "line 2: below ros__parameters a map of parameters is wanted, {} if there are none",
		"n: {ros__parameters: [1]}":     "line 1: below ros__parameters a map of parameters is wanted, {} if there are none",
		"1n: {ros__parameters: {}}":     `line 1: node "1n": node name "1n": "1" at byte 0 starts a part of the name, start it with a letter or "_"`,
		"a//n: {ros__parameters: {}}":   `line 1: node "a//n": node name "": it is empty, give it at least one letter`,
		"a/***: {ros__parameters: {}}":  `line 1: node "a/***": node name "***": "*" at byte 0 is not allowed, use letters, digits and "_"`,
		"n: {ros__parameters: {a:\n }}": `parameter "a": line 2: the value is missing, an empty string is written as ''`,
		"n:\n  ros__parameters:\n    a:\n      b: [1, x]":         `parameter "a.b": line 4: "x" in a list that starts with "1", write all items as one type (1.0, 'text')`,
		"n: {ros__parameters: {[a]: 1}}":                          "line 1: a name is wanted as key",
		"n: {ros__parameters: {'': 1}}":                           "line 1: a name is wanted as key",
		"n: {ros__parameters: {a: &x 1, b: *x}}":                  `parameter "b": line 1: aliases (*name) are not allowed, repeat the value`,
		"n: {ros__parameters: {" + long + ": {" + long + ": 1}}}": "line 1: the name of a parameter is too long",
		long + ": {" + long + ": {ros__parameters: {}}}":          "line 1: the name of a node is too long",
		"n: [": "",
	} {
		var o overrides
		if err := o.addFile([]byte(file)); err == nil || want != "" && err.Error() != want {
			t.Errorf("%.60q:\ngot  %v\nwant %s", file, err, want)
		}
	}
}

func TestFileDocuments(t *testing.T) {
	var o overrides
	for _, file := range []string{"", "# nothing", "n: {}", "n: {ros__parameters: {a: {}}}",
		"n: {ros__parameters: {a: 1}}\n---\nn: {ros__parameters: {b: 2}}\n"} {
		if err := o.addFile([]byte(file)); err != nil {
			t.Errorf("%q: %v", file, err)
		}
	}
	want := map[string]any{"a": int64(1), "b": int64(2)}
	if got := values(o.forNode("/n")); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The name of a node in a file may be a pattern, and lack its slash.
func TestFileNodes(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"/**", "/n", true}, {"/**", "/a/b/n", true}, {"/*", "/n", true}, {"/*", "/a/n", false},
		{"n", "/n", true}, {"n", "/a/n", false}, {"a/n", "/a/n", true}, {"/a/**", "/a", true},
		{"/**/n", "/n", true}, {"/**/n", "/a/b/n", true}, {"/**/n", "/a/n/b", false},
		{"/**/a/*/n", "/a/a/x/n", true}, {"/**/a/**/n", "/a/x/a/y/n", true}, {"/*/*", "/a", false},
		{"/**/**", "/a", true}, {"/a/**/b/**", "/a/x/b", true},
	} {
		var o overrides
		if err := o.addFile([]byte(c.pattern + ": {ros__parameters: {a: 1}}")); err != nil {
			t.Error(err)
		}
		if got := len(values(o.forNode(c.name))) == 1; got != c.want {
			t.Errorf("%s on %s: %t", c.pattern, c.name, got)
		}
	}
}
