package cdr

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// appendYAMLFloat appends f as Python's repr with the additions that YAML 1.1 asks for: a
// point in every number, and names for what is not a number.
func appendYAMLFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, ".nan"...)
	case math.IsInf(f, 1):
		return append(dst, ".inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-.inf"...)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	if exp, _ := strconv.Atoi(exponent); exp < -4 || exp >= 16 {
		return append(dst, withPoint(mantissa)+"e"+exponent...)
	}
	return append(dst, withPoint(strconv.FormatFloat(f, 'f', -1, 64))...)
}

func withPoint(number string) string {
	if strings.Contains(number, ".") {
		return number
	}
	return number + ".0"
}

// appendYAMLString appends s in the style that PyYAML's dumper chooses: plain where a reader
// takes that for the same string, else in single quotes, and in double quotes where only
// escapes keep the text. Further lines of s are indented by indent blanks. Bytes that are not
// UTF-8 come out as U+FFFD.
func appendYAMLString(dst []byte, s string, flow bool, indent int) []byte {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	switch style := styleOf(s); {
	case style == doubleQuoted:
		return appendDoubleQuoted(dst, s)
	case style == singleQuoted, flow && style == blockPlain, isYAMLValue(s):
		return appendSingleQuoted(dst, s, indent)
	}
	return append(dst, s...)
}

// scalarStyle tells how a string may be written, the plainest way first.
type scalarStyle uint8

const (
	plain        scalarStyle = iota
	blockPlain               // without quotes, but not inside brackets
	singleQuoted             // no escapes needed
	doubleQuoted             // nothing else keeps the text
)

// styleOf follows the rules of PyYAML's emitter, which are stricter than YAML in places.
func styleOf(s string) scalarStyle {
	style := plain
	if strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") ||
		strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ") {
		style = singleQuoted
	}
	prev := '\n'
	for i, r := range s {
		style = max(style, styleOfRune(prev, r, s[i+utf8.RuneLen(r):], i == 0))
		prev = r
	}
	return style
}

// styleOfRune returns the plainest style that allows r between prev and rest.
func styleOfRune(prev, r rune, rest string, first bool) scalarStyle {
	switch {
	case isBreak(r) && prev == ' ', r == ' ' && isBreak(prev) && !first, !isPrintable(r):
		return doubleQuoted
	case isBreak(r),
		r == '#' && isSpace(prev),
		r == ':' && spaceFollows(rest),
		first && strings.ContainsRune("-?", r) && spaceFollows(rest),
		first && strings.ContainsRune("#,[]{}&*!|>'\"%@`", r):
		return singleQuoted
	case strings.ContainsRune(",?:[]{}", r):
		return blockPlain
	}
	return plain
}

func isBreak(r rune) bool {
	return r == '\n' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

func isSpace(r rune) bool {
	return isBreak(r) || r == ' ' || r == '\t' || r == '\r' || r == 0
}

func spaceFollows(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	return size == 0 || isSpace(r)
}

// isPrintable tells whether r may stand in a YAML text as itself.
func isPrintable(r rune) bool {
	return r == '\n' || r == '\u0085' || r >= ' ' && r <= '~' ||
		r >= 0xA0 && r < utf8.MaxRune && r != '\uFFFE' && r != '\uFFFF' && r != '\uFEFF'
}

// yamlValue matches what YAML 1.1 reads as something else than a string: a boolean, an
// integer, a float, null, a merge key, the value key or a timestamp.
var yamlValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + strings.Join([]string{
		`yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF`,
		`[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+`,
		`[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+`,
		`[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?`,
		`[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*`,
		`[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)`,
		`~|null|Null|NULL||<<|=`,
		`\d{4}-\d\d-\d\d`,
		`\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?`,
	}, "|") + `)$`)
})

// isYAMLValue tells whether s without quotes would not be read as a string.
func isYAMLValue(s string) bool {
	return s == "" || strings.ContainsRune("yYnNtTfFoO-+.0123456789~<=", rune(s[0])) && yamlValue().MatchString(s)
}

func appendSingleQuoted(dst []byte, s string, indent int) []byte {
	dst = append(dst, '\'')
	prev := rune(0)
	for i, r := range s {
		switch {
		case isBreak(r):
			// A reader folds a single line break into a blank, so the first is doubled.
			if r == '\n' && !isBreak(prev) {
				dst = append(dst, '\n')
			}
			dst = utf8.AppendRune(dst, r)
			if next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):]); !isBreak(next) {
				dst = appendBlanks(dst, indent)
			}
		case r == '\'':
			dst = append(dst, "''"...)
		default:
			dst = utf8.AppendRune(dst, r)
		}
		prev = r
	}
	return append(dst, '\'')
}

func appendBlanks(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

var yamlEscapes = map[rune]string{
	0: `\0`, '\a': `\a`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\v': `\v`, '\f': `\f`, '\r': `\r`,
	0x1B: `\e`, '"': `\"`, '\\': `\\`, '\u0085': `\N`, '\u2028': `\L`, '\u2029': `\P`,
}

func appendDoubleQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		escape, known := yamlEscapes[r]
		switch {
		case known:
			dst = append(dst, escape...)
		case isPrintable(r) && r <= 0xFFFF:
			dst = utf8.AppendRune(dst, r)
		case r <= 0xFF:
			dst = fmt.Appendf(dst, `\x%02X`, r)
		case r <= 0xFFFF:
			dst = fmt.Appendf(dst, `\u%04X`, r)
		default:
			dst = fmt.Appendf(dst, `\U%08X`, r)
		}
	}
	return append(dst, '"')
}
