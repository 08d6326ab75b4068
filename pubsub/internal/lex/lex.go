// Package lex splits the rules of a ROS command line into lexemes, as the lexer of rcl does: the
// same text falls into the same pieces, the ones without a meaning included.
package lex

import "strings"

// Kind is what a lexeme is.
type Kind int

const (
	None          Kind = iota // no lexeme starts here
	End                       // the end of the text
	Token                     // a part of a name
	Slash                     // /
	Dot                       // .
	Colon                     // :
	Separator                 // :=
	TildeSlash                // ~/
	Topic                     // rostopic://
	Service                   // rosservice://
	NodeName                  // __node or __name
	Namespace                 // __ns
	Wildcard                  // * or **
	BackReference             // \1 to \9
)

// fixed holds the lexemes with a text of their own, longer ones before their prefixes.
var fixed = []struct {
	text string
	kind Kind
}{
	{"rosservice://", Service},
	{"rostopic://", Topic},
	{"__node", NodeName},
	{"__name", NodeName},
	{"__ns", Namespace},
	{":=", Separator},
	{":", Colon},
	{"~/", TildeSlash},
	{"/", Slash},
	{".", Dot},
	{"**", Wildcard},
	{"*", Wildcard},
}

// A Scanner walks over the lexemes of a text.
type Scanner struct {
	Text string
	Pos  int // where the next lexeme starts
}

// Peek returns the kind of the next lexeme.
func (s *Scanner) Peek() Kind {
	kind, _ := next(s.Text[s.Pos:])
	return kind
}

// Next takes the next lexeme, whatever it is.
func (s *Scanner) Next() (Kind, string) {
	kind, n := next(s.Text[s.Pos:])
	s.Pos += n
	return kind, s.Text[s.Pos-n : s.Pos]
}

// Take takes the next lexeme if it is of that kind.
func (s *Scanner) Take(kind Kind) (string, bool) {
	got, n := next(s.Text[s.Pos:])
	if got != kind {
		return "", false
	}
	s.Pos += n
	return s.Text[s.Pos-n : s.Pos], true
}

// Rest returns the text from the next lexeme on.
func (s *Scanner) Rest() string { return s.Text[s.Pos:] }

func next(text string) (Kind, int) {
	if text == "" {
		return End, 0
	}
	for _, f := range fixed {
		if strings.HasPrefix(text, f.text) {
			return f.kind, len(f.text)
		}
	}
	if len(text) > 1 && text[0] == '\\' && '1' <= text[1] && text[1] <= '9' {
		return BackReference, 2
	}
	if n := token(text); n > 0 {
		return Token, n
	}
	return None, noneLength(text)
}

// token returns the length of the part of a name that text starts with. It ends before a second
// underscore in a row, and two of them do not start one.
func token(text string) int {
	if isDigit(text[0]) || strings.HasPrefix(text, "__") {
		return 0
	}
	n := 0
	for n < len(text) && (isLetter(text[n]) || isDigit(text[n]) || text[n] == '_' && (n == 0 || text[n-1] != '_')) {
		n++
	}
	return n
}

// noneLength returns how much of text is skipped where no lexeme starts: all that a lexeme could
// start with and the byte that belongs to none.
func noneLength(text string) int {
	n := 0
	for _, f := range fixed {
		n = max(n, commonPrefix(text, f.text))
	}
	if text[0] == '\\' {
		n = 1
	}
	return min(n+1, len(text))
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
