package msggen

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// parseValue reads the default of a field of type t.
func parseValue(t Type, s span) (Value, *fault) {
	switch {
	case t.Base == Nested:
		return nil, faultf(s, "a field of message type %s cannot have a default; remove it", t)
	case t.Array == Single:
		return parseScalar(t, s)
	}
	if !strings.HasPrefix(s.text, "[") || !strings.HasSuffix(s.text, "]") {
		return nil, faultf(s, "the default of an array is %s; write it in brackets: [a, b]", s.text)
	}
	elements, f := splitElements(t, s.to(len(s.text)-1).from(1))
	if f != nil {
		return nil, f
	}
	switch n := len(elements); {
	case t.Array == Fixed && n != t.Len:
		return nil, faultf(s, "the default of %s has %d elements; it must have exactly %d", t, n, t.Len)
	case t.Array == Bounded && n > t.Len:
		return nil, faultf(s, "the default of %s has %d elements; it may have at most %d", t, n, t.Len)
	}
	values := make([]Value, len(elements))
	for i, e := range elements {
		if values[i], f = parseScalar(t.Element(), e.trimLeft().trimRight()); f != nil {
			return nil, f
		}
	}
	return values, nil
}

func splitElements(t Type, s span) ([]span, *fault) {
	switch {
	case t.Base == String || t.Base == WString:
		return splitStrings(s)
	case s.text == "":
		return nil, nil
	}
	return s.split(","), nil
}

// parseScalar reads a single value: a default, a constant or an element of an array.
func parseScalar(t Type, s span) (Value, *fault) {
	switch t.Base {
	case Bool:
		return parseBool(s)
	case Float32, Float64:
		value, ok := parseFloat(s.text)
		if !ok {
			return nil, faultf(s, "%q is no number; write a decimal number like 1.5 or 1e-3", s.text)
		}
		return value, nil
	case String, WString:
		return parseString(t, s)
	case Time, Duration:
		return nil, faultf(s, "%s cannot have a value; use %s without one", t.Base, builtin[t.Base])
	}
	return parseInt(t.Base, s)
}

func parseBool(s span) (Value, *fault) {
	switch strings.ToLower(s.text) {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return nil, faultf(s, "%q is no bool; write true or false", s.text)
}

func parseInt(b Base, s span) (Value, *fault) {
	n, ok := parseInteger(s.text, true)
	if !ok {
		return nil, faultf(s, "%q is no whole number; write it in decimal, or with 0x, 0o or 0b in front", s.text)
	}
	lowest, highest := b.limits()
	switch {
	case n.huge, n.negative && n.size > -uint64(lowest), !n.negative && n.size > highest:
		return nil, faultf(s, "%s does not fit %s; it must be from %d to %d", s.text, b, lowest, highest)
	case n.negative:
		return -int64(n.size), nil
	case n.size > math.MaxInt64:
		return n.size, nil
	}
	return int64(n.size), nil
}

// limits returns the range of an integer type.
func (b Base) limits() (lowest int64, highest uint64) {
	switch b {
	case Byte, Char, Uint8:
		return 0, math.MaxUint8
	case Int8:
		return math.MinInt8, math.MaxInt8
	case Int16:
		return math.MinInt16, math.MaxInt16
	case Uint16:
		return 0, math.MaxUint16
	case Int32:
		return math.MinInt32, math.MaxInt32
	case Uint32:
		return 0, math.MaxUint32
	case Int64:
		return math.MinInt64, math.MaxInt64
	case Uint64:
		return 0, math.MaxUint64
	}
	panic(fmt.Sprintf("msggen: %v is no integer type", b))
}

// parseString takes one pair of quotes off and resolves the escaped quotes between them. All other
// escapes stay as they are in this stage.
func parseString(t Type, s span) (Value, *fault) {
	text := s.text
	for _, quote := range [...]string{`"`, `'`} {
		if !strings.HasPrefix(text, quote) || !strings.HasSuffix(text, quote) {
			continue
		}
		text = text[1:max(len(text)-1, 1)] // a lone quote counts as both
		if i := unescapedQuote(text, quote); i >= 0 {
			return nil, faultf(s.from(1+i), `a %s inside quotes ends the string too early; write \%s`, quote, quote)
		}
		text = strings.ReplaceAll(text, `\`+quote, quote)
		break
	}
	if n := utf8.RuneCountInString(text); t.Bound > 0 && n > t.Bound {
		return nil, faultf(s, "the string has %d characters; %s allows at most %d", n, t.Element(), t.Bound)
	}
	return text, nil
}

// unescapedQuote returns the index of the first quote without a backslash in front, or -1.
func unescapedQuote(text, quote string) int {
	for i := range len(text) {
		if text[i:i+1] == quote && (i == 0 || text[i-1] != '\\') {
			return i
		}
	}
	return -1
}

// splitStrings splits the text between the brackets of a string array. It follows the walk of the
// reference in all its turns, so commas between quoted elements are optional and what follows a
// second escaped quote goes astray.
func splitStrings(s span) ([]span, *fault) {
	var elements []span
	for rest := s; rest.text != ""; {
		rest = trimBlanks(rest)
		if rest.text == "" || rest.text[0] == ',' {
			return nil, faultf(rest, `an element of the array is missing; write "" for an empty string`)
		}
		var element span
		if quote := rest.text[0]; quote == '"' || quote == '\'' {
			end, next := endQuote(rest.text, quote)
			if end < 0 {
				return nil, faultf(rest, "the string has no closing %c; add it", quote)
			}
			element, rest = rest.to(end).from(1), rest.from(next)
			element.text = strings.ReplaceAll(element.text, `\`+string(quote), string(quote))
		} else {
			element, rest = rest, rest.from(len(rest.text))
			if comma := strings.IndexByte(element.text, ','); comma >= 0 {
				element, rest = element.to(comma), element.from(comma)
			}
		}
		elements = append(elements, element)
		rest = trimBlanks(rest)
		if strings.HasPrefix(rest.text, ",") {
			rest = rest.from(1)
		}
	}
	return elements, nil
}

func trimBlanks(s span) span { return s.from(len(s.text) - len(strings.TrimLeft(s.text, " "))) }

// endQuote returns where the quoted text at the start of text ends and where the text behind it
// starts, or -1. Behind an escaped quote the reference forgets how far it had come before; its
// indices count characters.
func endQuote(text string, quote byte) (end, next int) {
	forgotten, base := false, 0
	for rest := text; rest != ""; {
		_, first := utf8.DecodeRuneInString(rest) // may be a quote that does not count
		i := strings.IndexByte(rest[first:], quote)
		if i < 0 {
			break
		}
		i += first
		escaped := rest[i-1] == '\\'
		switch {
		case !escaped && !forgotten:
			return i, i + 1
		case !escaped:
			chars := base + utf8.RuneCountInString(rest[:i])
			return byteOf(text, chars), byteOf(text, chars+1)
		}
		forgotten, base = true, utf8.RuneCountInString(rest[:i])+1
		rest = rest[i+1:]
	}
	return -1, -1
}

// byteOf returns where character n of text starts, its end where it has fewer.
func byteOf(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
