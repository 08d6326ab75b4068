package topic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pinion-ros/pinion/cdr"
)

// A field is a part of the messages of a type: "pose.position.x", "ranges[3]".
type field struct {
	path    string
	steps   []step
	schema  *cdr.SchemaField
	element bool // one of an array
}

// A step leads from a message to a field, or from a list to an element.
type step struct {
	name  string
	index int // where there is no name
}

// findField finds the field in messages of the schema.
func findField(s *cdr.Schema, path string) (*field, error) {
	f := &field{path: path}
	for part := range strings.SplitSeq(path, ".") {
		name, index, indexed := strings.Cut(part, "[")
		if f.schema != nil && (f.schema.Nested == nil || f.list()) {
			return nil, fmt.Errorf("field %q: %s holds no fields", path, f.schema.Name)
		}
		if f.schema != nil {
			s = f.schema.Nested
		}
		if f.schema = fieldNamed(s, name); f.schema == nil {
			return nil, fmt.Errorf("field %q: %s has no field %q, but %s", path, s.Name, name, strings.Join(fieldNames(s), ", "))
		}
		f.element = false
		f.steps = append(f.steps, step{name: name})
		if !indexed {
			continue
		}
		i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
		if err != nil || i < 0 || !strings.HasSuffix(index, "]") || f.schema.Form == 0 {
			return nil, fmt.Errorf("field %q: %q is no element of an array", path, part)
		}
		f.element = true
		f.steps = append(f.steps, step{index: i})
	}
	return f, nil
}

// list tells whether the field is an array or sequence as a whole.
func (f *field) list() bool { return f.schema.Form != 0 && !f.element }

func fieldNamed(s *cdr.Schema, name string) *cdr.SchemaField {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}

func fieldNames(s *cdr.Schema) []string {
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	return names
}

// json returns the field from the JSON of a message.
func (f *field) json(text []byte) ([]byte, error) {
	for _, s := range f.steps {
		if s.name == "" {
			var list []json.RawMessage
			if err := json.Unmarshal(text, &list); err != nil {
				return nil, err
			}
			if s.index >= len(list) {
				return nil, fmt.Errorf("field %q: there are %d elements", f.path, len(list))
			}
			text = list[s.index]
			continue
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(text, &object); err != nil {
			return nil, err
		}
		text = object[s.name]
	}
	return bytes.TrimSpace(text), nil
}
