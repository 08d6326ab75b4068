package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/pinion-ros/pinion/bench/suite"
)

// Markdown writes the report for a README.
func Markdown(out io.Writer, r *suite.Result) {
	var b strings.Builder
	if r.Note != "" {
		fmt.Fprintf(&b, "**%s**\n\n", r.Note)
	}
	fmt.Fprintf(&b, "# %s\n", title(r))
	for _, t := range tables(r) {
		t.markdown(&b)
	}
	// The writer is a file in memory or a caller's, who sees its errors.
	_, _ = io.WriteString(out, b.String())
}

// write writes the table without a title.
func (t *table) write(out io.Writer) error {
	var b strings.Builder
	t.body(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

func (t *table) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n", t.Title)
	t.body(b)
}

func (t *table) body(b *strings.Builder) {
	if t.Note != "" {
		fmt.Fprintf(b, "%s\n\n", t.Note)
	}
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", "\\|") + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Columns)
	marks := make([]string, len(t.Columns))
	for i := range marks {
		marks[i] = "---:"
		if i < t.Text {
			marks[i] = "---"
		}
	}
	line(marks)
	for _, row := range t.Rows {
		line(row)
	}
}
