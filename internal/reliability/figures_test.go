//go:build long

package reliability

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/bench/machine"
)

// kept are the tables of this run.
var kept tables

type tables struct {
	mu  sync.Mutex
	all []*table
}

// A table is the figures of a test.
type table struct {
	section string // of the file in which they are kept
	columns []string
	rows    [][]string // nil for one of a test that did not run
	begin   time.Time
	took    time.Duration
	failed  bool
	always  bool // is kept though the test failed: what it lists is why
}

// table returns a table for the test, which is printed when all have ended. In the file of the figures
// it replaces that of the same section, unless the test failed or only a part of it ran.
func (k *tables) table(t *testing.T, section string, columns ...string) *table {
	table := &table{section: section, columns: columns, begin: time.Now()}
	t.Cleanup(func() {
		table.took, table.failed = time.Since(table.begin), t.Failed()
		k.mu.Lock()
		defer k.mu.Unlock()
		k.all = append(k.all, table)
	})
	return table
}

// add appends a row of cells.
func (t *table) add(values ...any) { t.rows = append(t.rows, cells(values...)) }

// cells returns a row, the values as fmt.Sprint prints them.
func cells(values ...any) []string {
	row := make([]string, len(values))
	for i, v := range values {
		row[i] = fmt.Sprint(v)
	}
	return row
}

// markdown returns the table, and where and when it was made.
func (t *table) markdown() string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.columns)
	b.WriteString("|" + strings.Repeat(" --- |", len(t.columns)) + "\n")
	for _, row := range t.rows {
		if row != nil {
			line(row)
		}
	}
	m := machine.Describe()
	fmt.Fprintf(&b, "\n%s, %d cores, kernel %s, Cyclone DDS %s, %s; took %v.\n",
		m.CPU, m.Cores, m.Kernel, m.Cyclone, m.Go, t.took.Round(time.Second))
	return b.String()
}

// write prints the tables and puts those of whole tests that passed into the file, if there is one.
func (k *tables) write(out io.Writer, file string) error {
	for _, table := range k.all {
		fmt.Fprintf(out, "\n%s\n\n%s", table.section, table.markdown())
	}
	if file == "" {
		return nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := string(content)
	for _, table := range k.all {
		incomplete := slices.ContainsFunc(table.rows, func(row []string) bool { return row == nil })
		if table.failed && !table.always || incomplete {
			continue
		}
		if text, err = replaceSection(text, table.section, table.markdown()); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return os.WriteFile(file, []byte(text), 0o666)
}

// replaceSection puts figures between the two comments that mark a section.
func replaceSection(text, section, figures string) (string, error) {
	begin, end := fmt.Sprintf("<!-- figures of %s -->\n", section), "<!-- end of figures -->\n"
	before, rest, ok := strings.Cut(text, begin)
	if !ok {
		return "", fmt.Errorf("no line %q", strings.TrimSpace(begin))
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("no line %q behind %q", strings.TrimSpace(end), strings.TrimSpace(begin))
	}
	return before + begin + figures + end + after, nil
}

func TestFigures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures.md")
	const text = "a\n<!-- figures of x -->\nold\n<!-- end of figures -->\nb\n<!-- figures of y -->\n<!-- end of figures -->\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var k tables
	t.Run("test", func(t *testing.T) {
		k.table(t, "x", "what", "how many").add("messages", 7)
	})
	var out strings.Builder
	if err := k.write(&out, file); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	const want = "a\n<!-- figures of x -->\n| what | how many |\n| --- | --- |\n| messages | 7 |\n\n"
	if got := string(content); err != nil || !strings.HasPrefix(got, want) || !strings.HasSuffix(got, text[strings.Index(text, "<!-- end"):]) {
		t.Errorf("%q, %v", got, err)
	}
	if !strings.Contains(out.String(), "| messages | 7 |") {
		t.Errorf("printed %q", out.String())
	}
	k.all[0].rows = append(k.all[0].rows, nil)
	k.all[0].section = "z"
	k.all = append(k.all, &table{section: "x", columns: []string{"ended"}, rows: [][]string{{"by signal"}}, failed: true, always: true})
	if err := k.write(&out, file); err != nil {
		t.Errorf("a part of a table is to be kept: %v", err)
	}
	if content, err := os.ReadFile(file); err != nil || !strings.Contains(string(content), "| by signal |") {
		t.Errorf("what a failed test lists is not kept: %q, %v", content, err)
	}
	k.all[0].rows = k.all[0].rows[:1]
	if err := k.write(&out, file); err == nil {
		t.Error("there is no section z, and no error")
	}
}
