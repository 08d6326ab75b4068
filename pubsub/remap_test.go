package pubsub

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func describeRule(r Rule) string {
	var parts []string
	switch r.Target {
	case RemapTopics | RemapServices:
		parts = append(parts, "topic+service")
	case RemapTopics:
		parts = append(parts, "topic")
	case RemapServices:
		parts = append(parts, "service")
	case RemapNode:
		parts = append(parts, "nodename")
	case RemapNamespace:
		parts = append(parts, "namespace")
	}
	if r.Node != "" {
		parts = append(parts, fmt.Sprintf("node=%q", r.Node))
	}
	if r.Match != "" {
		parts = append(parts, fmt.Sprintf("match=%q", r.Match))
	}
	return strings.Join(append(parts, fmt.Sprintf("to=%q", r.Replacement)), " ")
}

func TestParseRuleReference(t *testing.T) {
	for _, c := range readNameCases(t, "remap_rule") {
		rule, err := ParseRule(c.input)
		code, result := returnCode(t, err), ""
		if err == nil {
			result = describeRule(rule)
		}
		if code != c.code || result != c.result {
			t.Errorf("%q: %d %s, want %d %s", c.input, code, result, c.code, c.result)
		}
	}
}

func TestParseRuleLexing(t *testing.T) {
	for _, c := range []struct{ rule, want string }{
		{"rostopic:a:=b", `topic+service node="rostopic" match="a" to="b"`},
		{"rostopic:/a:=b", `topic+service node="rostopic" match="/a" to="b"`},
		{"n:rosservice://a:=b", `service node="n" match="a" to="b"`},
		{"rosservice_:=b", `topic+service match="rosservice_" to="b"`},
		{"_:=_1", `topic+service match="_" to="_1"`},
		{"n:__ns:=/a/", `namespace node="n" to="/a/"`},
		{"__node:=_", `nodename to="_"`},
	} {
		rule, err := ParseRule(c.rule)
		if err != nil || describeRule(rule) != c.want {
			t.Errorf("%q: %s, %v, want %s", c.rule, describeRule(rule), err, c.want)
		}
	}
	for _, rule := range []string{
		"", ":", ":=", "n:", "n::=b", "n::a:=b", "__node", "__node:=__ns", "__nodes:=b", "__ns:=//", "__ns:=/a//b",
		"__ns:=/a__b", "__ns:=/a b", "__node:=a__b", "a:=/__ns", "a/__node:=b", "rostopic://rostopic://a:=b",
		"rostopic://n:a:=b", "rostopic:///:=b", "a:=~a", "~a:=b", "//a:=b", "a//b:=c", "a:=b//c", "a:=b ", "a\x00:=b", "___:=b",
	} {
		if got, err := ParseRule(rule); !errors.Is(err, ErrInvalidRule) {
			t.Errorf("%q: %+v, %v", rule, got, err)
		}
	}
}

func TestRuleErrorText(t *testing.T) {
	for rule, want := range map[string]string{
		"a__b:=c": `remap rule "a__b:=c": "_" at byte 2 where ":=" or "/" ("__" is not allowed in a name) is wanted`,
		"__ns:=x": `remap rule "__ns:=x": "x" at byte 6 where "/" (a namespace is absolute) is wanted`,
		"a:=":     `remap rule "a:=": the end at byte 3 where ` + wantPart + ` is wanted`,
		"é:=b":    `remap rule "é:=b": "é" at byte 0 where ` + wantPart + ` is wanted`,
	} {
		if _, err := ParseRule(rule); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestRemapNameReference(t *testing.T) {
	for _, c := range readNameCases(t, "remap_topic") {
		rule, err := ParseRule(c.input)
		if err != nil {
			t.Fatal(err)
		}
		full, changed, err := RemapName([]Rule{rule}, RemapTopics, c.topic, c.node, c.namespace)
		result := "unchanged"
		if changed {
			result = fmt.Sprintf("%q", full)
		}
		if code := returnCode(t, err); code != c.code || result != c.result {
			t.Errorf("%q on %q in %s of %s: %d %s, want %d %s",
				c.input, c.topic, c.node, c.namespace, code, result, c.code, c.result)
		}
	}
}

func FuzzParseRule(f *testing.F) {
	for _, c := range readNameCases(f, "remap_rule") {
		f.Add(c.input)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := ParseRule(text)
		if err != nil {
			var fault *RuleError
			if !errors.As(err, &fault) || fault.Error() == "" {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if again, err := ParseRule(rule.String()); err != nil || again != rule {
			t.Errorf("%q: %q reads as %+v, %v", text, rule, again, err)
		}
		if _, _, err := RemapName([]Rule{rule}, RemapTopics, "/a", "n", "/ns"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
