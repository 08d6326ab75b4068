package suite

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
)

// Compare prints the ratios b/a of what both results measured with the same parameters.
func Compare(out io.Writer, a, b *Result) error {
	if a.Scenario != b.Scenario {
		return fmt.Errorf("the results are of different scenarios: %s and %s", a.Scenario, b.Scenario)
	}
	for i, r := range []*Result{a, b} {
		fmt.Fprintf(out, "%c: %s, %s, kernel %s, Cyclone DDS %s, %s\n", 'A'+i, r.Machine.Time, r.Machine.CPU, r.Machine.Kernel, r.Machine.Cyclone, r.Machine.Go)
		if r.Note != "" {
			fmt.Fprintf(out, "   %s\n", r.Note)
		}
	}
	before := map[key]*Summary{}
	for i := range a.Summary {
		before[a.Summary[i].key()] = &a.Summary[i]
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "parameters\tcontender\tp50 A\tp50 B\tB/A\tp99 A\tp99 B\tB/A\tlost A\tlost B\t")
	rows := 0
	for i := range b.Summary {
		y := &b.Summary[i]
		x := before[y.key()]
		if x == nil {
			continue
		}
		rows++
		f, g := x.headline(), y.headline()
		fmt.Fprintf(w, "%s\t%s %s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", y.Params, y.Contender, y.Mode,
			number(f.P50), number(g.P50), quotient(g.P50, f.P50), number(f.P99), number(g.P99), quotient(g.P99, f.P99), x.Lost, y.Lost)
	}
	if rows == 0 {
		return errors.New("the results have no parameters in common")
	}
	return w.Flush()
}

func (s *Summary) key() key { return key{s.Contender, s.Mode, s.Params} }

func quotient(a, b *float64) string {
	if a == nil || b == nil || *b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", *a / *b)
}
