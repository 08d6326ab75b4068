package msggen

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// separator divides the sections of a service or action.
const separator = "---"

// sections holds the suffixes of the messages that the sections of a file make.
var sections = [...][]string{
	Msg:    {""},
	Srv:    {"_Request", "_Response"},
	Action: {"_Goal", "_Result", "_Feedback"},
}

// What separators a file must have, for messages. Those of a .msg file are faulty fields.
var separatorRules = [...]string{
	Srv:    "one line that is exactly --- between request and response",
	Action: "two lines that are exactly --- between goal, result and feedback",
}

// NameOf returns the name of the type that the interface file path of package pkg defines. It
// fails on files that are no interface files.
func NameOf(path, pkg string) (TypeName, error) {
	base := filepath.Base(path)
	ext := filepath.Ext(base)
	for k := Msg; k <= Action; k++ {
		if ext == "."+k.String() {
			return TypeName{pkg, k, strings.TrimSuffix(base, ext)}, nil
		}
	}
	return TypeName{}, fmt.Errorf("%s is no interface file; its name must end in .msg, .srv or .action", path)
}

// ParseFile reads the interface file path of package pkg, whose bytes are src. The name of the
// type and the kind of file come from the path; the file itself is not opened.
//
// The definition is nil where the first stage of ROS 2 rejects the file, and complete, but not fit
// for use, where only the second does. Types that the file names are not looked up; a [Loader]
// does that. Field defaults and constants hold the values of the first stage, see [Final].
//
// One extension goes beyond ROS 2, which takes it for a comment: a comment that begins with the
// word @key, on the line of a field or above it, makes the field part of the key of its topic.
func ParseFile(path string, src []byte, pkg string) (*Definition, Diagnostics) {
	def, diags := parseFile(path, src, pkg)
	if !diags.accepted() {
		return nil, diags
	}
	return def, diags
}

// parseFile is ParseFile with what could be read of a file that is rejected.
func parseFile(path string, src []byte, pkg string) (*Definition, Diagnostics) {
	name, err := NameOf(path, pkg)
	if err != nil {
		return nil, Diagnostics{{File: path, Pos: Pos{1, 1}, Message: err.Error()}}
	}
	p := &parser{def: &Definition{File: path, Name: name}}
	p.file(src)
	p.diags.sort()
	return p.def, p.diags
}

type parser struct {
	def   *Definition
	diags Diagnostics
}

func (p *parser) report(stage Stage, pos Pos, format string, args ...any) {
	p.diags = append(p.diags, &Diagnostic{p.def.File, pos, stage, fmt.Sprintf(format, args...)})
}

func (p *parser) file(src []byte) {
	if pos, ok := invalidUTF8(src); ok {
		p.report(StageParse, pos, "the file is not valid UTF-8; save it as UTF-8")
		return
	}
	suffixes := sections[p.def.Name.Kind]
	p.checkName(suffixes)
	var lines []line
	for i, text := range splitLines(string(src)) {
		lines = append(lines, line{text, i + 1})
	}
	parts := [][]line{lines}
	if p.def.Name.Kind != Msg {
		parts = splitSections(lines)
	}
	if len(parts) != len(suffixes) {
		p.report(StageParse, Pos{1, 1}, "the file has %d separators%s; a .%s has %s",
			len(parts)-1, separatorLines(parts), p.def.Name.Kind, separatorRules[p.def.Name.Kind])
		return
	}
	for i, part := range parts {
		name := p.def.Name
		name.Name += suffixes[i]
		s := section{parser: p, msg: &Message{Name: name}}
		s.parse(part)
		p.def.Sections = append(p.def.Sections, s.msg)
	}
}

// checkName checks the names that come from outside the file. The reference looks at the name of
// a section as a whole.
func (p *parser) checkName(suffixes []string) {
	name := p.def.Name
	if !ValidPackageName(name.Package) {
		p.report(StageParse, Pos{1, 1}, "%q is no package name; %s", name.Package, lowerNameRule)
	}
	for _, suffix := range suffixes {
		if !validTypeName(name.Name + suffix) {
			p.report(StageParse, Pos{1, 1}, "the file makes a type named %q; %s", name.Name+suffix, typeNameRule)
			return
		}
	}
}

// line is a line of the file with its number.
type line struct {
	text   string
	number int
}

func splitSections(lines []line) [][]line {
	var parts [][]line
	for {
		i := slices.IndexFunc(lines, func(l line) bool { return l.text == separator })
		if i < 0 {
			return append(parts, lines)
		}
		parts = append(parts, lines[:i])
		lines = lines[i+1:]
	}
}

func separatorLines(parts [][]line) string {
	var b strings.Builder
	at := 0
	for i, part := range parts[:len(parts)-1] {
		at += len(part) + 1
		b.WriteString([...]string{", in line ", ", "}[min(i, 1)])
		fmt.Fprint(&b, at)
	}
	return b.String()
}

func invalidUTF8(src []byte) (Pos, bool) {
	if utf8.Valid(src) {
		return Pos{}, false
	}
	good := 0
	for good < len(src) {
		r, size := utf8.DecodeRune(src[good:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		good += size
	}
	// The mark makes the last line count even where it is empty.
	lines := splitLines(string(src[:good]) + "?")
	return Pos{len(lines), utf8.RuneCountInString(lines[len(lines)-1])}, true
}
