package bag

import (
	"regexp"
	"slices"
	"strings"
)

// Filter selects topics. What is excluded is not selected whatever else says so.
type Filter struct {
	All           bool
	Topics        []string // full names
	Regex         *regexp.Regexp
	Exclude       []string
	ExcludeRegex  *regexp.Regexp
	IncludeHidden bool // topics of which a part begins with an underscore, where they are not named
}

// Empty reports whether nothing says what is selected.
func (f *Filter) Empty() bool { return !f.All && len(f.Topics) == 0 && f.Regex == nil }

// selects reports whether the topic is selected.
func (f *Filter) selects(topic string) bool {
	if slices.Contains(f.Exclude, topic) || f.ExcludeRegex != nil && f.ExcludeRegex.MatchString(topic) {
		return false
	}
	if slices.Contains(f.Topics, topic) {
		return true
	}
	if !f.IncludeHidden && strings.Contains(topic, "/_") {
		return false
	}
	return f.All || f.Regex != nil && f.Regex.MatchString(topic)
}
