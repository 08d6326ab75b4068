package security

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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

// only fails where the element has children with other names: what is overlooked could be what denies.
func (e *element) only(names ...string) error {
	for _, c := range e.children {
		if !slices.Contains(names, c.name) {
			return fmt.Errorf("<%s> has <%s>, not <%s>", e.name, strings.Join(names, "> and <"), c.name)
		}
	}
	return nil
}

// require fails where the element lacks an attribute, or has others; xml:base, which includes leave, is none.
func (e *element) require(attributes ...string) error {
	for _, a := range attributes {
		if _, ok := e.attr[a]; !ok {
			return fmt.Errorf("<%s> has no %s", e.name, a)
		}
	}
	for a := range e.attr {
		if a != "base" && !slices.Contains(attributes, a) {
			return fmt.Errorf("<%s> has %s, not %s", e.name, strings.Join(attributes, " and "), a)
		}
	}
	return nil
}

const (
	maxDepth    = 32      // of includes and elements within each other
	maxElements = 1 << 16 // of a file with all that it includes, which double from file to file where each has the next one twice
)

// readElement reads the outermost element of a file, with what it includes in place.
func readElement(file string) (*element, error) {
	left := maxElements
	return readIncluded(file, 0, &left)
}

// readIncluded is readElement for a file that is so deep in others.
func readIncluded(file string, depth int, left *int) (*element, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%s: includes are more than %d deep: does the file include itself?", file, maxDepth)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := elementReader{file, xml.NewDecoder(f), depth, left}
	e, err := r.readFile()
	if err != nil {
		line, _ := r.decoder.InputPos()
		return nil, fmt.Errorf("%s:%d: %w", file, line, err)
	}
	return e, nil
}

type elementReader struct {
	file    string
	decoder *xml.Decoder
	depth   int  // of includes
	left    *int // elements that may still come
}

// readFile reads to the end, as anything behind the outermost element would be overlooked.
func (r *elementReader) readFile() (root *element, err error) {
	for {
		token, err := r.decoder.Token()
		switch start, ok := token.(xml.StartElement); {
		case err == io.EOF && root == nil:
			return nil, errors.New("there is no XML element")
		case err == io.EOF:
			return root, nil
		case err != nil:
			return nil, err
		case ok && root != nil:
			return nil, fmt.Errorf("<%s> follows the outermost element, of which there is one", start.Name.Local)
		case ok:
			if root, err = r.read(start, 0); err != nil {
				return nil, err
			}
		}
	}
}

func (r *elementReader) read(start xml.StartElement, depth int) (*element, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("elements are more than %d deep", maxDepth)
	}
	if *r.left--; *r.left < 0 {
		return nil, fmt.Errorf("there are more than %d elements, includes in place", maxElements)
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
	root, err := readIncluded(filepath.Join(filepath.Dir(r.file), filepath.FromSlash(href)), r.depth+1, r.left)
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
