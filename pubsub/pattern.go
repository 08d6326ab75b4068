package pubsub

import "strings"

// MatchName reports whether pattern stands for a full name. In a pattern, "*" stands for any characters
// of one part of the name, and "**", which is a part of its own, for any number of parts, none included:
// "/cam/*/image", "/left/**". Everything else stands for itself.
func MatchName(pattern, name string) bool {
	return wild(strings.Split(pattern, "/"), strings.Split(name, "/"), "**", matchPart)
}

// ValidatePattern checks a pattern for [MatchName]; a full name is one, too. The error is a [*NameError].
func ValidatePattern(pattern string) error {
	if err := validatePath(NamePattern, pattern, maxTopicName); err != nil {
		return err
	}
	at := 0
	for part := range strings.SplitSeq(pattern, "/") {
		if i := strings.Index(part, "**"); i >= 0 && part != "**" {
			return &NameError{NamePattern, pattern, at + i, gluedStars}
		}
		at += len(part) + 1
	}
	return nil
}

func matchPart(pattern, part string) bool {
	return wild([]byte(pattern), []byte(part), '*', func(p, c byte) bool { return p == c })
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
