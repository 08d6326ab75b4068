package rosargs

import (
	"maps"
	"strings"

	"github.com/pinion-ros/pinion/pubsub"
)

// allNodes is the node name that stands for every node.
const allNodes = "/**"

// overrides holds parameters by the name of the node as it is written, in the order in which
// these names came up first.
type overrides struct {
	sections []section
}

type section struct {
	node   string
	values map[string]any
}

// node returns the values of a node's section.
func (o *overrides) node(name string) map[string]any {
	for _, s := range o.sections {
		if s.node == name {
			return s.values
		}
	}
	values := make(map[string]any)
	o.sections = append(o.sections, section{name, values})
	return values
}

// addRule adds what a rule of the command line says.
func (o *overrides) addRule(text string) error {
	rule, err := ParseParamRule(text)
	if err != nil {
		return err
	}
	value, err := ParseValue(rule.Value)
	if err != nil {
		return err
	}
	o.node(rule.Node)[rule.Name] = value
	return nil
}

func (o *overrides) forNode(fullName string) pubsub.Params {
	all := make(map[string]any)
	for _, s := range o.sections {
		if pubsub.MatchName(absolute(s.node), absolute(fullName)) {
			maps.Copy(all, s.values)
		}
	}
	params, _ := pubsub.NewParams(all) // cannot fail, all values come from value
	return params
}

// absolute returns the full name of a node, which may lack its leading slash.
func absolute(name string) string { return "/" + strings.TrimPrefix(name, "/") }
