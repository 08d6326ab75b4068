package msggen

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// integer is a whole number of any size that matters: beyond 64 bits only the fact is kept.
type integer struct {
	negative bool
	size     uint64 // absolute value
	huge     bool   // the absolute value does not fit into size
}

// positive returns the number where it is above zero and fits an int.
func (i integer) positive() (int, bool) {
	ok := !i.huge && !i.negative && 0 < i.size && i.size <= math.MaxInt
	return int(i.size), ok
}

// parseInteger reads text as Python's int(text) does. With prefixes it also reads what
// int(text, 0) accepts: 0x, 0o and 0b.
func parseInteger(text string, prefixes bool) (n integer, ok bool) {
	digits, ok := asciiNumber(text)
	if !ok {
		return integer{}, false
	}
	digits, n.negative = cutSign(digits)
	base := 10
	if prefixes && len(digits) > 1 && digits[0] == '0' {
		switch digits[1] | 0x20 {
		case 'x':
			base = 16
		case 'o':
			base = 8
		case 'b':
			base = 2
		}
	}
	if base != 10 {
		digits = strings.TrimPrefix(digits[2:], "_")
	}
	digits, ok = joinDigits(digits, func(c byte) bool { return digitValue(c) < base })
	if !ok {
		return integer{}, false
	}
	size, err := strconv.ParseUint(digits, base, 64)
	n.size, n.huge = size, err != nil // the syntax is known to be right, so it is the range
	n.negative = n.negative && size != 0
	return n, true
}

// parseFloat reads text as Python's float(text) does: what is too large becomes infinite.
func parseFloat(text string) (float64, bool) {
	ascii, ok := asciiNumber(text)
	if !ok {
		return 0, false
	}
	body, negative := cutSign(ascii)
	var value float64
	switch strings.ToLower(body) {
	case "inf", "infinity":
		value = math.Inf(1)
	case "nan":
		value = math.NaN()
	default:
		digits, ok := decimalFloat(body)
		if !ok {
			return 0, false
		}
		value, _ = strconv.ParseFloat(digits, 64) // the only error left is the range
	}
	if negative {
		value = -value
	}
	return value, true
}

// decimalFloat checks the syntax of an unsigned decimal number and takes its underscores out.
func decimalFloat(s string) (string, bool) {
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		var ok bool
		unsigned, negative := cutSign(s[i+1:])
		if exponent, ok = joinDigits(unsigned, isDecimal); !ok {
			return "", false
		}
		if negative {
			exponent = "-" + exponent
		}
		mantissa, exponent = s[:i], "e"+exponent
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole == "" && fraction == "" {
		return "", false
	}
	whole, wholeOK := joinDigits(whole, isDecimal)
	fraction, fractionOK := joinDigits(fraction, isDecimal)
	if !wholeOK && whole != "" || !fractionOK && fraction != "" {
		return "", false
	}
	return whole + "." + fraction + exponent, true
}

// joinDigits takes out single underscores between digits. It fails, and returns what it got, on
// anything that is not digits so joined.
func joinDigits(s string, isDigit func(byte) bool) (string, bool) {
	joined := make([]byte, 0, len(s))
	afterDigit := false
	for i := range len(s) {
		switch {
		case isDigit(s[i]):
			joined = append(joined, s[i])
			afterDigit = true
		case s[i] == '_' && afterDigit:
			afterDigit = false
		default:
			return s, false
		}
	}
	if !afterDigit {
		return s, false
	}
	return string(joined), true
}

func cutSign(s string) (rest string, negative bool) {
	if rest, found := strings.CutPrefix(s, "-"); found {
		return rest, true
	}
	return strings.TrimPrefix(s, "+"), false
}

// asciiNumber does what Python does to a text before it reads a number from it: digits of all
// scripts become ASCII ones, blanks at the ends go. It fails on any other foreign character.
func asciiNumber(text string) (string, bool) {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < 0x7f:
			b.WriteByte(byte(r))
		case isSpace(r):
			b.WriteByte(' ')
		default:
			d, ok := decimalDigit(r)
			if !ok {
				return "", false
			}
			b.WriteByte('0' + d)
		}
	}
	return strings.Trim(b.String(), " "), true
}

// decimalDigit returns the value of a decimal digit of any script. Unicode keeps the digits of a
// script together in order, so the value follows from the place in the range.
func decimalDigit(r rune) (byte, bool) {
	for _, rg := range unicode.Nd.R16 {
		if rune(rg.Lo) <= r && r <= rune(rg.Hi) {
			return byte((r - rune(rg.Lo)) % 10), true
		}
	}
	for _, rg := range unicode.Nd.R32 {
		if rune(rg.Lo) <= r && r <= rune(rg.Hi) {
			return byte((r - rune(rg.Lo)) % 10), true
		}
	}
	return 0, false
}

func isDecimal(c byte) bool { return digitValue(c) < 10 }

// digitValue returns the value of a digit of base 16 or less, and 16 for anything else.
func digitValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 16
}
