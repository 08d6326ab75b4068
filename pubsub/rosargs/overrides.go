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
	parts := nameParts(fullName)
	for _, s := range o.sections {
		if matchParts(nameParts(s.node), parts) {
			maps.Copy(all, s.values)
		}
	}
	params, _ := pubsub.NewParams(all) // cannot fail, all values come from value
	return params
}

// nameParts splits the full name of a node, which may lack its leading slash.
func nameParts(name string) []string {
	return strings.Split(strings.TrimPrefix(name, "/"), "/")
}

// matchParts reports whether a name fits a pattern in which "*" stands for one part and "**" for
// any number of them.
func matchParts(pattern, name []string) bool {
	p, n := 0, 0
	star, resume := -1, 0 // the last "**", and where the name goes on if it takes one part more
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, resume = p, n
			p++
		case p < len(pattern) && (pattern[p] == "*" || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			resume++
			p, n = star+1, resume
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}
