package top

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// Print writes frames for scripts and files until ctx ends: n of them, 0 for no end, as text or as
// JSON, an object a line.
func Print(ctx context.Context, c *Collector, interval time.Duration, n int, asJSON bool, w io.Writer) error {
	if _, err := c.Frame(); err != nil { // subscribes
		return err
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for i := 0; n == 0 || i < n; i++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		f, err := c.Frame()
		if err != nil {
			return err
		}
		text := f.text()
		if asJSON {
			if text, err = json.Marshal(f); err != nil {
				return err
			}
		}
		if _, err := w.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// printWidth leaves room for long names.
const printWidth = 120

func (f *Frame) text() []byte {
	var b strings.Builder
	line := func(s string) { fmt.Fprintln(&b, strings.TrimRight(s, " ")) }
	if len(f.Topics) > 0 {
		line(topics.header(printWidth, -1))
	} else {
		line(clean(f.empty()))
	}
	for i := range f.Topics {
		line(topics.row(&f.Topics[i], printWidth))
		for _, w := range f.Topics[i].Warnings {
			line("  ! " + clean(w))
		}
	}
	rows := lanesOf(f.Metrics)
	if len(rows) > 0 {
		line("\n" + lanes.header(printWidth, -1))
	}
	for i := range rows {
		line(lanes.row(&rows[i], printWidth))
	}
	return []byte(b.String())
}
