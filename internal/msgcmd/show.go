package msgcmd

import (
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/internal/interfaces"
	"github.com/pinion-ros/pinion/msggen"
)

// Comments says which comments and empty lines of definitions are shown.
type Comments int

// The choices of `ros2 interface show`.
const (
	OwnComments Comments = iota // those of the type itself
	AllComments                 // those of the types that it contains, too
	NoComments
)

// Shown is a definition.
type Shown struct {
	Type string `json:"type"`
	File string `json:"file"`
	Hash string `json:"hash"`
	Text string `json:"text"` // with the types that it contains, indented by tabs
}

// Show returns the definition of a type as `ros2 interface show` prints it.
func Show(f *interfaces.Finder, name string, c Comments) (*Shown, error) {
	n, err := msggen.ParseTypeName(name)
	if err != nil {
		return nil, err
	}
	d, err := f.Describe(name) // which finds what is wrong with all that it contains
	if err != nil {
		return nil, err
	}
	file, _, err := f.Source(n)
	if err != nil {
		return nil, err
	}
	s := shower{finder: f, comments: c}
	if err := s.show(n, 0); err != nil {
		return nil, err
	}
	return &Shown{n.String(), file, d.Hash(), s.text.String()}, nil
}

type shower struct {
	finder   *interfaces.Finder
	comments Comments
	text     strings.Builder
}

func (s *shower) show(name msggen.TypeName, depth int) error {
	def, err := s.finder.Definition(name)
	if err != nil {
		return err
	}
	_, src, err := s.finder.Source(name)
	if err != nil {
		return err
	}
	nested := nestedTypes(def)
	comments := s.comments == AllComments || s.comments == OwnComments && depth == 0
	for i, line := range strings.Split(strings.TrimSuffix(string(src), "\n"), "\n") {
		s.line(strings.TrimRight(line, " \t\r"), depth, comments)
		if n, ok := nested[i+1]; ok {
			if err := s.show(n, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *shower) line(line string, depth int, comments bool) {
	if !comments {
		// Everything behind # is comment, even within quotes.
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			return
		}
	}
	if line != "" {
		line = strings.Repeat("\t", depth) + line
	}
	fmt.Fprintln(&s.text, line)
}

// nestedTypes returns the messages that fields hold, by the lines of the fields.
func nestedTypes(def *msggen.Definition) map[int]msggen.TypeName {
	nested := make(map[int]msggen.TypeName)
	for _, m := range def.Sections {
		for _, f := range m.Fields {
			if f.Type.Base == msggen.Nested {
				nested[f.Pos.Line] = f.Type.Nested
			}
		}
	}
	return nested
}
