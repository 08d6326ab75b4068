package pubsub

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// returnCode is the number that rcl returns where the functions of this package return err.
func returnCode(t testing.TB, err error) int {
	t.Helper()
	var fault *NameError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrInvalidRule):
		return 1003
	case errors.As(err, new(*SubstitutionError)):
		return 105
	case errors.As(err, &fault) && fault.Kind == NodeName:
		return 201
	case errors.As(err, &fault) && fault.Kind == NamespaceName:
		return 202
	case errors.As(err, &fault):
		return 103
	}
	t.Fatalf("unknown error %v", err)
	return -1
}

func TestExpandReference(t *testing.T) {
	for _, c := range readNameCases(t, "expand") {
		full, err := ExpandTopicName(c.input, c.node, c.namespace)
		code, result := returnCode(t, err), ""
		if err == nil {
			result = fmt.Sprintf("%q", full)
			var fault *NameError
			if errors.As(ValidateFullTopicName(full), &fault) {
				result += fmt.Sprintf(" (not a valid full name, code %d)", fault.Code())
			}
		}
		if code != c.code || result != c.result {
			t.Errorf("%q in %s of %s: %d %s, want %d %s", c.input, c.node, c.namespace, code, result, c.code, c.result)
		}
	}
}

func TestExpandErrorOrder(t *testing.T) {
	for _, c := range []struct {
		name, node, namespace string
		code                  int
	}{
		{"x y", "1n", "a", 103},
		{"{foo}", "1n", "a", 201},
		{"{foo}", "n", "a", 202},
		{"{node}{foo}{bar}", "n", "/", 105},
	} {
		_, err := ExpandTopicName(c.name, c.node, c.namespace)
		if code := returnCode(t, err); code != c.code {
			t.Errorf("%q in %s of %s: code %d, want %d", c.name, c.node, c.namespace, code, c.code)
		}
	}
}

func TestSubstitutionErrorText(t *testing.T) {
	_, err := ExpandTopicName("~/{node}/{foo}", "n", "/")
	want := `topic name "~/{node}/{foo}": unknown substitution "{foo}" at byte 9, there are {node}, {ns} and {namespace}`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func FuzzExpandTopicName(f *testing.F) {
	for _, c := range readNameCases(f, "expand") {
		f.Add(c.input, c.node, c.namespace)
	}
	f.Fuzz(func(t *testing.T, name, node, namespace string) {
		full, err := ExpandTopicName(name, node, namespace)
		if err != nil {
			returnCode(t, err)
			if err.Error() == "" {
				t.Error("an error without a text")
			}
			return
		}
		if !strings.HasPrefix(full, "/") || strings.ContainsAny(full, "~{}") {
			t.Errorf("%q in %q of %q: %q", name, node, namespace, full)
		}
		again, err := ExpandTopicName(full, node, namespace)
		if err == nil && again != full {
			t.Errorf("%q expands on to %q", full, again)
		}
	})
}
