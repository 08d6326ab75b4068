package dynamic

import (
	"strconv"
	"strings"

	"github.com/pinion-ros/pinion/cdr"
)

// defaultNode returns the default of a field, which descriptions hold as Python prints it: numbers
// and text as they are, True and False, arrays as tuples. It tells whether there is one.
func defaultNode(f *cdr.SchemaField) (*Node, bool) {
	scalar := Node{Kind: Plain, Text: f.Default}
	if f.Element == cdr.StringType || f.Element == cdr.WStringType {
		scalar.Kind = String
	}
	switch {
	case f.Default == "" || f.Element == cdr.NestedType:
		return nil, false
	case f.Form == 0:
		return &scalar, true
	}
	items, ok := parseTuple(f.Default)
	return &Node{Kind: List, Items: items}, ok
}

// parseTuple reads a tuple such as (1, 2) or ('a',).
func parseTuple(text string) ([]Node, bool) {
	rest, open := strings.CutPrefix(text, "(")
	rest, closed := strings.CutSuffix(rest, ")")
	ok := open && closed
	var items []Node
	for ok && rest != "" {
		n := Node{Kind: Plain}
		if rest[0] == '\'' || rest[0] == '"' {
			n.Kind = String
			n.Text, rest, ok = unquote(rest)
		} else {
			end := strings.IndexByte(rest+",", ',')
			n.Text, rest = rest[:end], rest[end:]
		}
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, ","), " ")
		items = append(items, n)
	}
	return items, ok
}

// unquote reads the string at the start of text and returns what follows it. Its escapes are among
// those that Go has.
func unquote(text string) (s, rest string, ok bool) {
	quote := text[0]
	rest = text[1:]
	var b strings.Builder
	for rest != "" && rest[0] != quote {
		r, _, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil {
			return "", "", false
		}
		b.WriteRune(r)
		rest = tail
	}
	rest, ok = strings.CutPrefix(rest, string(quote))
	return b.String(), rest, ok
}
