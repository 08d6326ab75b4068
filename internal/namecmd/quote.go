package namecmd

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// quote writes a text as JSON in ASCII, which package encoding/json does not do.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		escape, found := escapes[r]
		switch {
		case found:
			b.WriteString(escape)
		case ' ' <= r && r <= '~':
			b.WriteRune(r)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}
