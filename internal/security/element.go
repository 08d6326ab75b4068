package security

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// An element is one of XML, without its namespace.
type element struct {
	name     string
	attr     map[string]string
	text     string
	children []*element
}

// below returns the elements that a path of names leads to.
func (e *element) below(names ...string) []*element {
	if len(names) == 0 {
		return []*element{e}
	}
	var found []*element
	for _, c := range e.children {
		if c.name == names[0] {
			found = append(found, c.below(names[1:]...)...)
		}
	}
	return found
}

// maxDepth is how deep includes and elements may be nested.
const maxDepth = 32

// readElement reads the outermost element of a file, with what it includes in place.
func readElement(file string, depth int) (*element, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%s: includes are more than %d deep: does the file include itself?", file, maxDepth)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := elementReader{file, xml.NewDecoder(f), depth}
	for {
		token, err := r.decoder.Token()
		if err == io.EOF {
			return nil, fmt.Errorf("%s: it has no XML element", file)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if start, ok := token.(xml.StartElement); ok {
			e, err := r.read(start, 0)
			if err != nil {
				line, _ := r.decoder.InputPos()
				return nil, fmt.Errorf("%s:%d: %w", file, line, err)
			}
			return e, nil
		}
	}
}

type elementReader struct {
	file    string
	decoder *xml.Decoder
	depth   int // of includes
}

func (r *elementReader) read(start xml.StartElement, depth int) (*element, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("elements are more than %d deep", maxDepth)
	}
	e := &element{name: start.Name.Local, attr: map[string]string{}}
	for _, a := range start.Attr {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
			e.attr[a.Name.Local] = a.Value
		}
	}
	for {
		token, err := r.decoder.Token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.EndElement:
			e.text = strings.TrimSpace(e.text)
			return e, nil
		case xml.CharData:
			e.text += string(t)
		case xml.StartElement:
			c, err := r.read(t, depth+1)
			if err != nil {
				return nil, err
			}
			if c.name != "include" {
				e.children = append(e.children, c)
				continue
			}
			included, err := r.include(c)
			if err != nil {
				return nil, err
			}
			e.children = append(e.children, included...)
		}
	}
}

// include returns what an include of XInclude stands for. Of XPointer it knows the form that ROS 2's
// policies have, a path with all children of its end: xpointer(/profile/*).
func (r *elementReader) include(e *element) ([]*element, error) {
	href, pointer := e.attr["href"], e.attr["xpointer"]
	if href == "" {
		return nil, errors.New("the include has no href")
	}
	root, err := readElement(filepath.Join(filepath.Dir(r.file), filepath.FromSlash(href)), r.depth+1)
	if err != nil || pointer == "" {
		return []*element{root}, err
	}
	path, ok := strings.CutPrefix(pointer, "xpointer(/")
	path, all := strings.CutSuffix(path, "/*)")
	names := strings.Split(path, "/")
	if !ok || !all || strings.ContainsAny(path, "*[]@()") {
		return nil, fmt.Errorf("include of %s: xpointer is %q, and only paths like xpointer(/profile/*) are understood", href, pointer)
	}
	if root.name != names[0] {
		return nil, fmt.Errorf("include of %s: its outermost element is <%s>, not <%s>", href, root.name, names[0])
	}
	var found []*element
	for _, end := range root.below(names[1:]...) {
		found = append(found, end.children...)
	}
	return found, nil
}
