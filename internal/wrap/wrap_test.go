package wrap

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	forty := strings.Repeat("µ", 40)
	for _, c := range []struct {
		text   string
		indent int
		want   string
	}{
		{"", 3, ""},
		{" one  two ", 3, "one two"},
		{forty + " " + forty[2:], 0, forty + " " + forty[2:]},
		{forty + " " + forty, 0, forty + "\n" + forty},
		{forty + " x", 39, forty + "\n" + strings.Repeat(" ", 39) + "x"},
		{forty + forty + forty + " x", 2, forty + forty + forty + "\n  x"},
	} {
		if got := Text(c.text, c.indent); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
