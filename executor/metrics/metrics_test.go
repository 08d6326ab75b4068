package metrics

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/pubsub"
)

func histogram(t *testing.T, values ...int64) *hdrhistogram.Histogram {
	t.Helper()
	h := hdrhistogram.New(1, 68e9, 2)
	for _, v := range values {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func stats(t *testing.T) *executor.Stats {
	load := func() executor.Load {
		return executor.Load{
			ReceiverStats: pubsub.ReceiverStats{Received: 3, Lost: 2, Overwritten: 1},
			Latency:       histogram(t, 1500, 30_000, 20_000_000_000), Period: histogram(t), Wait: histogram(t, 800), Duration: histogram(t, 1),
			DeadlineMisses: 4, Overruns: 5,
		}
	}
	return &executor.Stats{
		Topics: []executor.TopicStats{
			{Topic: "/b", Node: "/n", Load: load()},
			{Topic: "/a", Node: "/n", Lane: `odd"\name`, Load: load()},
			{Topic: "/b", Node: "/n", Load: load()}, // a second subscription
		},
		Chains: []executor.ChainStats{{Name: "reflex", DeadlineMisses: 7, Stages: []executor.StageStats{{Topic: "/a", Latency: histogram(t, 5000)}}}},
		Timers: []executor.TimerStats{{Name: "balance", Lane: "l", Jitter: histogram(t, 3000), Duration: histogram(t), Overruns: 8, Skipped: 9, DeadlineMisses: 10, OverBudget: 11}},
		Budget: executor.Budget{Lanes: 1, Workers: 2, Spare: 2, Procs: 6},
		Parts:  []executor.PartStats{{Name: "arms", PID: 4711}, {Name: "legs", Restarts: 12}},
	}
}

func TestWrite(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, stats(t)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`pinion_messages_received_total{lane="",node="/n",topic="/b"} 6`,
		`pinion_messages_received_total{lane="odd\"\\name",node="/n",topic="/a"} 3`,
		`pinion_messages_overwritten_total{lane="",node="/n",topic="/b"} 2`,
		`pinion_latency_seconds_bucket{lane="",node="/n",topic="/b",le="1e-06"} 0`,
		`pinion_latency_seconds_bucket{lane="",node="/n",topic="/b",le="2e-06"} 2`,
		`pinion_latency_seconds_bucket{lane="",node="/n",topic="/b",le="10"} 4`,
		`pinion_latency_seconds_bucket{lane="",node="/n",topic="/b",le="+Inf"} 6`,
		`pinion_latency_seconds_count{lane="",node="/n",topic="/b"} 6`,
		`pinion_period_seconds_sum{lane="",node="/n",topic="/b"} 0`,
		`pinion_chain_deadline_misses_total{chain="reflex"} 7`,
		`pinion_chain_latency_seconds_count{chain="reflex",topic="/a"} 1`,
		`pinion_timer_skipped_total{lane="l",timer="balance"} 9`,
		`pinion_timer_deadline_misses_total{lane="l",timer="balance"} 10`,
		`pinion_timer_over_budget_total{lane="l",timer="balance"} 11`,
		`pinion_part_running{part="arms"} 1`,
		`pinion_part_running{part="legs"} 0`,
		`pinion_part_restarts_total{part="legs"} 12`,
		`pinion_procs 6`,
		`pinion_procs_needed 5`,
	} {
		if !strings.Contains("\n"+out.String(), "\n"+want+"\n") {
			t.Errorf("no line %s", want)
		}
	}
	checkFormat(t, out.String())
}

// checkFormat holds the text against the rules of the format: every sample of a family that has been
// announced, no label set twice, buckets that do not fall.
func checkFormat(t *testing.T, text string) {
	t.Helper()
	sample := regexp.MustCompile(`^([a-z_]+)(\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)*\})? (\S+)$`)
	seen, family, last := map[string]bool{}, "", 0.0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			family, _, _ = strings.Cut(name, " ")
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("not a sample: %q", line)
			continue
		}
		if seen[m[1]+m[2]] || !strings.HasPrefix(m[1], family) {
			t.Errorf("twice or out of its family %s: %q", family, line)
		}
		seen[m[1]+m[2]] = true
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if strings.HasSuffix(m[1], "_bucket") {
			if v < last && !strings.Contains(m[2], `le="1e-06"`) {
				t.Errorf("a bucket holds less than the one before: %q", line)
			}
			last = v
		}
	}
}

func TestHandler(t *testing.T) {
	e, err := executor.New()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	server := httptest.NewServer(Handler(e))
	defer server.Close()
	r, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Header.Get("Content-Type") != ContentType || !bytes.Contains(body, []byte("# TYPE pinion_procs_needed gauge")) {
		t.Errorf("%v, %v\n%s", err, r.Header, body)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteError(t *testing.T) {
	if err := Write(full{}, stats(t)); err != io.ErrShortWrite {
		t.Errorf("got %v", err)
	}
}
