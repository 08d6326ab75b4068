package topic

import (
	"fmt"
	"io"
	"strings"
)

// PrintList writes a topic a line, with types if asked, as `ros2 topic list` does.
func PrintList(w io.Writer, entries []Entry, types bool) error {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Name)
		if types {
			fmt.Fprintf(&b, " [%s]", strings.Join(e.Types, ", "))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// PrintCounts writes published and subscribed topics with the numbers of their endpoints, as
// `ros2 topic list -v` does.
func PrintCounts(w io.Writer, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("Published topics:\n")
	for _, e := range entries {
		e.count(&b, e.Publishers, "publisher")
	}
	b.WriteString("\nSubscribed topics:\n")
	for _, e := range entries {
		e.count(&b, e.Subscriptions, "subscriber")
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

func (e *Entry) count(b *strings.Builder, n int, what string) {
	if n == 0 {
		return
	}
	if n > 1 {
		what += "s"
	}
	fmt.Fprintf(b, " * %s [%s] %d %s\n", e.Name, strings.Join(e.Types, ", "), n, what)
}
