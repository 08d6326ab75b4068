package rosargs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/pinion-ros/pinion/pubsub"
)

const (
	paramsKey    = "ros__parameters"
	maxFileSize  = 4 << 20
	maxNameBytes = 512 // of a node or a parameter; keys are joined and could add up to anything
)

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err == nil && len(data) > maxFileSize {
		err = fmt.Errorf("more than %d MiB, this is no parameter file", maxFileSize>>20)
	}
	return data, err
}

// addFile adds the parameters of a file: maps whose keys make up the names of nodes, below each
// ros__parameters, and below that maps whose keys make up the names of parameters.
func (o *overrides) addFile(data []byte) error {
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := o.addNodes("", doc.Content[0]); err != nil {
			return err
		}
	}
}

func (o *overrides) addNodes(node string, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return lineError(n, "a map is wanted here: a node's name, below it "+paramsKey+", below it the parameters")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, below := n.Content[i], n.Content[i+1]
		if err := checkKey(key); err != nil {
			return err
		}
		var err error
		if key.Value == paramsKey {
			err = o.addSection(node, key, below)
		} else {
			err = o.addJoined(node, key, below)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addJoined goes on below a key that is a part of a node's name.
func (o *overrides) addJoined(node string, key, below *yaml.Node) error {
	name := key.Value
	if node != "" {
		name = strings.TrimSuffix(node, "/") + "/" + name
	}
	if len(name) > maxNameBytes {
		return lineError(key, "the name of a node is too long")
	}
	return o.addNodes(name, below)
}

func (o *overrides) addSection(node string, key, params *yaml.Node) error {
	if node == "" {
		return lineError(key, "there is no name of a node above "+paramsKey+", use /** for all nodes")
	}
	if err := checkPattern(node); err != nil {
		return fmt.Errorf("line %d: %w", key.Line, err)
	}
	if params.Kind != yaml.MappingNode {
		return lineError(key, "below "+paramsKey+" a map of parameters is wanted, {} if there are none")
	}
	return addParams(o.node(node), "", params)
}

func addParams(values map[string]any, prefix string, n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, below := n.Content[i], n.Content[i+1]
		if err := checkKey(key); err != nil {
			return err
		}
		name := prefix + key.Value
		if len(name) > maxNameBytes {
			return lineError(key, "the name of a parameter is too long")
		}
		if below.Kind == yaml.MappingNode {
			delete(values, name) // as in rcl, a map takes the place of a value
			if err := addParams(values, name+".", below); err != nil {
				return err
			}
			continue
		}
		v, err := value(below)
		if err != nil {
			return fmt.Errorf("parameter %q: %w", name, err)
		}
		values[name] = v
	}
	return nil
}

func checkKey(key *yaml.Node) error {
	if key.Kind != yaml.ScalarNode || key.Value == "" {
		return lineError(key, "a name is wanted as key")
	}
	return nil
}

// checkPattern checks the name of a node in which "*" and "**" may stand for parts. What is allowed
// in a part is the same for namespaces and nodes.
func checkPattern(name string) error {
	for part := range strings.SplitSeq(absolute(name)[1:], "/") {
		if part == "*" || part == "**" {
			continue
		}
		if err := pubsub.ValidateNodeName(part); err != nil {
			return fmt.Errorf("node %q: %w", name, err)
		}
	}
	return nil
}
