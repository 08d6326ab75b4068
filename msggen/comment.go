package msggen

import (
	"regexp"
	"slices"
	"strings"
)

// comment is one line of a comment, without what marks it as one.
type comment struct {
	text string
	pos  Pos
}

// unitPattern finds a unit: text in brackets without a comma, which would make it a range. The
// blanks in front belong to it and include all that Python takes for white space.
var unitPattern = regexp.MustCompile(`[\s\v\x1c-\x1f\x{85}\p{Z}]*\[([^,\]]+)\]`)

// cleanComments takes the unit out of a comment and tidies the rest: no empty lines at the ends, no
// two in a row, no blanks in front that all lines share.
func cleanComments(lines []comment) (clean []comment, unit string) {
	lines, unit = cutUnit(lines)
	for len(lines) > 0 && lines[0].text == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1].text == "" {
		lines = lines[:len(lines)-1]
	}
	lines = slices.CompactFunc(lines, func(a, b comment) bool { return a.text == "" && b.text == "" })
	dedent(lines)
	return lines, unit
}

// cutUnit looks for the unit in the whole comment and counts only a single one.
func cutUnit(lines []comment) ([]comment, string) {
	text := strings.Join(texts(lines), "\n")
	if !strings.Contains(text, "[") {
		return lines, ""
	}
	found := unitPattern.FindAllStringSubmatch(text, 2)
	if len(found) != 1 {
		return lines, ""
	}
	for i := range lines {
		lines[i].text = strings.ReplaceAll(lines[i].text, found[0][0], "")
	}
	return lines, found[0][1]
}

// dedent does what Python's textwrap.dedent does to lines without tabs.
func dedent(lines []comment) {
	margin := -1
	for i, l := range lines {
		text := strings.TrimLeft(l.text, " ")
		if text == "" {
			lines[i].text = ""
			continue
		}
		if indent := len(l.text) - len(text); margin < 0 || indent < margin {
			margin = indent
		}
	}
	for i, l := range lines {
		if l.text != "" {
			lines[i].text = l.text[margin:]
		}
	}
}

func texts(lines []comment) []string {
	s := make([]string, len(lines))
	for i, l := range lines {
		s[i] = l.text
	}
	return s
}
