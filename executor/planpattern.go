package executor

import (
	"errors"
	"fmt"
	"strings"
)

// Scores of matchScore beside the number of literal characters in a pattern.
const (
	noMatch = -1
	exact   = 1 << 30
)

// isPattern tells whether a name of a plan stands for several topics.
func isPattern(name string) bool { return strings.Contains(name, "*") }

// matchScore tells how closely a name or pattern of a plan fits a topic: noMatch, exact, or more the
// more specific the pattern is.
func matchScore(pattern, topic string) int {
	if pattern == topic {
		return exact
	}
	if !isPattern(pattern) || !matchTokens(strings.Split(pattern, "/"), strings.Split(topic, "/")) {
		return noMatch
	}
	return len(pattern) - strings.Count(pattern, "*")
}

func matchTokens(pattern, topic []string) bool {
	return wild(pattern, topic, "**", matchToken)
}

func matchToken(pattern, token string) bool {
	return wild([]byte(pattern), []byte(token), '*', func(p, t byte) bool { return p == t })
}

// wild matches a text with a pattern in which star stands for any run. It keeps the last star to come
// back to, which is enough: an earlier one would only leave less of the text to match.
func wild[T comparable](pattern, text []T, star T, match func(p, t T) bool) bool {
	back, resume := -1, 0
	p := 0
	for t := 0; t < len(text); {
		switch {
		case p < len(pattern) && pattern[p] == star:
			back, resume = p, t
			p++
		case p < len(pattern) && match(pattern[p], text[t]):
			p++
			t++
		case back >= 0:
			resume++
			p, t = back+1, resume
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == star {
		p++
	}
	return p == len(pattern)
}

// checkName tells what is wrong with a full name or pattern.
func checkName(name string) error {
	if name == "" || name[0] != '/' {
		return fmt.Errorf("topic %q does not start with a slash; a plan has full names", name)
	}
	for token := range strings.SplitSeq(name[1:], "/") {
		if token == "" {
			return fmt.Errorf("topic %q has an empty token", name)
		}
		if token != "**" && strings.Contains(token, "**") {
			return fmt.Errorf("topic %q: \"**\" is a whole token, between slashes", name)
		}
		if err := checkToken(token); err != nil {
			return fmt.Errorf("topic %q: %w", name, err)
		}
	}
	return nil
}

// checkToken allows what ROS 2 allows in a full name, and the star.
func checkToken(token string) error {
	if token[0] >= '0' && token[0] <= '9' {
		return errors.New("a token must not start with a digit")
	}
	for _, c := range token {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '*':
		default:
			return fmt.Errorf("%q is not allowed in a name; there are letters, digits, underscores and, in patterns, stars", c)
		}
	}
	return nil
}
