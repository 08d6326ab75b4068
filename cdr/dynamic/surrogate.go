package dynamic

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonText returns the text of a JSON string from what is written between its quotes, which package
// json has accepted. That package replaces surrogates without a partner, which a wstring may hold and
// cdr.AppendJSON escapes; here they become the three bytes that stand for them in Go.
func jsonText(literal string) string {
	var b strings.Builder
	start := 0 // of what is not written yet
	for i := 0; i < len(literal); {
		switch {
		case literal[i] != '\\':
			i++
		case literal[i+1] != 'u':
			i += 2
		case utf16.DecodeRune(escaped(literal[i:]), escaped(literal[i+6:])) != utf8.RuneError:
			i += 12
		case !utf16.IsSurrogate(escaped(literal[i:])):
			i += 6
		default:
			r := escaped(literal[i:])
			b.WriteString(plainText(literal[start:i]))
			b.Write([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
			i += 6
			start = i
		}
	}
	b.WriteString(plainText(literal[start:]))
	return b.String()
}

// escaped returns the code unit of the escape at the start of s, 0 if there is none.
func escaped(s string) rune {
	if len(s) < 6 || s[:2] != `\u` {
		return 0
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return 0
	}
	return rune(unit)
}

// plainText decodes a part of a JSON string that is known to be right.
func plainText(literal string) string {
	var s string
	if err := json.Unmarshal([]byte(`"`+literal+`"`), &s); err != nil {
		panic("dynamic: a JSON string that was accepted: " + err.Error())
	}
	return s
}
