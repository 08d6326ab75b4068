package msggen

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Check follows all definitions to the types they contain, which are found and parsed too, and
// returns every fault: those of the files, types that are not found, messages that contain
// themselves, keys that are not of fixed size. Without a fault all messages can be described and
// written.
func (l *Loader) Check() Diagnostics {
	c := checker{Loader: l, state: make(map[TypeName]visit)}
	for good, bad := 0, 0; good < len(l.order) || bad < len(l.faulty); { // which grow while types are found
		if good < len(l.order) {
			c.def = l.order[good]
			c.link(Derive(c.def)...)
			good++
		} else {
			c.def = l.faulty[bad]
			c.link(c.def.Sections...)
			bad++
		}
	}
	for _, def := range l.order {
		c.def = def
		for _, m := range def.Sections {
			c.findCycles(m, nil)
			c.checkKeys(m)
		}
	}
	all := slices.Concat(l.diags, c.diags)
	slices.SortStableFunc(all, func(a, b *Diagnostic) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return all
}

type checker struct {
	*Loader
	def   *Definition
	diags Diagnostics
	state map[TypeName]visit
}

// visit tells how far the search for cycles has come with a message.
type visit uint8

const (
	unvisited visit = iota
	onPath
	visited
)

func (c *checker) report(line int, format string, args ...any) {
	// The types stand in column 1; derived fields stand for the whole file.
	c.diags = append(c.diags, &Diagnostic{File: c.def.File, Pos: Pos{max(line, 1), 1}, Message: fmt.Sprintf(format, args...)})
}

// link finds the types of the messages' fields.
func (c *checker) link(messages ...*Message) {
	for _, m := range messages {
		c.linkFields(m)
	}
}

func (c *checker) linkFields(m *Message) {
	for _, f := range m.Fields {
		if f.Type.Base != Nested {
			continue
		}
		_, err := c.Definition(definitionOf(f.Type.Nested))
		var missing *NotFoundError
		switch {
		case errors.As(err, &missing) && f.Pos.Line == 0:
			c.report(0, "the %s needs the message %s, and %v", c.def.Name.Kind, f.Type.Nested, err)
		case err != nil:
			c.report(f.Pos.Line, "field %s: %v%s", f.Name, err, nestedHint(f.Type.Nested))
		}
	}
}

// nestedHint tells what a type that is not found was likely meant to be.
func nestedHint(name TypeName) string {
	if name.Name == "Header" {
		return "; the standard one is std_msgs/Header"
	}
	if b, ok := primitives[strings.ToLower(name.Name)]; ok {
		return "; the primitive type is " + b.String()
	}
	return ""
}

// findCycles reports every field through which a message contains itself. Path holds the fields
// that lead to m.
func (c *checker) findCycles(m *Message, path []string) {
	if c.state[m.Name] != unvisited {
		return
	}
	c.state[m.Name] = onPath
	defer func() { c.state[m.Name] = visited }()
	for _, f := range m.Fields {
		next, ok := c.messages[f.Type.Nested]
		if f.Type.Base != Nested || !ok {
			continue
		}
		if c.state[next.Name] != onPath {
			c.findCycles(next, append(path, m.Name.String()+"."+f.Name))
			continue
		}
		from := c.def
		c.def = c.defs[definitionOf(m.Name)]
		c.report(f.Pos.Line, "field %s makes %s contain itself (%s); a message of ROS 2 cannot",
			f.Name, next.Name, strings.Join(cycle(append(path, m.Name.String()+"."+f.Name), next.Name), " -> "))
		c.def = from
	}
}

// cycle cuts from a path what leads to the cycle.
func cycle(path []string, to TypeName) []string {
	start := slices.IndexFunc(path, func(step string) bool { return strings.HasPrefix(step, to.String()+".") })
	return append(slices.Clone(path[start:]), to.String())
}

func (c *checker) checkKeys(m *Message) {
	for _, f := range m.Fields {
		if !f.Key || f.Type.Base != Nested {
			continue
		}
		if part := c.unfitForKey(f.Type.Nested, make(map[TypeName]bool)); part != "" {
			c.report(f.Pos.Line, "field %s cannot be a key, because %s; keys are of fixed size and have no keys in them", f.Name, part)
		}
	}
}

// unfitForKey names what in a message keeps it from being a key, or returns "". Seen holds the
// messages that have been looked at.
func (c *checker) unfitForKey(name TypeName, seen map[TypeName]bool) string {
	m, ok := c.messages[name]
	if !ok || seen[name] {
		return ""
	}
	seen[name] = true
	for _, f := range m.Fields {
		switch {
		case !f.Type.mayBeKey():
			return fmt.Sprintf("%s.%s is of type %s", name, f.Name, f.Type)
		case f.Key:
			return fmt.Sprintf("%s.%s is marked as a key itself", name, f.Name)
		}
		if f.Type.Base != Nested {
			continue
		}
		if part := c.unfitForKey(f.Type.Nested, seen); part != "" {
			return part
		}
	}
	return ""
}
