package doctest

import (
	"fmt"
	"regexp"
	"strings"
)

// A document is what can be checked of a Markdown file.
type document struct {
	name   string
	blocks []block
	spans  []span // code within the text
	links  []span
}

// A block is a fenced block. The words behind its language are for this test, and not shown to readers:
// "run" for commands that are executed in turn, "file=NAME" for what they find in that file.
type block struct {
	span
	language string
	words    []string
	index    int
}

// A span is text at a place of a document.
type span struct {
	document string
	line     int
	text     string
}

func (s span) place() string { return fmt.Sprintf("%s:%d", s.document, s.line) }

func (b block) runs() bool {
	return b.language == "sh" && b.file() == "" && len(b.words) > 0 && b.words[0] == "run"
}

// file returns the name of the file that the block is the content of, "" for none.
func (b block) file() string {
	for _, w := range b.words {
		if name, ok := strings.CutPrefix(w, "file="); ok {
			return name
		}
	}
	return ""
}

var (
	code = regexp.MustCompile("`([^`]+)`")
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

func parse(name, text string) (*document, error) {
	d := &document{name: name}
	var open *block
	for i, line := range strings.Split(text, "\n") {
		info, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && open == nil:
			words := strings.Fields(info)
			if len(words) == 0 {
				return nil, fmt.Errorf("%s:%d: the block has no language", name, i+1)
			}
			open = &block{span{name, i + 1, ""}, words[0], words[1:], len(d.blocks)}
		case fence:
			d.blocks = append(d.blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		default:
			if line, ok := strings.CutPrefix(line, "    "); ok {
				d.spans = append(d.spans, span{name, i + 1, line})
			}
			for _, m := range code.FindAllStringSubmatch(line, -1) {
				d.spans = append(d.spans, span{name, i + 1, m[1]})
			}
			for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(line, ""), -1) {
				d.links = append(d.links, span{name, i + 1, m[1]})
			}
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s: the block has no end", open.place())
	}
	return d, nil
}
