package pubsub

import (
	"strings"
	"unicode"
)

// printable returns a text from the network with "?" for all that is not printable, which a terminal might
// obey or somebody overlook. No valid name has a "?", so the text cannot be taken for one.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}
