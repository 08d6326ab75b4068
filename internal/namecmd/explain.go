package namecmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/rosargs"
)

var kinds = map[string]func(query) answer{
	"node_name":   nodeName,
	"namespace":   namespace,
	"input_name":  inputName,
	"full_name":   fullName,
	"expand":      expand,
	"remap_rule":  remapRule,
	"remap_topic": remapTopic,
	"param_rule":  paramRule,
}

// The return codes of rcl (rcl/types.h).
const (
	retTopicNameInvalid     = 103
	retUnknownSubstitution  = 105
	retNodeInvalidName      = 201
	retNodeInvalidNamespace = 202
	retInvalidROSArgs       = 1003
)

// refusal answers with the return code of rcl for a fault.
func refusal(err error) answer {
	code := retTopicNameInvalid
	var fault *pubsub.NameError
	switch {
	case errors.Is(err, pubsub.ErrInvalidRule):
		code = retInvalidROSArgs
	case errors.As(err, new(*pubsub.SubstitutionError)):
		code = retUnknownSubstitution
	case errors.As(err, &fault) && fault.Kind == pubsub.NodeName:
		code = retNodeInvalidName
	case errors.As(err, &fault) && fault.Kind == pubsub.NamespaceName:
		code = retNodeInvalidNamespace
	}
	return answer{code: code, text: err.Error()}
}

// validation answers with the result code and the position of a fault.
func validation(err error, accepted string) answer {
	var fault *pubsub.NameError
	if errors.As(err, &fault) {
		return answer{fault.Code(), fmt.Sprintf("index %d", fault.Index), err.Error()}
	}
	return answer{text: accepted}
}

func nodeName(q query) answer {
	return validation(pubsub.ValidateNodeName(q.input), "valid as the name of a node")
}

func namespace(q query) answer {
	return validation(pubsub.ValidateNamespace(q.input), "valid as the namespace of a node")
}

func fullName(q query) answer {
	text := fmt.Sprintf("valid; on DDS the topic is %q, the service %q and %q",
		pubsub.MangleTopic(q.input), pubsub.MangleRequest(q.input), pubsub.MangleReply(q.input))
	return validation(pubsub.ValidateFullTopicName(q.input), text)
}

func inputName(q query) answer {
	return validation(pubsub.ValidateTopicName(q.input), "valid as it is given; "+meaning(q))
}

func expand(q query) answer {
	full, err := pubsub.ExpandTopicName(q.input, q.node, q.namespace)
	if err != nil {
		return refusal(err)
	}
	result := quote(full)
	var fault *pubsub.NameError
	if errors.As(pubsub.ValidateFullTopicName(full), &fault) {
		result += fmt.Sprintf(" (not a valid full name, code %d)", fault.Code())
	}
	return answer{result: result, text: meaning(q)}
}

// meaning tells what a name stands for in the node.
func meaning(q query) string {
	n := pubsub.Names{Node: q.node, Namespace: q.namespace}
	full, err := n.ResolveTopic(q.input)
	if err != nil {
		return fmt.Sprintf("node %q in %q cannot use it: %v", q.node, q.namespace, err)
	}
	return fmt.Sprintf("%s, so node %s finds it at %s", manner(q.input), n.FullName(), full)
}

// manner tells how a name is expanded.
func manner(name string) string {
	var how string
	switch {
	case strings.HasPrefix(name, "/"):
		how = "the name is absolute"
	case strings.HasPrefix(name, "~"):
		how = "\"~\" is the full name of the node"
	case strings.HasPrefix(name, "{ns}"), strings.HasPrefix(name, "{namespace}"):
		how = "the name starts with the namespace"
	default:
		how = "the name is relative to the namespace"
	}
	if strings.Contains(name, "{") {
		how += " and what is in braces is replaced"
	}
	return how
}

var targets = map[pubsub.Target]string{
	pubsub.RemapTopics | pubsub.RemapServices: "topic+service",
	pubsub.RemapTopics:                        "topic",
	pubsub.RemapServices:                      "service",
	pubsub.RemapNode:                          "nodename",
	pubsub.RemapNamespace:                     "namespace",
}

func remapRule(q query) answer {
	rule, err := pubsub.ParseRule(q.input)
	if err != nil {
		return refusal(err)
	}
	words := []string{targets[rule.Target]}
	if rule.Node != "" {
		words = append(words, "node="+quote(rule.Node))
	}
	if rule.Match != "" {
		words = append(words, "match="+quote(rule.Match))
	}
	words = append(words, "to="+quote(rule.Replacement))
	return answer{result: strings.Join(words, " "), text: ruleText(rule)}
}

func ruleText(rule pubsub.Rule) string {
	var text string
	switch rule.Target {
	case pubsub.RemapNode:
		text = fmt.Sprintf("the node gets the name %s", rule.Replacement)
	case pubsub.RemapNamespace:
		text = fmt.Sprintf("the node moves to the namespace %s", rule.Replacement)
	default:
		text = fmt.Sprintf("what the node calls %s becomes %s", rule.Match, rule.Replacement)
	}
	if rule.Node != "" {
		text += ", if the node's name is " + rule.Node
	}
	return text
}

func remapTopic(q query) answer {
	rule, err := pubsub.ParseRule(q.input)
	if err != nil {
		return refusal(err)
	}
	full, changed, err := pubsub.RemapName([]pubsub.Rule{rule}, pubsub.RemapTopics, q.topic, q.node, q.namespace)
	if err != nil {
		return refusal(err)
	}
	if !changed {
		return answer{result: "unchanged", text: "the rule does not fit: " + misfit(rule, q)}
	}
	return answer{result: quote(full), text: fmt.Sprintf("%s in node %q: %s", ruleText(rule), q.node, full)}
}

// misfit tells why a rule leaves a topic alone.
func misfit(rule pubsub.Rule, q query) string {
	if rule.Target&pubsub.RemapTopics == 0 {
		return "it is not for topics"
	}
	if rule.Node != "" && rule.Node != q.node {
		return fmt.Sprintf("it is for nodes named %s", rule.Node)
	}
	match, err := pubsub.ExpandTopicName(rule.Match, q.node, q.namespace)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("in this node %s stands for %s", rule.Match, match)
}

func paramRule(q query) answer {
	rule, err := rosargs.ParseParamRule(q.input)
	if err != nil {
		return refusal(err)
	}
	result := fmt.Sprintf("node=%s name=%s value=%s", quote(rule.Node), quote(rule.Name), quote(rule.Value))
	v, err := rosargs.ParseValue(rule.Value)
	if err != nil {
		return answer{result: result, text: "the rule is complete, but no node starts with this value: " + err.Error()}
	}
	return answer{result: result, text: fmt.Sprintf("the value is a %T: %.300s", v, fmt.Sprint(v))}
}
