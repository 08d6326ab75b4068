package msggen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The second stage of ROS 2 writes every definition as IDL and reads that back. On the way comments
// and strings pass through three notations: they are decoded as Python source, written as an IDL
// literal into a file whose bytes must be UTF-8, and decoded as IDL. This file follows a text along
// that way to tell what comes out, or why nothing does.

// Final returns a default or constant as programs of ROS 2 see it. It differs from the value as
// written in single strings only, where the second stage resolves backslash escapes.
func Final(v Value) Value {
	s, ok := v.(string)
	if !ok {
		return v
	}
	final, err := idlString(s)
	if err != "" {
		return v
	}
	return final
}

// idlString follows the text of a comment, unit or single string. It returns the text at the end
// or what is wrong with it.
func idlString(s string) (final, problem string) {
	if !strings.ContainsAny(s, "\\\n") {
		return s, ""
	}
	decoded, problem := decodePython(s)
	if problem != "" {
		return "", problem
	}
	if strings.ContainsAny(decoded, "\r\n") {
		return "", `a line break cannot stand in an IDL string; remove the \n or \r`
	}
	if !utf8.ValidString(decoded) {
		return "", "an escape above \\x7f breaks the encoding; write the character itself"
	}
	if !closesAtEnd(decoded) {
		return "", `a backslash meets a quote or the end and upsets the IDL string; remove it`
	}
	return decodeIDL(decoded)
}

// decodePython resolves escapes as Python's unicode_escape codec does. A character above U+007F
// that an escape produces is a single byte in the result, as it is in the file that the reference
// writes.
func decodePython(s string) (decoded, problem string) {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		if i++; i == len(s) {
			return "", "the text ends with a backslash; remove it"
		}
		c := s[i]
		i++
		switch c {
		case '\n':
		case '\\', '\'', '"':
			b.WriteByte(c)
		case 'a', 'b', 't', 'n', 'v', 'f', 'r':
			b.WriteByte(controls[c])
		case '0', '1', '2', '3', '4', '5', '6', '7':
			value := int(c - '0')
			for range 2 {
				if i < len(s) && '0' <= s[i] && s[i] <= '7' {
					value = value*8 + int(s[i]-'0')
					i++
				}
			}
			if value > 0xff {
				return "", `an octal escape is above \377; write the character itself`
			}
			b.WriteByte(byte(value))
		case 'x', 'u', 'U':
			width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			value, ok := hexDigits(s[i:], width)
			if !ok {
				return "", `\` + string(c) + ` is an escape that needs more hexadecimal digits; write / for a path, or \\`
			}
			if value > 0xff {
				return "", "an escape is above U+00FF; write the character itself"
			}
			b.WriteByte(byte(value))
			i += width
		case 'N':
			return "", `\N starts the name of a character; write the character itself`
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

var controls = map[byte]byte{'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}

func hexDigits(s string, width int) (value int, ok bool) {
	if len(s) < width {
		return 0, false
	}
	for i := range width {
		d := digitValue(s[i])
		if d > 15 {
			return 0, false
		}
		if value = value<<4 | d; value > unicode.MaxRune {
			return 0, false
		}
	}
	return value, true
}

// closesAtEnd reports whether the IDL literal of s ends where it should. A backslash is written in
// front of every quote, and a quote closes the literal after an even number of them.
func closesAtEnd(s string) bool {
	backslashes := 0
	for i := range len(s) {
		switch s[i] {
		case '\\':
			backslashes++
			continue
		case '"':
			if backslashes%2 == 1 {
				return false
			}
		}
		backslashes = 0
	}
	return backslashes%2 == 0
}

// decodeIDL resolves the escapes of an IDL literal with the content s, whose quotes carry no
// backslash here.
func decodeIDL(s string) (decoded, problem string) {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		c := s[i+1]
		i += 2
		switch {
		case c == '\\' || c == '\'' || c == '"':
			b.WriteByte(c)
		case controls[c] != 0:
			b.WriteByte(controls[c])
		case '0' <= c && c <= '7':
			value := rune(c - '0')
			for range 2 {
				if i < len(s) && '0' <= s[i] && s[i] <= '7' {
					value = value*8 + rune(s[i]-'0')
					i++
				}
			}
			b.WriteRune(value)
		case c == 'x' && i < len(s) && digitValue(s[i]) < 16:
			value, ok := hexDigits(s[i:], 2)
			if !ok {
				return "", `\x is an escape that needs two hexadecimal digits; remove the backslash`
			}
			b.WriteRune(rune(value))
			i += 2
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// idlStrings checks the elements of a string array. They are written as the text of a Python tuple,
// which escapes what cannot be printed, into a file of one byte per character.
func idlStrings(values []Value) (problem string) {
	var file []byte
	for _, v := range values {
		for _, r := range v.(string) {
			switch {
			case r >= utf8.RuneSelf && !unicode.IsPrint(r):
			case r > 0xff:
				return "a string in an array must be ASCII; use a scalar string or fill the field at run time"
			default:
				file = append(file, byte(r))
			}
		}
		file = append(file, ',')
	}
	if !utf8.Valid(file) {
		return "a string in an array must be ASCII; use a scalar string or fill the field at run time"
	}
	return ""
}

// idlProblem returns what the second stage has against a default or constant, or "".
func idlProblem(v Value) string {
	switch v := v.(type) {
	case string:
		_, problem := idlString(v)
		return problem
	case []Value:
		if len(v) > 0 {
			if _, ok := v[0].(string); ok {
				return idlStrings(v)
			}
		}
	}
	return ""
}
