package msggen

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// defaultText returns a default as type descriptions of ROS 2 hold it, which is what Python's str
// makes of it: text without quotes, True and False, arrays as tuples.
func defaultText(v Value) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return Final(v).(string)
	default:
		return inIDL(pythonRepr(v))
	}
}

// pythonRepr returns a value as Python's repr writes it, arrays as tuples.
func pythonRepr(v Value) string {
	switch v := v.(type) {
	case bool:
		return map[bool]string{false: "False", true: "True"}[v]
	case float64:
		return pythonFloat(v)
	case string:
		return pythonQuote(v)
	case []Value:
		elements := make([]string, len(v))
		for i, e := range v {
			elements[i] = pythonRepr(e)
		}
		if len(v) == 1 {
			return "(" + elements[0] + ",)"
		}
		return "(" + strings.Join(elements, ", ") + ")"
	}
	return fmt.Sprint(v)
}

func pythonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64)), "+")
	}
	text := strconv.FormatFloat(f, 'e', -1, 64)
	_, exponent, _ := strings.Cut(text, "e")
	if n, _ := strconv.Atoi(exponent); n < -4 || n >= 16 {
		return text
	}
	text = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

func pythonQuote(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b := []byte{quote}
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case unicode.IsPrint(r):
			b = append(b, string(r)...)
		case r <= 0xff:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r <= 0xffff:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
	}
	return string(append(b, quote))
}
