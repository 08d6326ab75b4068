package top

import (
	"bytes"
	"unicode/utf8"
)

// A key is a rune, or one of the constants for keys without one.
type key rune

const (
	keyUp key = -1 - iota
	keyDown
	keyPageUp
	keyPageDown
	keyHome
	keyEnd
	keyEscape
	keyUnknown
)

const keyInterrupt key = 3 // Ctrl-C, which a terminal in raw mode sends as a byte

// sequences are what terminals send for keys, as xterm does.
var sequences = []struct {
	text string
	key  key
}{
	{"\x1b[A", keyUp}, {"\x1bOA", keyUp}, {"\x1b[B", keyDown}, {"\x1bOB", keyDown},
	{"\x1b[5~", keyPageUp}, {"\x1b[6~", keyPageDown},
	{"\x1b[H", keyHome}, {"\x1bOH", keyHome}, {"\x1b[1~", keyHome}, {"\x1b[F", keyEnd}, {"\x1bOF", keyEnd}, {"\x1b[4~", keyEnd},
}

// parseKeys returns the keys of what a terminal sent in one piece.
func parseKeys(input []byte) []key {
	var keys []key
	for len(input) > 0 {
		k, n := parseKey(input)
		keys = append(keys, k)
		input = input[n:]
	}
	return keys
}

func parseKey(input []byte) (key, int) {
	for _, s := range sequences {
		if bytes.HasPrefix(input, []byte(s.text)) {
			return s.key, len(s.text)
		}
	}
	if input[0] != 0x1b {
		r, n := utf8.DecodeRune(input)
		return key(r), n
	}
	if len(input) == 1 {
		return keyEscape, 1
	}
	// A key that is not known: the sequence ends with a letter or ~.
	for i, c := range input[1:] {
		if i > 0 && (c >= '@' && c <= '~') {
			return keyUnknown, i + 2
		}
	}
	return keyUnknown, len(input)
}
