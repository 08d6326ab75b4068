package dynamic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Node is a value read from a text whose types are not settled yet: the field that a scalar
// goes to decides how its text is read.
type Node struct {
	Kind  NodeKind
	Text  string   // of a scalar
	Keys  []string // of a Map, in source order, one for each of Items
	Items []Node   // of a List or Map
	Line  int      // where the value starts, from 1; 0 where there is no source text
}

// NodeKind is what a text tells about a value before its field is known.
type NodeKind uint8

// The kinds of nodes. String comes from JSON; Quoted and Plain, which has no quotes and may be
// a number, a boolean or a string, come from YAML.
const (
	Null NodeKind = iota
	Bool
	Number
	String
	Quoted
	Plain
	List
	Map
	foreign // a Go value that no text stands for
)

var nodeKindNames = [...]string{"null", "a boolean", "a number", "a string", "a string", "a scalar", "a list", "a mapping", ""}

// String returns the kind as error messages name it.
func (k NodeKind) String() string { return nodeKindNames[k] }

// maxDepth bounds how deep values nest, in texts and in types.
const maxDepth = 128

var errTooDeep = fmt.Errorf("values are nested more than %d deep", maxDepth)

// ParseJSON reads one JSON value. Numbers keep their text, so that none loses digits.
func ParseJSON(data []byte) (*Node, error) {
	p := jsonParser{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	p.dec.UseNumber()
	var n Node
	err := p.value(&n, 0)
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", p.lineAt(p.dec.InputOffset()), err)
	}
	return &n, nil
}

type jsonParser struct {
	data    []byte
	dec     *json.Decoder
	counted int64 // offset up to which lines are counted
	line    int   // line at counted
}

func (p *jsonParser) lineAt(offset int64) int {
	p.line += bytes.Count(p.data[p.counted:offset], []byte("\n"))
	p.counted = offset
	return p.line
}

func (p *jsonParser) token() (json.Token, error) {
	before := p.dec.InputOffset()
	t, err := p.dec.Token()
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	if s, ok := t.(string); ok && strings.ContainsRune(s, utf8.RuneError) {
		source := string(p.data[before:p.dec.InputOffset()])
		return jsonText(source[strings.IndexByte(source, '"')+1 : len(source)-1]), err
	}
	return t, err
}

func (p *jsonParser) value(n *Node, depth int) error {
	t, err := p.token()
	if err != nil {
		return err
	}
	n.Line = p.lineAt(p.dec.InputOffset())
	switch t := t.(type) {
	case nil:
		n.Kind = Null
	case bool:
		n.Kind, n.Text = Bool, fmt.Sprint(t)
	case json.Number:
		n.Kind, n.Text = Number, t.String()
	case string:
		n.Kind, n.Text = String, t
	case json.Delim:
		if depth == maxDepth {
			return errTooDeep
		}
		return p.composite(n, t, depth+1)
	}
	return nil
}

func (p *jsonParser) composite(n *Node, open json.Delim, depth int) error {
	n.Kind = List
	if open == '{' {
		n.Kind = Map
	}
	for p.dec.More() {
		if n.Kind == Map {
			key, err := p.token()
			if err != nil {
				return err
			}
			n.Keys = append(n.Keys, key.(string))
		}
		n.Items = append(n.Items, Node{})
		if err := p.value(&n.Items[len(n.Items)-1], depth); err != nil {
			return err
		}
	}
	_, err := p.token()
	return err
}

func (p *jsonParser) end() error {
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more text after the value")
	}
	return nil
}
