package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pinion-ros/pinion/bench/codec"
	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/hosts/link"
	"github.com/pinion-ros/pinion/bench/machine"
	"github.com/pinion-ros/pinion/bench/measure"
)

// Schema is the version of result.json. It changes when a field changes its meaning or goes away.
const Schema = "pinion-bench/1"

// Result is everything that a run of a scenario found, and the form of result.json. All times are in
// microseconds of CLOCK_MONOTONIC unless their name says otherwise.
type Result struct {
	Schema      string          `json:"schema"`
	Scenario    string          `json:"scenario"`
	Note        string          `json:"note,omitempty"` // what stands in the first line of a report
	Interrupted bool            `json:"interrupted"`    // not all runs took place
	Quick       bool            `json:"quick"`
	Machine     machine.Machine `json:"machine"`
	Seconds     float64         `json:"seconds"` // that the whole took
	Rounds      int             `json:"rounds"`  // asked for
	Sender      string          `json:"sender"`  // the contender that sent in one-way scenarios
	Network     string          `json:"network"` // between which the processes exchanged messages
	// Link is what a link of this program's did to the frames of each host, see hosts.Pair.
	Link       []link.Counters  `json:"link,omitempty"`
	Contenders []ContenderEntry `json:"contenders"`
	Probes     []ProbeRun       `json:"probes"`
	Runs       []Run            `json:"runs"`
	Summary    []Summary        `json:"summary"`
	Codec      []codec.Row      `json:"codec,omitempty"` // of scenario codec, in place of runs and summary
}

// ContenderEntry is a contender that took part, or says why not.
type ContenderEntry struct {
	Name    string `json:"name"`
	Mode    string `json:"mode"`
	What    string `json:"what"`
	Missing string `json:"missing,omitempty"` // what to install
}

// Params are what the contenders of a comparison have in common.
type Params struct {
	Topics         int     `json:"topics"` // the critical one counts
	Type           string  `json:"type"`
	Size           int     `json:"size"`
	BackgroundSize int     `json:"background_size,omitempty"`
	Rate           float64 `json:"rate_hz"` // 0: as fast as possible, or one message in flight
	BackgroundRate float64 `json:"background_rate_hz,omitempty"`
	Work           float64 `json:"work_us"`
	Phase          string  `json:"phase"`
	Variant        string  `json:"variant"` // what else the subscriber's process does; "plain" is nothing
	Reliability    string  `json:"reliability"`
	Depth          int     `json:"depth"` // KEEP_LAST; 0 is KEEP_ALL
	Durability     string  `json:"durability,omitempty"`
	Instances      int     `json:"instances,omitempty"` // of messages with a key
	Batching       bool    `json:"batching,omitempty"`  // of writes, in the sender
	Placement      string  `json:"placement"`
}

// Run is one contender in one round with one set of parameters.
type Run struct {
	Contender string `json:"contender"`
	Mode      string `json:"mode"`
	Round     int    `json:"round"`
	Params
	Sent               uint64  `json:"sent"`
	Received           uint64  `json:"received"`
	Lost               uint64  `json:"lost"`
	OutOfOrder         uint64  `json:"out_of_order"`
	Duplicates         uint64  `json:"duplicates"`
	Late               uint64  `json:"late"`   // sent more than a tenth of the period after their time
	Failed             uint64  `json:"failed"` // not sent: the middleware refused
	BackgroundSent     uint64  `json:"background_sent"`
	BackgroundReceived uint64  `json:"background_received"`
	Seconds            float64 `json:"seconds"`
	LoopRate           float64 `json:"loop_hz"`     // at which the sender sent
	AchievedRate       float64 `json:"achieved_hz"` // at which messages arrived
	Mbit               float64 `json:"mbit_s"`      // of data that arrived
	LossRate           float64 `json:"loss_rate"`   // lost of sent

	measure.Figures // from the actual send; round trips whole
	IntendedFigures

	Footprint   *Footprint  `json:"footprint,omitempty"`
	Stalls      *StallCount `json:"stalls,omitempty"`
	FirstNumber uint64      `json:"first_number,omitempty"` // of the messages, the first that came

	// Errors end a run, not the scenario.
	Error string `json:"error,omitempty"`

	Sender            *contender.Usage     `json:"sender_usage,omitempty"`
	Receiver          *contender.Usage     `json:"receiver_usage,omitempty"`
	Go                *contender.GoRuntime `json:"go,omitempty"`
	Histogram         *measure.Histogram   `json:"histogram,omitempty"` // pairs: nanoseconds, count
	HistogramIntended *measure.Histogram   `json:"histogram_intended,omitempty"`
	Background        *measure.Histogram   `json:"histogram_background,omitempty"` // from the intended time
	SendLag           *measure.Histogram   `json:"histogram_send_lag,omitempty"`   // from the intended time to sending
}

// IntendedFigures are Figures from the intended time of sending.
type IntendedFigures struct {
	P50     *float64 `json:"p50_us_intended"`
	P90     *float64 `json:"p90_us_intended"`
	P99     *float64 `json:"p99_us_intended"`
	P999    *float64 `json:"p999_us_intended"`
	P9999   *float64 `json:"p9999_us_intended"`
	P999999 *float64 `json:"p999999_us_intended"`
	Min     *float64 `json:"min_us_intended"`
	Max     *float64 `json:"max_us_intended"`
	Mean    *float64 `json:"mean_us_intended"`
	StdDev  *float64 `json:"stddev_us_intended"`
}

// ProbeRun is one run of the control probe.
type ProbeRun struct {
	Round     int    `json:"round"`
	Placement string `json:"placement"`
	Size      int    `json:"size"`
	measure.Figures
	Error string `json:"error,omitempty"`
}

// Write writes result.json into a directory, which it creates. A file that is there is replaced as a
// whole.
func (r *Result) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	tmp := filepath.Join(dir, ".result.json")
	if err := os.WriteFile(tmp, text, 0o666); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(dir, "result.json"))
}

// WithoutHistograms returns the result without what most of its size is, for a repository. Figures and
// summaries stay.
func (r *Result) WithoutHistograms() *Result {
	small := *r
	small.Runs = slices.Clone(r.Runs)
	for i := range small.Runs {
		run := &small.Runs[i]
		run.Histogram, run.HistogramIntended, run.Background, run.SendLag = nil, nil, nil, nil
	}
	return &small
}

// Read reads a result.json, or the one in a directory.
func Read(path string) (*Result, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "result.json")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r Result
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("%s: schema is %q, this program reads %q", path, r.Schema, Schema)
	}
	return &r, nil
}
