package pubsub

import (
	"errors"
	"strings"
	"testing"
)

func parseRules(t testing.TB, texts ...string) []Rule {
	t.Helper()
	var rules []Rule
	for _, text := range texts {
		rule, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, rule)
	}
	return rules
}

func TestNewNames(t *testing.T) {
	for _, c := range []struct {
		node, namespace string
		rules           []string
		full, logger    string
	}{
		{"n", "", nil, "/n", "n"},
		{"n", "/", nil, "/n", "n"},
		{"n", "a/b", nil, "/a/b/n", "a.b.n"},
		{"n", "/a", []string{"__node:=m", "__ns:=/x/y"}, "/x/y/m", "x.y.m"},
		{"n", "/a", []string{"__ns:=/"}, "/n", "n"},
		// The first rule wins, and node rules know the node by its name in code.
		{"n", "/a", []string{"m:__node:=o", "n:__node:=m", "__node:=p"}, "/a/m", "a.m"},
		// All others know it by its new name.
		{"n", "/a", []string{"n:__ns:=/x", "m:__ns:=/y", "__node:=m"}, "/y/m", "y.m"},
	} {
		n, err := NewNames(c.node, c.namespace, parseRules(t, c.rules...))
		if err != nil || n.FullName() != c.full || n.LoggerName() != c.logger {
			t.Errorf("%s in %q with %v: %s, %s, %v, want %s, %s",
				c.node, c.namespace, c.rules, n.FullName(), n.LoggerName(), err, c.full, c.logger)
		}
	}
}

func TestNewNamesErrors(t *testing.T) {
	for _, c := range []struct {
		node, namespace string
		rules           []string
		kind            NameKind
	}{
		{"1n", "/", nil, NodeName},
		{"n", "/a/", nil, NamespaceName},
		// What is replaced has to be valid too, as for rcl.
		{"1n", "/", []string{"__node:=m"}, NodeName},
		{"n", "/a/", []string{"__ns:=/b"}, NamespaceName},
		{"n", "/a", []string{"__ns:=/b/"}, NamespaceName},
		{"n", "/a", []string{"__node:=" + strings.Repeat("a", 256)}, NodeName},
	} {
		_, err := NewNames(c.node, c.namespace, parseRules(t, c.rules...))
		var fault *NameError
		if !errors.As(err, &fault) || fault.Kind != c.kind {
			t.Errorf("%s in %s with %v: %v", c.node, c.namespace, c.rules, err)
		}
	}
}

func TestResolve(t *testing.T) {
	n, err := NewNames("n", "/a", parseRules(t,
		"__node:=m",
		"m:x:=y",
		"x:=never",
		"y:=z", // applies to what a node calls y, not to what x became
		"n:w:=never",
		"rosservice://s:=~/t",
		"rostopic://s:=/s",
		"~/p:=q",
	))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, topic, service string }{
		{"x", "/a/y", "/a/y"},
		{"y", "/a/z", "/a/z"},
		{"w", "/a/w", "/a/w"},
		{"s", "/s", "/a/m/t"},
		{"/a/m/p", "/a/q", "/a/q"},
		{"{node}/p", "/a/q", "/a/q"},
		{"~", "/a/m", "/a/m"},
	} {
		topic, err := n.ResolveTopic(c.name)
		if err != nil || topic != c.topic {
			t.Errorf("topic %q: %q, %v, want %q", c.name, topic, err, c.topic)
		}
		service, err := n.ResolveService(c.name)
		if err != nil || service != c.service {
			t.Errorf("service %q: %q, %v, want %q", c.name, service, err, c.service)
		}
	}
}

func TestResolveErrors(t *testing.T) {
	n := Names{Node: "n", Namespace: "/"}
	for name, want := range map[string]string{
		"x//y":   `topic name "x//y" becomes a full topic name "/x//y": "/" at byte 3 repeats the one before, use a single one`,
		"{ns}/x": `topic name "{ns}/x" becomes a full topic name "//x": "/" at byte 1 repeats the one before, use a single one`,
		"1x":     `topic name "1x": "1" at byte 0 starts a part of the name, start it with a letter or "_"`,
	} {
		if _, err := n.ResolveTopic(name); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	_, err := n.ResolveService("{x}")
	want := `service name "{x}": unknown substitution "{x}" at byte 0, there are {node}, {ns} and {namespace}`
	if !errors.Is(err, ErrInvalidName) || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
