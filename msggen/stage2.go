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
// written in strings only, where backslash escapes are resolved on the way.
func Final(v Value) Value {
	switch v := v.(type) {
	case string:
		if final, problem := idlString(v); problem == "" {
			return final
		}
	case []Value:
		final := make([]Value, len(v))
		for i, e := range v {
			final[i] = finalElement(e)
		}
		return final
	}
	return v
}

// finalElement returns an element of an array. Those of strings are Python literals in the IDL,
// of which a backslash is lost, and which the generators of code evaluate. What these cannot
// evaluate stays as it is written.
func finalElement(v Value) Value {
	s, ok := v.(string)
	if !ok {
		return v
	}
	literal := inIDL(pythonQuote(s))
	final, ok := evalPython(literal[1:len(literal)-1], literal[:1])
	if !ok {
		return v
	}
	return final
}

// inIDL returns the Python text of an array as it is read from the IDL. It is written there with one
// byte for each character and read as UTF-8, and escaped backslashes and quotes are resolved twice.
func inIDL(text string) string {
	if file, ok := latin1(text); ok && utf8.Valid(file) {
		text = string(file)
	}
	return unescape.Replace(text)
}

// latin1 returns s with one byte for each character. It fails on characters above U+00FF.
func latin1(s string) ([]byte, bool) {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return nil, false
		}
		b = append(b, byte(r))
	}
	return b, true
}

var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// evalPython returns the string that a Python literal with this text between its quotes stands for.
func evalPython(text, quote string) (string, bool) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, `\`)
		b.WriteString(before)
		switch {
		case strings.Contains(before, quote), found && after == "":
			return "", false
		case !found:
			return b.String(), true
		}
		value, size, problem := pythonEscape(after)
		if problem != "" || !utf8.ValidRune(value) {
			return "", false
		}
		b.WriteRune(value)
		text = after[size:]
	}
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
	for {
		before, after, found := strings.Cut(s, `\`)
		b.WriteString(before)
		switch {
		case !found:
			return b.String(), ""
		case after == "":
			return "", "the text ends with a backslash; remove it"
		}
		value, size, problem := pythonEscape(after)
		switch {
		case problem != "":
			return "", problem
		case value > 0xff:
			return "", "an escape is above U+00FF; write the character itself"
		case value >= 0:
			b.WriteByte(byte(value))
		}
		s = after[size:]
	}
}

// pythonEscape resolves the escape at the start of s, whose backslash is cut off. It returns the
// character, or -1 where the escape stands for nothing, and how many bytes of s it takes: none where
// the backslash stands for itself.
func pythonEscape(s string) (value rune, size int, problem string) {
	switch c := s[0]; c {
	case '\n':
		return -1, 1, ""
	case '\\', '\'', '"':
		return rune(c), 1, ""
	case 'a', 'b', 't', 'n', 'v', 'f', 'r':
		return rune(controls[c]), 1, ""
	case '0', '1', '2', '3', '4', '5', '6', '7':
		value, size := octalDigits(s)
		return rune(value), size, ""
	case 'x', 'u', 'U':
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		value := hexDigits(s[1:], digits)
		if value < 0 {
			return 0, 0, `\` + s[:1] + ` starts an escape that needs more hexadecimal digits; write / in paths, or \\`
		}
		return rune(value), 1 + digits, ""
	case 'N':
		return 0, 0, `\N starts the name of a character; write the character itself`
	}
	return '\\', 0, ""
}

var controls = map[byte]byte{'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}

// octalDigits reads up to three digits.
func octalDigits(s string) (value, size int) {
	for size < min(len(s), 3) && '0' <= s[size] && s[size] <= '7' {
		value = value<<3 | int(s[size]-'0')
		size++
	}
	return value, size
}

// hexDigits reads exactly n digits, which stand for a character, and returns -1 where it cannot.
func hexDigits(s string, n int) int {
	if len(s) < n {
		return -1
	}
	value := 0
	for i := range n {
		d := digitValue(s[i])
		if value = value<<4 | d; d > 15 || value > unicode.MaxRune {
			return -1
		}
	}
	return value
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
	for {
		before, after, found := strings.Cut(s, `\`)
		b.WriteString(before)
		if !found {
			return b.String(), ""
		}
		s = after
		c := s[0] // closesAtEnd leaves no backslash alone at the end
		switch {
		case strings.IndexByte(`\'"`, c) >= 0:
			b.WriteByte(c)
			s = s[1:]
		case controls[c] != 0:
			b.WriteByte(controls[c])
			s = s[1:]
		case '0' <= c && c <= '7':
			value, size := octalDigits(s)
			b.WriteRune(rune(value))
			s = s[size:]
		case c == 'x' && len(s) > 1 && digitValue(s[1]) < 16:
			value := hexDigits(s[1:], 2)
			if value < 0 {
				return "", `\x starts an escape that needs two hexadecimal digits; remove the backslash`
			}
			b.WriteRune(rune(value))
			s = s[3:]
		default:
			b.WriteByte('\\') // and what follows stays
		}
	}
}

// idlStrings checks the elements of a string array. They are written as the text of a Python tuple,
// which escapes what cannot be printed, into a file of one byte per character.
func idlStrings(values []Value) (problem string) {
	var file []byte
	const notASCII = "the strings of an array must be ASCII in a definition; set others at run time"
	for _, v := range values {
		for _, r := range v.(string) {
			switch {
			case r >= utf8.RuneSelf && !unicode.IsPrint(r):
			case r > 0xff:
				return notASCII
			default:
				file = append(file, byte(r))
			}
		}
		file = append(file, ',')
	}
	if !utf8.Valid(file) {
		return notASCII
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
