package pubsub

import (
	"fmt"
	"strings"
)

// Names is where a node stands in the graph and how it finds its topics and services from there.
type Names struct {
	Node      string // without the namespace, after remapping
	Namespace string // absolute, after remapping
	Rules     []Rule
}

// NewNames returns the names of a node. A namespace without its leading slash gets one, and the
// empty one is "/". The rules then rename node and namespace and serve to resolve names later;
// those given in code go before those of the command line, as the first that fits wins.
func NewNames(node, namespace string, rules []Rule) (Names, error) {
	if !strings.HasPrefix(namespace, "/") {
		namespace = "/" + namespace
	}
	if err := validateNode(node, namespace); err != nil {
		return Names{}, err
	}
	newNode, nodeChanged, err := RemapName(rules, RemapNode, node, node, namespace)
	if err != nil {
		return Names{}, err
	}
	newNamespace, namespaceChanged, err := RemapName(rules, RemapNamespace, namespace, newNode, namespace)
	if err != nil {
		return Names{}, err
	}
	if nodeChanged || namespaceChanged {
		if err := validateNode(newNode, newNamespace); err != nil {
			return Names{}, fmt.Errorf("remapping node %s: %w", joinName(namespace, node), err)
		}
	}
	return Names{newNode, newNamespace, rules}, nil
}

func validateNode(node, namespace string) error {
	if err := ValidateNodeName(node); err != nil {
		return err
	}
	return ValidateNamespace(namespace)
}

// FullName returns the name of the node with its namespace.
func (n Names) FullName() string { return joinName(n.Namespace, n.Node) }

// LoggerName returns the name of the node's logger: the full name with dots between its parts.
func (n Names) LoggerName() string {
	return strings.ReplaceAll(strings.TrimPrefix(n.FullName(), "/"), "/", ".")
}

// ResolveTopic returns the full name of the topic that name stands for in the node: expanded,
// remapped and checked.
func (n Names) ResolveTopic(name string) (string, error) {
	return n.resolve(name, RemapTopics, TopicName, FullTopicName)
}

// ResolveService is [Names.ResolveTopic] for services.
func (n Names) ResolveService(name string) (string, error) {
	return n.resolve(name, RemapServices, ServiceName, FullServiceName)
}

func (n Names) resolve(name string, target Target, kind, fullKind NameKind) (string, error) {
	expanded, err := expand(kind, name, n.Node, n.Namespace)
	if err != nil {
		return "", err
	}
	full, _, err := RemapName(n.Rules, target, expanded, n.Node, n.Namespace)
	if err != nil {
		return "", fmt.Errorf("remapping %s %.300q: %w", kind, name, err)
	}
	if err := validatePath(fullKind, full, maxTopicName); err != nil {
		return "", fmt.Errorf("%s %.300q becomes a %w", kind, name, err)
	}
	return full, nil
}
