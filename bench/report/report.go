// Package report turns results of the bench into report.md and report.html.
package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pinion-ros/pinion/bench/suite"
)

// Write writes report.md and report.html into a directory, which exists.
func Write(dir string, r *suite.Result) error {
	var page bytes.Buffer
	if err := HTML(&page, r); err != nil {
		return fmt.Errorf("write report.html: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "report.html"), page.Bytes(), 0o666); err != nil {
		return err
	}
	var text bytes.Buffer
	Markdown(&text, r)
	return os.WriteFile(filepath.Join(dir, "report.md"), text.Bytes(), 0o666)
}

// titles are those of the reports.
var titles = map[string]string{
	"multitopic": "A critical topic at 1 kHz beside background topics at 300 Hz",
	"rtt":        "Round trips with one message in flight",
	"matrix":     "Rates, losses and latencies by size and rate",
	"perftest":   "Latency and throughput by size",
	"transport":  "The same messages between processes, between hosts and within one process",
	"footprint":  "What a node takes",
	"timer":      "Timers at 1 kHz",
	"codec":      "Encoding and decoding of messages",
}

func title(r *suite.Result) string {
	if t, ok := titles[r.Scenario]; ok {
		return t
	}
	return r.Scenario
}

// What WriteREADME writes.
const (
	readmeTable = "readme.md"
	readmePlot  = "readme.svg"
)

// WriteREADME writes readme.md and readme.svg into a directory, which exists: see README and SVG.
func WriteREADME(dir string, r *suite.Result, work float64, phase string) error {
	for name, write := range map[string]func(io.Writer, *suite.Result, float64, string) error{readmeTable: README, readmePlot: SVG} {
		var b bytes.Buffer
		if err := write(&b, r, work, phase); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}
