package pubsub

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pinion-ros/pinion/pubsub/internal/lex"
)

// Target says which names a remap rule changes, as a set of bits.
type Target uint8

const (
	RemapTopics Target = 1 << iota
	RemapServices
	RemapNode
	RemapNamespace
)

// Rule renames topics, services, a node or its namespace. [ParseRule] makes one from its text.
type Rule struct {
	Target Target
	// Node limits the rule to nodes of this name, without a namespace. It is the name before
	// remapping for RemapNode and the name after it for all others.
	Node string
	// Match is the name of the topic or service that is replaced, as a node would give it.
	Match string
	// Replacement is the new name. That of a topic or service is expanded in the node's place.
	Replacement string
}

// ErrInvalidRule matches every [RuleError].
var ErrInvalidRule = errors.New("invalid rule")

// RuleError reports a rule of the command line that cannot be read.
type RuleError struct {
	Kind  string // "remap rule"
	Rule  string
	Index int    // position in Rule of the byte at fault
	Want  string // what may stand there, in words
}

// Is reports whether target is [ErrInvalidRule].
func (e *RuleError) Is(target error) bool { return target == ErrInvalidRule }

func (e *RuleError) Error() string {
	found := "the end"
	if rest := e.Rule[e.Index:]; rest != "" {
		_, n := utf8.DecodeRuneInString(rest)
		found = fmt.Sprintf("%q", rest[:n])
	}
	return fmt.Sprintf("%s %.300q: %s at byte %d where %s is wanted", e.Kind, e.Rule, found, e.Index, e.Want)
}

// What the grammar of rules asks for, in words.
const (
	wantPart      = "a part of a name (letters, digits and single \"_\", no digit first; no wildcards, no braces)"
	wantSeparator = "\":=\" or \"/\" (\"__\" is not allowed in a name)"
	wantNameEnd   = "the end or \"/\" (\"__\" is not allowed in a name)"
)

// ParseRule reads a remap rule, [node:]match:=replacement, in the form of the ROS command line.
// match is __node (or __name), __ns, or a name of topics and services, of only the ones or the
// others if rostopic:// or rosservice:// stands in front. An error is a [*RuleError].
func ParseRule(text string) (Rule, error) {
	p := ruleParser{Scanner: lex.Scanner{Text: text}}
	r := p.rule()
	if p.err != nil {
		return Rule{}, p.err
	}
	return r, nil
}

// ruleParser keeps the first error and makes nothing of what follows it.
type ruleParser struct {
	lex.Scanner
	err error
}

func (p *ruleParser) expect(kind lex.Kind, want string) string {
	text, ok := p.Take(kind)
	if !ok && p.err == nil {
		p.err = &RuleError{"remap rule", p.Text, p.Pos, want}
	}
	return text
}

func (p *ruleParser) rule() Rule {
	var r Rule
	r.Node = p.nodePrefix()
	switch p.Peek() {
	case lex.NodeName:
		p.Next()
		r.Target = RemapNode
		p.expect(lex.Separator, "\":=\"")
		r.Replacement = p.expect(lex.Token, wantPart)
		p.expect(lex.End, "the end (a node's name has neither \"/\" nor \"__\" here)")
	case lex.Namespace:
		p.Next()
		r.Target = RemapNamespace
		p.expect(lex.Separator, "\":=\"")
		r.Replacement = p.namespace()
	default:
		r.Target = p.nameTarget()
		r.Match = p.name()
		p.expect(lex.Separator, wantSeparator)
		r.Replacement = p.name()
		p.expect(lex.End, wantNameEnd)
	}
	return r
}

// nodePrefix takes a name with a colon behind it and leaves everything else.
func (p *ruleParser) nodePrefix() string {
	start := p.Scanner
	if node, ok := p.Take(lex.Token); ok {
		if _, ok := p.Take(lex.Colon); ok {
			return node
		}
	}
	p.Scanner = start
	return ""
}

func (p *ruleParser) nameTarget() Target {
	if _, ok := p.Take(lex.Topic); ok {
		return RemapTopics
	}
	if _, ok := p.Take(lex.Service); ok {
		return RemapServices
	}
	return RemapTopics | RemapServices
}

func (p *ruleParser) name() string {
	start := p.Pos
	if _, ok := p.Take(lex.TildeSlash); !ok {
		p.Take(lex.Slash)
	}
	for p.err == nil {
		p.expect(lex.Token, wantPart)
		if _, ok := p.Take(lex.Slash); !ok {
			break
		}
	}
	return p.Text[start:p.Pos]
}

// namespace takes an absolute name, which may end with a slash.
func (p *ruleParser) namespace() string {
	start := p.Pos
	p.expect(lex.Slash, "\"/\" (a namespace is absolute)")
	for {
		if _, ok := p.Take(lex.Token); !ok {
			break
		}
		if _, ok := p.Take(lex.Slash); !ok {
			break
		}
	}
	text := p.Text[start:p.Pos]
	p.expect(lex.End, "the end or a namespace like /a/b (without \"__\")")
	return text
}

// String returns the text of the rule.
func (r Rule) String() string {
	var b strings.Builder
	if r.Node != "" {
		b.WriteString(r.Node + ":")
	}
	switch r.Target {
	case RemapNode:
		b.WriteString("__node")
	case RemapNamespace:
		b.WriteString("__ns")
	case RemapTopics:
		b.WriteString("rostopic://")
	case RemapServices:
		b.WriteString("rosservice://")
	}
	return b.String() + r.Match + ":=" + r.Replacement
}

// RemapName applies the first rule for that target that fits and returns the new name, or name
// itself and false. The name of a topic or service is compared and replaced in its full form; for
// a node or a namespace, name is only what is returned when no rule fits. One rule is applied,
// once.
func RemapName(rules []Rule, target Target, name, node, namespace string) (string, bool, error) {
	for _, r := range rules {
		if r.Target&target == 0 || r.Node != "" && r.Node != node {
			continue
		}
		if target&(RemapNode|RemapNamespace) != 0 {
			return r.Replacement, true, nil
		}
		match, err := ExpandTopicName(r.Match, node, namespace)
		if fault := (*NameError)(nil); errors.As(err, &fault) && fault.Kind != TopicName {
			return "", false, err
		}
		if err != nil || match != name {
			continue
		}
		full, err := ExpandTopicName(r.Replacement, node, namespace)
		return full, err == nil, err
	}
	return name, false, nil
}
