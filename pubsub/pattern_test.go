package pubsub

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestMatchName(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"/a", "/a", true},
		{"/a", "/a/b", false},
		{"/*", "/a", true},
		{"/*", "/a/b", false},
		{"/a/*/c", "/a/b/c", true},
		{"/a/*/c", "/a/c", false},
		{"/cam*", "/cam", true},
		{"/cam*_raw", "/cam1_raw", true},
		{"/*a*a", "/aa", true},
		{"/*a*a", "/ba", false},
		{"/**", "/a/b/c", true},
		{"/a/**", "/a", true},
		{"/a/**", "/b/a", false},
		{"/a/**/z", "/a/z", true},
		{"/a/**/z", "/a/b/c/z", true},
		{"/a/**/z", "/a/b/c", false},
		{"/**/b/*", "/b/b/c", true},
		{"/**/b/**/c", "/a/b/c/b/x/c", true},
	} {
		if got := MatchName(tt.pattern, tt.name); got != tt.want {
			t.Errorf("%s on %s: %v", tt.pattern, tt.name, got)
		}
	}
}

// MatchName agrees with the regular expression of a pattern.
func TestMatchNameAgainstRegexp(t *testing.T) {
	pick := func(words ...string) string { return words[rand.IntN(len(words))] }
	matched := 0
	for range 20_000 {
		var pattern, name string
		for range 1 + rand.IntN(4) {
			pattern += "/" + pick("a", "b", "*", "**", "a*", "*b", "a*b*")
		}
		for range 1 + rand.IntN(4) {
			name += "/" + pick("a", "b", "ab", "aab", "abb")
		}
		text := strings.ReplaceAll(pattern, "/**", "!")
		text = strings.ReplaceAll(text, "*", "[^/]*")
		text = strings.ReplaceAll(text, "!", "(/[^/]+)*")
		want := regexp.MustCompile("^" + text + "$").MatchString(name)
		if got := MatchName(pattern, name); got != want {
			t.Fatalf("%s on %s: %v, want %v", pattern, name, got, want)
		}
		if want {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("only %d matches", matched)
	}
}

func TestValidatePattern(t *testing.T) {
	for pattern, want := range map[string]string{
		"/":       "it ends with",
		"":        "it is empty",
		"left/*":  "has to start with",
		"/a//*":   "repeats the one before",
		"/1*":     "start it with a letter",
		"/a/?":    `"?" at byte 3 is not allowed, use letters, digits, "_", "/" and "*"`,
		"/a/b**":  `"*" at byte 4: "**" stands for whole parts, write it between slashes`,
		"/***":    "write it between slashes",
		"/*/**/a": "",
		"/a*_b":   "",
		"/a/b":    "",
	} {
		err := ValidatePattern(pattern)
		if want == "" && err != nil || want != "" && (!errors.Is(err, ErrInvalidName) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}
