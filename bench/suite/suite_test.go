package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/contender/self"
	"github.com/pinion-ros/pinion/bench/machine"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

const asContender = "PINION_TEST_CONTENDER"

// TestMain lets the test program be the contender pinion.
func TestMain(m *testing.M) {
	if os.Getenv(asContender) == "" {
		os.Setenv(asContender, "1") // for the processes that tests start
		os.Exit(pubsubtest.Run(m))
	}
	if err := self.Run(context.Background(), os.Stdin, os.Stdout); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// A small run of a scenario, as far as it can be checked without looking at times.
func TestMultitopic(t *testing.T) {
	dir := t.TempDir()
	var progress bytes.Buffer
	o := Options{Dir: dir, Rounds: 2, Duration: 200 * time.Millisecond, Topics: []int{1, 3}, Work: []float64{5}, Phases: []string{"aligned"},
		Variants: []string{"plain", "alloc"}, Placement: Free, Contenders: []string{"pinion/critical", "pinion/shared", "c/listener", "c/waitset", "rclgo"}, Domain: pubsubtest.NewDomain(t).Discovery().Domain,
		Program: []string{os.Args[0]}, Out: &progress, Seed: 1}
	r, err := Multitopic(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	// Four contenders with 1 and 3 topics, and two with 3 topics that allocate; twice.
	if len(read.Runs) != 20 || len(read.Probes) != 6 || len(read.Summary) != 10 || read.Interrupted || strings.Count(progress.String(), "\n") != 20 {
		t.Fatalf("%d runs, %d probes, %d summaries, interrupted %v; progress:\n%s",
			len(read.Runs), len(read.Probes), len(read.Summary), read.Interrupted, progress.String())
	}
	for _, run := range read.Runs {
		if run.Error != "" || run.Sent != 200 || run.Received+run.Lost != 200 || run.Histogram.Count() != int64(run.Received) || run.Lost == 0 && run.IntendedFigures.P50 == nil {
			t.Errorf("%s %s: %s, sent %d, received %d, lost %d", run.Contender, run.Mode, run.Error, run.Sent, run.Received, run.Lost)
		}
		if run.Topics == 3 && run.BackgroundSent != 120 {
			t.Errorf("%d background messages, want 60 of each of two topics", run.BackgroundSent)
		}
		if run.Receiver == nil || len(run.Receiver.Threads) == 0 {
			t.Errorf("%s %s: the kernel was not asked about the threads", run.Contender, run.Mode)
		}
	}
	// On a busy machine a sender may have ended before it is looked at.
	if !slices.ContainsFunc(read.Runs, func(r Run) bool { return r.Sender != nil && len(r.Sender.Threads) > 0 }) {
		t.Error("the kernel was never asked about the sender's threads")
	}
	if i := slices.IndexFunc(r.Contenders, func(c ContenderEntry) bool { return c.Name == "rclgo" }); i < 0 || !strings.Contains(r.Contenders[i].Missing, "not installed") {
		t.Errorf("a peer that is missing is not told of: %+v", r.Contenders)
	}
}

// The names in result.json are those that readers of other programs rely on.
func TestFieldNames(t *testing.T) {
	h := measure.NewHistogram()
	for range 1000 {
		h.Record(5000)
	}
	run := Run{Figures: h.Figures(), IntendedFigures: IntendedFigures(h.Figures()), Histogram: h}
	text, err := json.Marshal(Result{Schema: Schema, Runs: []Run{run}})
	if err != nil {
		t.Fatal(err)
	}
	var result map[string]any
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"schema", "scenario", "machine", "contenders", "runs", "summary"} {
		if _, ok := result[name]; !ok {
			t.Errorf("result.json has no %s", name)
		}
	}
	fields := result["runs"].([]any)[0].(map[string]any)
	for _, name := range strings.Fields(`contender mode phase round topics size rate_hz work_us reliability sent received lost
		p50_us p90_us p99_us p999_us p9999_us min_us max_us mean_us stddev_us
		p50_us_intended p90_us_intended p99_us_intended p999_us_intended p9999_us_intended min_us_intended max_us_intended
		mean_us_intended stddev_us_intended`) {
		if _, ok := fields[name]; !ok {
			t.Errorf("runs[] has no %s", name)
		}
	}
	if fields["p99_us"] == nil || fields["p999_us"] != nil {
		t.Errorf("of 1000 messages p99 is %v, p99.9 %v", fields["p99_us"], fields["p999_us"])
	}
}

// fake is a contender whose round trips all take the given time.
func fake(name string, us int) competitor {
	script := fmt.Sprintf(`read line; case $line in *'"role":"pong"'*) cat >/dev/null; echo '{}';; `+
		`*) echo '{"sent":1000,"received":1000,"latency":[[%d,1000]]}';; esac`, us*1000)
	return competitor{ContenderEntry{Name: name, Mode: "listener"}, []string{"/bin/sh", "-c", script}}
}

func fakeScenario(rounds int, all ...competitor) scenario {
	return scenario{name: "rtt", contenders: all, rounds: rounds, duration: time.Millisecond, run: roundTrip,
		cases: []Params{{Type: contender.Bytes, Size: 64, Placement: Free}, {Type: contender.Bytes, Size: 128, Placement: Free}},
		count: func(Params) int { return 1000 }}
}

var fakeRoster = &roster{own: []string{os.Args[0]}, senders: map[string][]string{"c": {"/bin/false"}}}

func TestRatiosOfContenders(t *testing.T) {
	r, err := fakeScenario(3, fake("c", 20), fake("x", 50)).execute(t.Context(), Options{}, fakeRoster)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Summary {
		if s.Contender != "x" {
			continue
		}
		i := slices.IndexFunc(s.Ratios, func(r RatioTo) bool { return r.To == "c/listener" && r.Figure == "p99_us" })
		if s.Rounds != 3 || i < 0 || s.Ratios[i].Median < 2.49 || s.Ratios[i].Max > 2.51 || s.Ratios[i].Min < 2.49 {
			t.Errorf("%d rounds, ratios %+v; want 2.5 to c/listener", s.Rounds, s.Ratios)
		}
	}
}

// Contenders take turns within each round and change their order.
func TestInterleaving(t *testing.T) {
	r, err := fakeScenario(6, fake("a", 1), fake("b", 1), fake("c", 1)).execute(t.Context(), Options{Seed: 7}, fakeRoster)
	if err != nil {
		t.Fatal(err)
	}
	orders := map[string]bool{}
	for i := 0; i < len(r.Runs); i += 3 {
		order := ""
		for _, run := range r.Runs[i : i+3] {
			order += run.Contender
			if run.Round != i/6 || run.Size != r.Runs[i].Size {
				t.Errorf("run %d is of round %d and %d B", i, run.Round, run.Size)
			}
		}
		orders[order] = true
	}
	if len(r.Runs) != 36 || len(orders) < 4 {
		t.Errorf("%d runs in the orders %v", len(r.Runs), orders)
	}
	if len(r.Probes) != 12 || r.Probes[0].P50 == nil {
		t.Errorf("%d runs of the probe, %+v", len(r.Probes), r.Probes[0])
	}
}

// A contender that fails is in the result, and so is what others measured before an interruption.
func TestFailureAndInterruption(t *testing.T) {
	broken := competitor{ContenderEntry{Name: "broken", Mode: "x"}, []string{"/bin/sh", "-c", "echo out of order >&2; exit 1"}}
	r, err := fakeScenario(1, broken, fake("c", 20)).execute(t.Context(), Options{}, fakeRoster)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Summary[slices.IndexFunc(r.Summary, func(s Summary) bool { return s.Contender == "broken" })]; s.Errors != 1 || s.Figures.P50 != nil {
		t.Errorf("%+v", s)
	}
	if i := slices.IndexFunc(r.Runs, func(r Run) bool { return strings.Contains(r.Error, "out of order") }); i < 0 {
		t.Error("no run has the error of the contender")
	}

	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	slow := competitor{ContenderEntry{Name: "slow", Mode: "x"}, []string{"/bin/sh", "-c", "sleep 100"}}
	stop := fakeScenario(2, fake("c", 20))
	stop.run = func(ctx context.Context, r *runner, c competitor, cfg contender.Config, run *Run) error {
		if run.Round == 1 {
			c = slow
			time.AfterFunc(100*time.Millisecond, cancel)
		}
		return roundTrip(ctx, r, c, cfg, run)
	}
	if _, err := stop.execute(ctx, Options{Dir: dir}, fakeRoster); err != nil {
		t.Fatal(err)
	}
	r, err = Read(dir)
	if err != nil || !r.Interrupted || len(r.Runs) != 2 || !strings.Contains(r.Note, "interrupted") || r.Summary[0].Figures.P50 == nil {
		t.Errorf("%v, %+v", err, r)
	}
}

// A round that cannot support a figure leaves its median open instead of making it better.
func TestMediansOfUnsupportedRounds(t *testing.T) {
	h, few := measure.NewHistogram(), measure.NewHistogram()
	for range 1000 {
		h.Record(1000)
	}
	for range 200 {
		few.Record(900_000)
	}
	runs := []Run{{Round: 0, Figures: h.Figures(), Histogram: h}, {Round: 1, Figures: few.Figures(), Histogram: few}}
	s := summarise(runs)[0]
	if s.Figures.P99 != nil || s.Figures.P90 == nil || s.All.P99 == nil || *s.All.P99 < 800 {
		t.Errorf("%+v", s)
	}
}

func TestNotes(t *testing.T) {
	at := func(p50, p99 float64) ProbeRun {
		return ProbeRun{Figures: measure.Figures{P50: &p50, P99: &p99}}
	}
	for _, tt := range []struct {
		name   string
		result Result
		want   string
	}{
		{"quiet", Result{Probes: []ProbeRun{at(10, 20), at(12, 28)}}, ""},
		{"median moves", Result{Probes: []ProbeRun{at(10, 20), at(16, 20)}}, "noisy machine: the control probe's p50 moved between 10.0 and 16.0 µs"},
		{"tail moves", Result{Probes: []ProbeRun{at(10, 20), at(10, 20), at(10, 31)}}, "noisy machine: the control probe's p99"},
		{"stolen", Result{Seconds: 10, Machine: machine.Machine{Cores: 2, After: &machine.Load{Steal: 1}}}, "5.0 % of the time"},
		{"nothing", Result{}, ""},
	} {
		got := strings.Join(notes(&tt.result), "; ")
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPlace(t *testing.T) {
	for _, tt := range []struct {
		placement           string
		cpus                []int
		sender              bool
		critical, others    string
		policy, wantFailure string
	}{
		{Same, []int{0, 1}, true, "1", "0", "fifo", ""},
		{Same, []int{0, 1}, false, "1", "0", "fifo", ""},
		{Same, []int{2, 5, 7}, false, "7", "2,5", "fifo", ""},
		{Split, []int{2, 5, 7}, true, "5", "2", "fifo", ""},
		{Split, []int{2, 5, 7}, false, "7", "2", "fifo", ""},
		{Split, []int{0, 1}, true, "0", "0", "fifo", ""},
		{Free, []int{0}, false, "", "", "other", ""},
		{Same, []int{0}, false, "", "", "", "needs two CPUs"},
		{"best", []int{0, 1}, false, "", "", "", `placement "best" is unknown`},
	} {
		var c contender.Config
		err := place(tt.placement, tt.cpus, tt.sender, &c)
		if tt.wantFailure != "" {
			if err == nil || !strings.Contains(err.Error(), tt.wantFailure) {
				t.Errorf("%s on %v: %v, want %q", tt.placement, tt.cpus, err, tt.wantFailure)
			}
			continue
		}
		if err != nil || c.CPUs != tt.critical || c.BackgroundCPUs != tt.others || c.Policy != tt.policy {
			t.Errorf("%s on %v: %v, %+v", tt.placement, tt.cpus, err, c)
		}
	}
}

func TestCompare(t *testing.T) {
	result := func(us int64) *Result {
		h := measure.NewHistogram()
		for range 1000 {
			h.Record(us * 1000)
		}
		runs := []Run{{Contender: "c", Mode: "listener", Params: Params{Size: 64, Type: "bytes", Reliability: "reliable"}, Figures: h.Figures(), Histogram: h}}
		return &Result{Schema: Schema, Scenario: "rtt", Runs: runs, Summary: summarise(runs)}
	}
	var out bytes.Buffer
	if err := Compare(&out, result(100), result(150)); err != nil || strings.Count(out.String(), "1.50") != 2 {
		t.Errorf("%v\n%s", err, out.String())
	}
	other := result(1)
	other.Scenario = "multitopic"
	if err := Compare(&out, result(1), other); err == nil {
		t.Error("results of different scenarios were compared")
	}
	other = result(1)
	other.Summary[0].Size = 65
	if err := Compare(&out, result(1), other); err == nil {
		t.Error("results without anything in common were compared")
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"schema.json": `{"schema":"pinion-bench/0"}`, "text.json": `hello`} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestChoose(t *testing.T) {
	r := &roster{all: []competitor{fake("a", 1), fake("b", 1)}}
	got, err := r.choose([]string{"b", "a/listener", "b/listener"}, nil)
	if err != nil || len(got) != 2 || got[0].Name != "b" {
		t.Errorf("%v, %v", got, err)
	}
	r.named = []string{"b"}
	for _, wanted := range [][]string{nil, {"a"}, {"a", "b/listener"}} {
		if got, err := r.choose(wanted, []string{"a"}); err != nil || len(got) != 2 || got[1].Name != "b" {
			t.Errorf("of %q and the named b: %v, %v", wanted, got, err)
		}
	}
	if _, err := r.choose([]string{"z"}, nil); err == nil || !strings.Contains(err.Error(), "a/listener, b/listener") {
		t.Errorf("%v", err)
	}
}

func TestOptionErrors(t *testing.T) {
	for _, o := range []Options{{Topics: []int{0}}, {Phases: []string{"odd"}}, {Variants: []string{"x"}}, {Contenders: []string{"y"}}} {
		o.Program = []string{"/bin/false"}
		if _, err := Multitopic(t.Context(), o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
	if _, err := RTT(t.Context(), Options{Sizes: []int{4}, Program: []string{"/bin/false"}}); err == nil {
		t.Error("4 bytes were accepted")
	}
}

func TestAudit(t *testing.T) {
	a, err := Audit(t.Context(), Options{Domain: pubsubtest.NewDomain(t).Discovery().Domain, Program: []string{os.Args[0]}, Contenders: []string{"c/listener"}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := a.WriteTable(&out); err != nil || strings.Count(out.String(), "\n") != len(a.Checks)+1 || len(a.Checks) < 8 {
		t.Errorf("%v\n%s", err, out.String())
	}
	// What depends on how busy the machine is may fail here; what does not must hold.
	for _, c := range a.Checks {
		if strings.HasPrefix(c.Name, "percentiles") && !c.OK || strings.Contains(c.Name, "stalls") && !c.OK {
			t.Errorf("%+v", c)
		}
	}
}
