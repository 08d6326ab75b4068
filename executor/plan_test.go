package executor

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, topic string
		want           bool
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
		if got := matchScore(tt.pattern, tt.topic) != noMatch; got != tt.want {
			t.Errorf("%s on %s: %v", tt.pattern, tt.topic, got)
		}
	}
}

// matchScore agrees with the regular expression of a pattern.
func TestMatchAgainstRegexp(t *testing.T) {
	pick := func(words ...string) string { return words[rand.IntN(len(words))] }
	matched := 0
	for range 20_000 {
		var pattern, topic string
		for range 1 + rand.IntN(4) {
			pattern += "/" + pick("a", "b", "*", "**", "a*", "*b", "a*b*")
		}
		for range 1 + rand.IntN(4) {
			topic += "/" + pick("a", "b", "ab", "aab", "abb")
		}
		text := strings.ReplaceAll(pattern, "/**", "!")
		text = strings.ReplaceAll(text, "*", "[^/]*")
		text = strings.ReplaceAll(text, "!", "(/[^/]+)*")
		want := regexp.MustCompile("^" + text + "$").MatchString(topic)
		if got := matchScore(pattern, topic) != noMatch; got != want {
			t.Fatalf("%s on %s: %v, want %v", pattern, topic, got, want)
		}
		if want {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("only %d matches", matched)
	}
}

// Exact names win over patterns, more literal patterns over others, the first over its equals.
func TestPrecedence(t *testing.T) {
	p := Plan{
		Lanes: []Lane{
			{Name: "all", Topics: []string{"/**"}},
			{Name: "left", Topics: []string{"/left/*"}, Timers: []string{"fast*"}},
			{Name: "same", Topics: []string{"/*/left"}},
			{Name: "arm", Topics: []string{"/left/arm"}, Timers: []string{"fast2"}},
		},
		Topics: []Topic{{Name: "/**", Priority: 1}, {Name: "/left/*", Priority: 2, Rate: 5}, {Name: "/left/arm", Priority: 3}},
		Chains: []Chain{{Name: "c", Topics: []string{"/left/arm", "/left/leg"}, Priority: 9}},
	}
	for topic, want := range map[string]string{"/left/arm": "arm", "/left/leg": "left", "/left/left": "left", "/right/left": "same", "/x/y/z": "all"} {
		if l := p.LaneOf(topic); l == nil || l.Name != want {
			t.Errorf("%s is on %+v, want %s", topic, l, want)
		}
	}
	for timer, want := range map[string]string{"fast1": "left", "fast2": "arm"} {
		if l := p.LaneOfTimer(timer); l == nil || l.Name != want {
			t.Errorf("%s is on %+v, want %s", timer, l, want)
		}
	}
	if l := p.LaneOfTimer("slow"); l != nil {
		t.Errorf("slow is on %+v", l)
	}
	for name, want := range map[string]Topic{
		"/x": {Name: "/x", Priority: 1}, "/left/a": {Name: "/left/a", Priority: 2, Rate: 5},
		"/left/arm": {Name: "/left/arm", Priority: 9}, "/left/leg": {Name: "/left/leg", Priority: 9, Rate: 5},
	} {
		if got := p.TopicOf(name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestKernelPriority(t *testing.T) {
	p := Plan{
		Lanes: []Lane{
			{Name: "a", Policy: FIFO, Topics: []string{"/imu"}},
			{Name: "b", Policy: RR, Priority: 90, Topics: []string{"/state"}},
			{Name: "c", Topics: []string{"/command"}},
		},
		Chains: []Chain{{Name: "c", Topics: []string{"/imu", "/state", "/command"}, Priority: 80}},
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{80, 90, 0} {
		if got := p.kernelPriority(&p.Lanes[i]); got != want {
			t.Errorf("lane %d: %d, want %d", i, got, want)
		}
	}
}
