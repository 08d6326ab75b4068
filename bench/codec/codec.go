// Package codec measures how long messages take to encode and decode, against copying the same
// bytes and against Fast-CDR with the code that fastddsgen generates, compiled with -O2. All sides
// use their buffers and messages again. The contenders take turns within each round, and ratios
// are formed within rounds, so that what else the machine does touches all of them.
package codec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/peerbuild"
)

// Options set the length of a run. The zero value is a full run.
type Options struct {
	Rounds int           // per row; 31 if 0
	Slice  time.Duration // how long a contender works per round; 2 ms if 0
	// Messages names those to measure; all if it is empty.
	Messages []string
	// WithoutFastCDR leaves the comparison with Fast-CDR out.
	WithoutFastCDR bool
}

// Result holds the rows of a run.
type Result struct {
	Rows []Row `json:"rows"`
	// Missing says why there is no comparison with Fast-CDR. It is empty if there is one.
	Missing string `json:"missing,omitempty"`
}

// Row is the result for one operation on one message.
type Row struct {
	Message string `json:"message"`
	// Operation is encode (into a buffer), decode (into a message decoded before), view (the same,
	// aliasing the payload), or read (view, then every element read).
	Operation string `json:"operation"`
	Bytes     int    `json:"bytes"` // of the payload
	// Nanoseconds per operation, medians over the rounds. FastCDR is 0 without a comparison.
	Pinion  float64 `json:"pinion_ns"`
	FastCDR float64 `json:"fastcdr_ns"`
	Copy    float64 `json:"copy_ns"`
	// Ratios of the rounds: above 1 where this module takes longer.
	ToFastCDR Ratio `json:"to_fastcdr"`
	ToCopy    Ratio `json:"to_copy"`
}

// Ratio is the median, least and greatest of a ratio over the rounds.
type Ratio struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// Run measures all messages. It fails if Fast-CDR encodes one of them to other bytes. A Fast-CDR
// that is not installed is no failure: the result says so.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Rounds == 0 {
		o.Rounds = 31
	}
	if o.Slice == 0 {
		o.Slice = 2 * time.Millisecond
	}
	all := subjects()
	result := &Result{}
	peer, err := startPeer(ctx, all, o)
	if errors.As(err, new(*peerbuild.MissingError)) {
		result.Missing = err.Error()
	} else if err != nil {
		return nil, err
	}
	if peer != nil {
		defer peer.close()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, s := range all {
		if len(o.Messages) > 0 && !slices.Contains(o.Messages, s.name) {
			continue
		}
		rows, err := measure(ctx, s, peer, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		result.Rows = append(result.Rows, rows...)
	}
	return result, nil
}

func startPeer(ctx context.Context, all []subject, o Options) (*fastCDR, error) {
	if o.WithoutFastCDR {
		return nil, nil
	}
	return startFastCDR(ctx, all)
}

// operation is one way to use the codec, for all contenders.
type operation struct {
	name   string
	peer   string // the operation of Fast-CDR to compare with
	pinion func()
}

func measure(ctx context.Context, s subject, peer *fastCDR, o Options) ([]Row, error) {
	data := aligned(cdr.Size(s.message))
	if _, err := cdr.MarshalTo(data, s.message); err != nil {
		return nil, err
	}
	if peer != nil {
		theirs, err := peer.load(s.name, data)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(theirs, data) {
			return nil, fmt.Errorf("Fast-CDR encodes other bytes:\n%x\nours are\n%x", theirs, data)
		}
	}
	var rows []Row
	to := aligned(len(data)) // for both, since some memory is faster than other
	for _, op := range operations(s, data, to) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row, err := compare(s, op, local(func() { copy(to, data) }), peer, o)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// aligned returns memory for a payload in which every sequence can be viewed.
func aligned(n int) []byte { return make([]byte, n+8-cdr.HeaderSize)[8-cdr.HeaderSize:] }

func operations(s subject, data, buf []byte) []operation {
	copied, viewed := s.message.CDRType().New(), s.message.CDRType().New()
	check := func(err error) {
		if err != nil {
			panic(err) // the payload was made by the same code
		}
	}
	view := func() { check(cdr.UnmarshalView(data, viewed)) }
	ops := []operation{
		{"encode", "encode", func() {
			_, err := cdr.MarshalTo(buf, s.message)
			check(err)
		}},
		{"decode", "decode", func() { check(cdr.Unmarshal(data, copied)) }},
		{"view", "decode", view},
	}
	if s.read != nil {
		ops = append(ops, operation{"read", "read", func() {
			view()
			runtime.KeepAlive(s.read(viewed)) // so that the compiler cannot leave the reading out
		}})
	}
	return ops
}

// contender does its work n times and returns how long that took.
type contender func(n int) (time.Duration, error)

func local(f func()) contender {
	return func(n int) (time.Duration, error) {
		start := time.Now()
		for range n {
			f()
		}
		return time.Since(start), nil
	}
}

func compare(s subject, op operation, copying contender, peer *fastCDR, o Options) (Row, error) {
	contenders := []contender{local(op.pinion), copying}
	if peer != nil {
		contenders = append(contenders, func(n int) (time.Duration, error) { return peer.time(op.peer, s.name, n) })
	}
	counts := make([]int, len(contenders))
	for i, c := range contenders {
		n, err := calibrate(c, o.Slice)
		if err != nil {
			return Row{}, err
		}
		counts[i] = n
	}
	times := make([][]float64, len(contenders))
	for range o.Rounds {
		for _, i := range rand.Perm(len(contenders)) {
			took, err := contenders[i](counts[i])
			if err != nil {
				return Row{}, err
			}
			times[i] = append(times[i], float64(took)/float64(counts[i]))
		}
	}
	row := Row{Message: s.name, Operation: op.name, Bytes: cdr.Size(s.message), Pinion: median(times[0]), Copy: median(times[1])}
	row.ToCopy = ratio(times[0], times[1])
	if peer != nil {
		row.FastCDR, row.ToFastCDR = median(times[2]), ratio(times[0], times[2])
	}
	return row, nil
}

// calibrate returns how often a contender works in the given time. What it does meanwhile warms up
// caches and memory.
func calibrate(c contender, slice time.Duration) (int, error) {
	for n := 1; ; n *= 2 {
		took, err := c(n)
		if err != nil {
			return 0, err
		}
		if took >= slice/2 || n > 1<<30 {
			return max(1, int(float64(n)*float64(slice)/float64(max(took, 1)))), nil
		}
	}
}
