// Package yaml reads the values of messages from YAML, as `ros2 topic pub` takes them.
package yaml

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pinion-ros/pinion/cdr/dynamic"
	"go.yaml.in/yaml/v4"
)

// maxDepth bounds how deep values nest, once aliases are replaced by what they stand for.
const maxDepth = 128

// spareNodes is how many more values than bytes a document may have. Only aliases that stand
// for aliases bring it further.
const spareNodes = 1 << 16

// Parse reads a document with one value. The fields of the message that takes it decide
// whether a scalar without quotes is a number, a boolean or a string, so `frame_id: 5` and
// `frame_id: on` are strings. An error names the line.
func Parse(data []byte) (*dynamic.Node, error) {
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var n dynamic.Node
	if len(doc.Content) == 0 {
		return &n, nil
	}
	c := converter{left: len(data) + spareNodes}
	if err := c.convert(&n, doc.Content[0], 0); err != nil {
		return nil, err
	}
	if err := dec.Decode(&doc); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: one document is wanted, here starts a second", doc.Line)
	}
	return &n, nil
}

type converter struct {
	left int // nodes that may still come
}

func (c *converter) convert(dst *dynamic.Node, src *yaml.Node, depth int) error {
	c.left--
	if c.left < 0 || depth > maxDepth {
		return fmt.Errorf("line %d: the aliases stand for too much, or values are nested more than %d deep", src.Line, maxDepth)
	}
	dst.Line = src.Line
	switch src.Kind {
	case yaml.AliasNode:
		return c.convert(dst, src.Alias, depth+1)
	case yaml.ScalarNode:
		return scalar(dst, src)
	case yaml.SequenceNode:
		dst.Kind = dynamic.List
		return c.items(dst, src.Content, depth)
	case yaml.MappingNode:
		dst.Kind = dynamic.Map
		return c.mapping(dst, src, depth)
	}
	return fmt.Errorf("line %d: a value is missing", src.Line)
}

func scalar(dst *dynamic.Node, src *yaml.Node) error {
	const quotes = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	dst.Kind, dst.Text = dynamic.Plain, src.Value
	switch {
	case src.Style&yaml.TaggedStyle != 0 && src.Tag != "!!str":
		return fmt.Errorf("line %d: the tag %s has no meaning here, leave it out", src.Line, src.Tag)
	case src.Style&(quotes|yaml.TaggedStyle) != 0:
		dst.Kind = dynamic.Quoted
	case src.Tag == "!!null":
		dst.Kind = dynamic.Null
	}
	return nil
}

// items replaces the whole of dst.Items at once, so that its nodes need no second copy.
func (c *converter) items(dst *dynamic.Node, content []*yaml.Node, depth int) error {
	dst.Items = make([]dynamic.Node, len(content))
	for i, n := range content {
		if err := c.convert(&dst.Items[i], n, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (c *converter) mapping(dst *dynamic.Node, src *yaml.Node, depth int) error {
	values := make([]*yaml.Node, 0, len(src.Content)/2)
	for i := 0; i+1 < len(src.Content); i += 2 {
		key := src.Content[i]
		if key.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: the name of a field is wanted as key", key.Line)
		}
		dst.Keys = append(dst.Keys, key.Value)
		values = append(values, src.Content[i+1])
	}
	return c.items(dst, values, depth)
}
