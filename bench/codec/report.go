package codec

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// ratio forms the ratio of each round.
func ratio(a, b []float64) Ratio {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return Ratio{Median: median(ratios), Min: slices.Min(ratios), Max: slices.Max(ratios)}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// WriteTable writes the result as a table for a terminal.
func (r *Result) WriteTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "message\toperation\tbytes\tpinion ns\tFast-CDR ns\tcopy ns\tto Fast-CDR\tmin\tmax\tto copy\t")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t%s\t%d\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", row.Message, row.Operation, row.Bytes,
			row.Pinion, row.FastCDR, row.Copy, row.ToFastCDR.Median, row.ToFastCDR.Min, row.ToFastCDR.Max, row.ToCopy.Median)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if r.Missing != "" {
		fmt.Fprintf(out, "no comparison with Fast-CDR: %s\n", r.Missing)
	}
	return nil
}
