package bag

import (
	"maps"
	"slices"
	"strings"

	"github.com/pinion-ros/pinion/msggen"
)

// Definition returns the text that a bag has for a type: the definition, and behind it those of all
// types that it contains, each with a line that names it. A bag is complete without, but cannot be
// converted to other storage where the type is not installed. Types of which l, which may be
// nil, finds no message definition have the encoding "unknown" and no text, as with rosbag2.
func Definition(l *msggen.Loader, typeName string) (encoding, text string) {
	name, err := msggen.ParseTypeName(typeName)
	if l == nil || err != nil || name.Kind != msggen.Msg {
		return "unknown", ""
	}
	var b strings.Builder
	if !appendDefinition(&b, l, name, map[msggen.TypeName]bool{name: true}) {
		return "unknown", ""
	}
	return "ros2msg", b.String()
}

// appendDefinition reports whether all definitions were found.
func appendDefinition(b *strings.Builder, l *msggen.Loader, name msggen.TypeName, seen map[msggen.TypeName]bool) bool {
	_, source, err := l.Source(name)
	if err != nil {
		return false
	}
	m, err := l.Message(name)
	if err != nil || m == nil {
		return false
	}
	b.Write(source)
	parts := map[string]msggen.TypeName{}
	for _, f := range m.Fields {
		if f.Type.Base == msggen.Nested {
			n := f.Type.Nested
			parts[n.Package+"/"+n.Name] = n
		}
	}
	for _, short := range slices.Sorted(maps.Keys(parts)) {
		n := parts[short]
		if seen[n] {
			continue
		}
		seen[n] = true
		b.WriteString("\n" + strings.Repeat("=", 80) + "\nMSG: " + short + "\n")
		if !appendDefinition(b, l, n, seen) {
			return false
		}
	}
	return true
}
