// Package wrap breaks lines for terminals.
package wrap

import (
	"strings"
	"unicode/utf8"
)

// Width is how wide a terminal is at least.
const Width = 80

// Text breaks text at spaces into lines that fit into Width columns. All but the first are indented;
// what the first stands behind is as wide. A word that does not fit has a line for itself.
func Text(text string, indent int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		length := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+length > Width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += length
	}
	return b.String()
}
