package pubsub

import (
	"fmt"
	"strings"
)

// SubstitutionError reports braces in the name of a topic or service that stand for nothing.
type SubstitutionError struct {
	Kind         NameKind
	Name         string
	Substitution string // braces included
	Index        int    // where it starts in Name, in bytes
}

func (e *SubstitutionError) Error() string {
	return fmt.Sprintf("%s %.300q: unknown substitution %.300q at byte %d, there are {node}, {ns} and {namespace}",
		e.Kind, e.Name, e.Substitution, e.Index)
}

// Is reports whether target is [ErrInvalidName].
func (e *SubstitutionError) Is(target error) bool { return target == ErrInvalidName }

// ExpandTopicName returns the absolute name that a topic's or service's name stands for in a
// node: a leading "~" is the full name of the node, {node} its name, {ns} and {namespace} its
// namespace, and a name that then does not start with "/" lies in the namespace. The result is
// not checked: {ns}/x becomes //x in the namespace "/". An error is a [*NameError] or a
// [*SubstitutionError].
func ExpandTopicName(name, node, namespace string) (string, error) {
	return expand(TopicName, name, node, namespace)
}

func expand(kind NameKind, name, node, namespace string) (string, error) {
	if err := validateInput(kind, name); err != nil {
		return "", err
	}
	if err := ValidateNodeName(node); err != nil {
		return "", err
	}
	if err := ValidateNamespace(namespace); err != nil {
		return "", err
	}
	full, err := substitute(kind, name, node, namespace)
	if err != nil {
		return "", err
	}
	switch full[0] {
	case '~':
		return joinName(namespace, node) + full[1:], nil
	case '/':
		return full, nil
	default:
		return joinName(namespace, full), nil
	}
}

func substitute(kind NameKind, name, node, namespace string) (string, error) {
	var b strings.Builder
	rest := name
	for {
		before, behind, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		// The name was checked, so that the brace is closed.
		word, after, _ := strings.Cut(behind, "}")
		switch word {
		case "node":
			b.WriteString(node)
		case "ns", "namespace":
			b.WriteString(namespace)
		default:
			return "", &SubstitutionError{kind, name, "{" + word + "}", len(name) - len(behind) - 1}
		}
		rest = after
	}
}
