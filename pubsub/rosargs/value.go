package rosargs

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// ParseValue reads the value of a parameter from YAML: a bool, int64, float64 or string, a list of
// one of them, or an empty []any. Types are those that rcl's own parser gives: yes and on are true,
// 010 is 8, what is in quotes is a string.
func ParseValue(text string) (any, error) {
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, errors.New("the value is missing, an empty string is written as ''")
	}
	switch err := dec.Decode(new(yaml.Node)); {
	case err == nil:
		return nil, errors.New("more than one YAML document, give a single value")
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return value(doc.Content[0])
}

// value returns what a scalar or a list stands for.
func value(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return scalar(n)
	case yaml.SequenceNode:
		return list(n)
	case yaml.AliasNode:
		return nil, lineError(n, "aliases (*name) are not allowed, repeat the value")
	default:
		return nil, lineError(n, "a value or a list of values is wanted here, not a map")
	}
}

func list(n *yaml.Node) (any, error) {
	values := make([]any, len(n.Content))
	for i, item := range n.Content {
		if item.Kind == yaml.SequenceNode {
			return nil, lineError(item, "a list in a list, parameters have one level only")
		}
		v, err := value(item)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	if len(values) == 0 {
		return values, nil
	}
	switch values[0].(type) {
	case bool:
		return typed[bool](n, values)
	case int64:
		return typed[int64](n, values)
	case float64:
		return typed[float64](n, values)
	default:
		return typed[string](n, values)
	}
}

func typed[T any](n *yaml.Node, values []any) (any, error) {
	result := make([]T, len(values))
	for i, v := range values {
		t, ok := v.(T)
		if !ok {
			return nil, lineError(n.Content[i],
				fmt.Sprintf("%.60q in a list that starts with %.60q, write all items as one type (1.0, 'text')",
					n.Content[i].Value, n.Content[0].Value))
		}
		result[i] = t
	}
	return result, nil
}

func scalar(n *yaml.Node) (any, error) {
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	switch {
	case quoted:
		return n.Value, nil
	case n.Value == "":
		return nil, lineError(n, "the value is missing, an empty string is written as ''")
	case n.Style&yaml.TaggedStyle != 0 && n.Tag == "!!str":
		return n.Value, nil
	}
	return resolve(n.Value), nil
}

var (
	trueWords  = []string{"Y", "y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}
	falseWords = []string{"N", "n", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}
	infWords   = []string{".inf", ".Inf", ".INF"}
	nanWords   = []string{".nan", ".NaN", ".NAN"}
)

// isNaN matches what C calls a NaN: the parentheses may hold which one it is.
var isNaN = regexp.MustCompile(`^(?i:nan)(\([0-9A-Za-z_]*\))?$`)

// resolve gives a text without quotes its type.
func resolve(text string) any {
	if slices.Contains(trueWords, text) {
		return true
	}
	if slices.Contains(falseWords, text) {
		return false
	}
	if n, ok := parseInt(text); ok {
		return n
	}
	if f, ok := parseFloat(text); ok {
		return f
	}
	return text
}

// cutSign splits a number from its sign.
func cutSign(text string) (negative bool, rest string) {
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		return true, rest
	}
	return false, strings.TrimPrefix(text, "+")
}

// parseInt reads what C's strtoll reads with base 0.
func parseInt(text string) (int64, bool) {
	negative, digits := cutSign(text)
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"), strings.HasPrefix(digits, "0X"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0"):
		base = 8
	}
	n, err := strconv.ParseUint(digits, base, 64)
	switch {
	case err != nil:
		return 0, false
	case negative && n <= -math.MinInt64:
		return -int64(n), true
	case !negative && n <= math.MaxInt64:
		return int64(n), true
	}
	return 0, false
}

// parseFloat reads what C's strtod reads, and YAML's own words.
func parseFloat(text string) (float64, bool) {
	negative, digits := cutSign(text)
	lower := strings.ToLower(digits)
	sign := 1
	if negative {
		sign = -1
	}
	switch {
	case slices.Contains(infWords, digits), lower == "inf", lower == "infinity":
		return math.Inf(sign), true
	case slices.Contains(nanWords, text), isNaN.MatchString(digits):
		return math.NaN(), true
	case strings.Contains(digits, "_"): // strconv takes them
		return 0, false
	case strings.HasPrefix(lower, "0x") && !strings.Contains(lower, "p"): // strconv wants an exponent
		text += "p0"
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}

// lineError is a fault at a place in YAML.
func lineError(n *yaml.Node, text string) error {
	return fmt.Errorf("line %d: %s", n.Line, text)
}
