package msggen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The reference reads definitions with Python's notions of line, blank and digit. This file holds
// those notions, because a file that ROS 2 accepts may depend on them.

// isSpace is Python's str.isspace for one character.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
}

// splitLines splits like Python's str.splitlines.
func splitLines(text string) []string {
	var lines []string
	start := 0
	for i, r := range text {
		if i < start || !isLineBreak(r) { // i < start: the LF of a CR LF
			continue
		}
		lines = append(lines, text[start:i])
		start = i + utf8.RuneLen(r)
		if r == '\r' && strings.HasPrefix(text[start:], "\n") {
			start++
		}
	}
	if start < len(text) {
		lines = append(lines, text[start:])
	}
	return lines
}

func isLineBreak(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// span is a piece of a line that knows at which byte of the line it starts.
type span struct {
	text  string
	start int
}

func (s span) from(i int) span { return span{s.text[i:], s.start + i} }
func (s span) to(i int) span   { return span{s.text[:i], s.start} }

func (s span) trimLeft() span {
	return s.from(len(s.text) - len(strings.TrimLeftFunc(s.text, isSpace)))
}

func (s span) trimRight() span {
	return s.to(len(strings.TrimRightFunc(s.text, isSpace)))
}

// cut splits at the first sep; without one, after is the empty span at the end.
func (s span) cut(sep string) (before, after span, found bool) {
	i := strings.Index(s.text, sep)
	if i < 0 {
		return s, s.from(len(s.text)), false
	}
	return s.to(i), s.from(i + len(sep)), true
}

// split splits at every sep.
func (s span) split(sep string) []span {
	var parts []span
	for {
		part, rest, found := s.cut(sep)
		parts = append(parts, part)
		if !found {
			return parts
		}
		s = rest
	}
}
