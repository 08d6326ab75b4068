package bag

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// Print writes what people want to know about a bag.
func (b *Bag) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, f := range b.Files {
		label := "Files:"
		if i > 0 {
			label = ""
		}
		fmt.Fprintf(w, "%s\t%s\n", label, f.Name)
	}
	fmt.Fprintf(w, "Size:\t%s\n", size(b.Size()))
	fmt.Fprintf(w, "Storage:\t%s\n", b.Storage)
	if b.Mode != Uncompressed {
		fmt.Fprintf(w, "Compression:\t%s, of each %s\n", b.Compression, b.Mode)
	}
	if b.Distro != "" {
		fmt.Fprintf(w, "Distribution:\t%s\n", b.Distro)
	}
	fmt.Fprintf(w, "Duration:\t%v\n", b.Duration)
	if b.Messages > 0 {
		fmt.Fprintf(w, "Start:\t%s\n", moment(b.Start))
		fmt.Fprintf(w, "End:\t%s\n", moment(b.end()))
	}
	fmt.Fprintf(w, "Messages:\t%d\n", b.Messages)
	if b.Rebuilt {
		fmt.Fprintf(w, "Description:\tmade from the files, as there is no %s; \"pinion bag reindex\" writes one\n", MetadataFile)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nTOPIC\tTYPE\tMESSAGES\tRATE\tOFFERED\n")
	for _, t := range b.Topics {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", t.Name, t.Type, t.Messages, b.rate(t.Messages), offers(t.Offered))
	}
	return w.Flush()
}

func size(n int64) string {
	f, unit := float64(n), 0
	for units := 4; f >= 1024 && unit < units; unit++ {
		f /= 1024
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGT"[unit-1])
}

func moment(ns int64) string { return time.Unix(0, ns).Format("2006-01-02 15:04:05.000000000 MST") }

func (b *Bag) rate(messages uint64) string {
	if messages < 2 || b.Duration <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f Hz", float64(messages)/b.Duration.Seconds())
}

// offers tells the policies that decide who can subscribe.
func offers(profiles []Profile) string {
	var all []string
	for _, p := range profiles {
		text := p.QoS.Reliability.String()
		if p.QoS.Durability == pubsub.TransientLocal {
			text += ", " + p.QoS.Durability.String()
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}
