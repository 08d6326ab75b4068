package report

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/bench/codec"
	"github.com/pinion-ros/pinion/bench/machine"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/bench/suite"
)

func ptr(v float64) *float64 { return &v }

func sample(scenario string) *suite.Result {
	h := measure.NewHistogram()
	for i := range 2000 {
		h.Record(int64(20_000 + i*10))
	}
	variant := "plain"
	if scenario == "perftest" {
		variant = suite.Latency
	}
	p := suite.Params{Topics: 1, Type: "bytes", Size: 64, Rate: 1000, Variant: variant, Phase: "spread", Placement: suite.Same, Reliability: "reliable"}
	r := &suite.Result{Schema: suite.Schema, Scenario: scenario, Note: "noisy machine: <b>the probe</b>", Machine: machine.Machine{CPU: "Pentium | Pro"},
		Contenders: []suite.ContenderEntry{{Name: "c", Mode: "listener"}, {Name: "rclgo", Mode: "loop", Missing: "not installed: install it"}},
		Probes:     []suite.ProbeRun{{Placement: suite.Same, Size: 64, Figures: h.Figures()}}}
	for _, topics := range []int{1, 32} {
		p.Topics, p.Size = topics, 64*topics
		r.Runs = append(r.Runs, suite.Run{Contender: "c", Mode: "listener", Params: p, Sent: 2000, Received: 2000, Figures: h.Figures(), Histogram: h})
		r.Summary = append(r.Summary, suite.Summary{Contender: "c", Mode: "listener", Params: p, Rounds: 1, Figures: h.Figures(), All: h.Figures(),
			Ratios: []suite.RatioTo{{To: "c/listener", Figure: "p99_us", Ratio: measure.Ratio{Median: 1.25, Min: 1.1, Max: 1.5}}}})
	}
	r.Codec = []codec.Row{{Message: "Twist", Operation: "encode", Bytes: 52, Pinion: 10, Copy: 5}}
	return r
}

// What a page loads from elsewhere would be missing without a network.
var external = regexp.MustCompile(`(?i)(src|href)\s*=\s*["']?(https?:|//)|@import|url\(`)

func TestHTML(t *testing.T) {
	for scenario := range titles {
		var page bytes.Buffer
		if err := HTML(&page, sample(scenario)); err != nil {
			t.Fatal(err)
		}
		own := strings.Replace(page.String(), echarts, "", 1)
		if len(own) > page.Len()/2 {
			t.Fatal("the page does not hold the script that draws the plots")
		}
		if found := external.FindString(own); found != "" {
			t.Errorf("%s: the page loads %s", scenario, found)
		}
		wants := []string{"&lt;b&gt;the probe", "rclgo loop", "not installed: install it", " is better", `plot("plot0", {`}
		if scenario == "multitopic" || scenario == "rtt" || scenario == "perftest" { // which compare
			wants = append(wants, "1.25")
		}
		for _, want := range wants {
			if !strings.Contains(own, want) {
				t.Errorf("%s: %q is not in the page", scenario, want)
			}
		}
		if strings.Index(own, "noisy machine") > strings.Index(own, "<h1>") {
			t.Errorf("%s: that the machine is noisy does not come first", scenario)
		}
	}
}

func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	Markdown(&out, sample("rtt"))
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[0], "noisy machine") {
		t.Errorf("the first line is %q", lines[0])
	}
	columns := 0
	for _, l := range lines {
		if !strings.HasPrefix(l, "|") {
			columns = 0
			continue
		}
		n := strings.Count(l, "|") - strings.Count(l, `\|`)
		if columns == 0 {
			columns = n
		}
		if n != columns {
			t.Errorf("%q has %d bars, its table %d", l, n, columns)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, sample("multitopic")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.html", "report.md"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		v    *float64
		want string
	}{{nil, "–"}, {ptr(0.04), "0.0"}, {ptr(99.94), "99.9"}, {ptr(100), "100"}, {ptr(12345.6), "12346"}} {
		if got := us(tt.v); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestREADME(t *testing.T) {
	r := sample("multitopic")
	var text, plot bytes.Buffer
	if err := README(&text, r, 0, "spread"); err != nil {
		t.Fatal(err)
	}
	if err := SVG(&plot, r, 0, "spread"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| c listener | 39.8 | 39.8 |", "1 topic | 32 topics", "noisy machine"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	if !strings.Contains(plot.String(), "<svg") || !strings.Contains(plot.String(), "c listener") {
		t.Errorf("no plot:\n%.300s", plot.String())
	}
	if err := README(&text, r, 7, "spread"); err == nil {
		t.Error("a load that was not run was shown")
	}
	if err := SVG(&plot, sample("rtt"), 0, "spread"); err == nil {
		t.Error("a plot of another scenario")
	}
}
