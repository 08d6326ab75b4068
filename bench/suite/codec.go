package suite

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/bench/codec"
	"github.com/pinion-ros/pinion/bench/machine"
)

// Codec measures encoding and decoding of typical messages against copying the same bytes and against
// Fast-CDR, see package codec.
func Codec(ctx context.Context, o Options) (*Result, error) {
	options := codec.Options{Rounds: o.Rounds, Slice: o.Duration}
	if o.Quick {
		options.Rounds, options.Slice = cmp.Or(o.Rounds, 11), cmp.Or(o.Duration, time.Millisecond)
	}
	r := &Result{Schema: Schema, Scenario: "codec", Quick: o.Quick, Machine: machine.Describe(), Rounds: options.Rounds,
		Network: "none", Sender: "none", Probes: []ProbeRun{}, Runs: []Run{}, Summary: []Summary{}}
	begin := time.Now()
	measured, err := codec.Run(ctx, options)
	if err != nil {
		return nil, err
	}
	load := machine.ReadLoad()
	r.Machine.After, r.Seconds, r.Codec = &load, time.Since(begin).Seconds(), measured.Rows
	r.Contenders = []ContenderEntry{
		{Name: "pinion", Mode: "generated", What: "the code that msggen writes"},
		{Name: "fastcdr", Mode: "generated", What: "the code that fastddsgen writes, on Fast-CDR, compiled with -O2", Missing: measured.Missing},
		{Name: "memcpy", Mode: "copy", What: "copying the same bytes"},
	}
	if o.Dir != "" {
		if err := r.Write(o.Dir); err != nil {
			return nil, fmt.Errorf("save: %w", err)
		}
	}
	return r, nil
}
