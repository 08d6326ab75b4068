package rosargs

import (
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/internal/lex"
)

// ParamRule is a parameter as -p takes it.
type ParamRule struct {
	Node  string // name of the node in the root namespace, or "/**" for all nodes
	Name  string
	Value string // YAML
}

// ParseParamRule reads [node:]name:=value. It leaves the value as it is. An error is a
// [*pubsub.RuleError].
func ParseParamRule(text string) (ParamRule, error) {
	s := lex.Scanner{Text: text}
	rule := ParamRule{Node: allNodes}
	if node, ok := s.Take(lex.Token); ok {
		if _, ok := s.Take(lex.Colon); ok {
			rule.Node = node
		} else {
			s.Pos = 0
		}
	}
	start := s.Pos
	for {
		if !takeNameRun(&s) {
			return ParamRule{}, paramRuleError(s, "a part of a name (letters, digits, \"_\" and \"/\", no digit first; no wildcards)")
		}
		if _, ok := s.Take(lex.Dot); !ok {
			break
		}
	}
	rule.Name = text[start:s.Pos]
	if _, ok := s.Take(lex.Separator); !ok {
		return ParamRule{}, paramRuleError(s, "\":=\", \".\" or more of the name")
	}
	rule.Value = s.Rest()
	return rule, nil
}

// takeNameRun takes what may stand between two dots of a parameter's name.
func takeNameRun(s *lex.Scanner) bool {
	start := s.Pos
	for s.Peek() == lex.Token || s.Peek() == lex.Slash {
		s.Next()
	}
	return s.Pos > start
}

func paramRuleError(s lex.Scanner, want string) error {
	return &pubsub.RuleError{Kind: "parameter rule", Rule: s.Text, Index: s.Pos, Want: want}
}
