package lex

import (
	"fmt"
	"strings"
	"testing"
)

func TestScanner(t *testing.T) {
	for text, want := range map[string]string{
		"":               "",
		"a1_b":           "2:a1_b",
		"a__b":           "2:a_ 2:_b",
		"a___b":          "2:a_ 0:__b",
		"a___ns":         "2:a_ 11:__ns",
		"_":              "2:_",
		"_1":             "2:_1",
		"1a":             "0:1 2:a",
		"__":             "0:__",
		"__nx":           "0:__nx",
		"__node__name":   "10:__node 10:__name",
		"rostopic://a":   "8:rostopic:// 2:a",
		"rostopic:/a":    "2:rostopic 5:: 3:/ 2:a",
		"arostopic://a":  "2:arostopic 5:: 3:/ 3:/ 2:a",
		"/rosservice://": "3:/ 9:rosservice://",
		"rosserv":        "2:rosserv",
		":::=":           "5:: 5:: 6::=",
		"~/~a~":          "7:~/ 0:~a 0:~",
		"***.":           "12:** 12:* 4:.",
		`\1\0\`:          `13:\1 0:\0 0:\`,
		"é":              "0:\xc3 0:\xa9",
		"a\x00":          "2:a 0:\x00",
	} {
		s := Scanner{Text: text}
		var got []string
		for s.Peek() != End {
			kind, lexeme := s.Next()
			got = append(got, fmt.Sprintf("%d:%s", kind, lexeme))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
