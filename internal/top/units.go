package top

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// number prints v in five columns at the most: "0.25", "12.5", "1000", "25.0k".
func number(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1e9:
		return digits(v/1e9) + "G"
	case a >= 1e6:
		return digits(v/1e6) + "M"
	case a >= 1e4:
		return digits(v/1e3) + "k"
	}
	return digits(v)
}

// count prints a whole number in five columns at the most.
func count(n uint64) string {
	if n < 1e4 {
		return strconv.FormatUint(n, 10)
	}
	return number(float64(n))
}

func digits(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a < 10:
		return fmt.Sprintf("%.2f", v)
	case a < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// span prints a duration with its unit.
func span(d time.Duration) string {
	switch a := d.Abs(); {
	case a < time.Millisecond:
		return digits(float64(d)/1e3) + "µs"
	case a < time.Second:
		return digits(float64(d)/1e6) + "ms"
	}
	return digits(d.Seconds()) + "s"
}

// spark draws the last n values as bars, scaled to the largest, in n columns.
func spark(values []float64, n int) string {
	const bars = "▁▂▃▄▅▆▇█"
	values = values[max(0, len(values)-n):]
	largest := 0.0
	for _, v := range values {
		largest = max(largest, v)
	}
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", n-len(values)))
	for _, v := range values {
		i := 0
		if largest > 0 {
			i = int(math.Round(max(v, 0) / largest * 7))
		}
		b.WriteString(bars[3*i : 3*i+3])
	}
	return b.String()
}

// fit makes s exactly n columns wide. Of what is too long the end stays, as it tells names apart.
func fit(s string, n int) string {
	s = clean(s)
	length := utf8.RuneCountInString(s)
	switch {
	case length <= n:
		return s + strings.Repeat(" ", n-length)
	case n < 1:
		return ""
	}
	return "…" + string([]rune(s)[length-n+1:])
}

// right is fit with the text at the right.
func right(s string, n int) string {
	if pad := n - utf8.RuneCountInString(s); pad > 0 {
		return strings.Repeat(" ", pad) + s
	}
	return fit(s, n)
}

// cut takes what is behind column n off.
func cut(s string, n int) string {
	s = clean(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(n, 0)])
}

// clean takes out of a text from the network what a terminal might obey.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}
