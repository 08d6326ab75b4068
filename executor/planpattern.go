package executor

import (
	"strings"

	"github.com/pinion-ros/pinion/pubsub"
)

// Scores of matchScore beside the number of literal characters in a pattern.
const (
	noMatch = -1
	exact   = 1 << 30
)

// isPattern tells whether a name of a plan stands for several topics.
func isPattern(name string) bool { return strings.Contains(name, "*") }

// matchScore tells how closely a name or pattern of a plan fits a topic or timer: noMatch, exact, or
// more the more specific the pattern is.
func matchScore(pattern, name string) int {
	if pattern == name {
		return exact
	}
	if !isPattern(pattern) || !pubsub.MatchName(pattern, name) {
		return noMatch
	}
	return len(pattern) - strings.Count(pattern, "*")
}
