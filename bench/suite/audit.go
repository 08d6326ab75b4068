package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/hosts"
	"github.com/pinion-ros/pinion/bench/hosts/link"
	"github.com/pinion-ros/pinion/bench/machine"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/executor"
)

// AuditResult is the form of audit.json.
type AuditResult struct {
	Schema  string          `json:"schema"`
	Machine machine.Machine `json:"machine"`
	Checks  []Check         `json:"checks"`
}

// Check is one way in which the bench checked itself.
type Check struct {
	Name string `json:"name"`
	Want string `json:"want"`
	Got  string `json:"got"`
	OK   bool   `json:"ok"`
	// Skipped is why the check was not made.
	Skipped string `json:"skipped,omitempty"`
}

// OK tells whether all checks that were made passed.
func (a *AuditResult) OK() bool {
	for _, c := range a.Checks {
		if !c.OK && c.Skipped == "" {
			return false
		}
	}
	return len(a.Checks) > 0
}

// WriteTable writes the checks for a terminal.
func (a *AuditResult) WriteTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "check\twant\tgot\t")
	for _, c := range a.Checks {
		got, verdict := c.Got, "ok"
		switch {
		case c.Skipped != "":
			got, verdict = c.Skipped, "not checked"
		case !c.OK:
			verdict = "FAILED"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.Name, c.Want, got, verdict)
	}
	return w.Flush()
}

// Write writes audit.json into a directory, which it creates.
func (a *AuditResult) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "audit.json"), text, 0o666)
}

// Audit holds what the bench measures against what is known.
func Audit(ctx context.Context, o Options) (*AuditResult, error) {
	roster, err := newRoster(ctx, o.Program, o.Peers)
	if err != nil {
		return nil, err
	}
	cpus, err := executor.AllowedCPUs()
	if err != nil {
		return nil, err
	}
	a := &auditor{runner: &runner{options: o, cpus: cpus, own: roster.own, hosts: loopbackNetwork.hosts},
		result: &AuditResult{Schema: Schema, Machine: machine.Describe()}}
	a.clock()
	a.histogram()
	a.stalledSender(ctx)
	a.probe(ctx)
	wanted, err := roster.choose(o.Contenders, []string{"c/listener", "c/waitset", "pinion/critical", "pinion/shared"})
	if err != nil {
		return nil, err
	}
	for _, c := range wanted {
		if c.Missing == "" {
			a.legs(ctx, c)
			a.delay(ctx, c)
		}
	}
	a.delayedLink(ctx, wanted)
	load := machine.ReadLoad()
	a.result.Machine.After = &load
	return a.result, ctx.Err()
}

type auditor struct {
	*runner
	result *AuditResult
}

func (a *auditor) check(name, want string, ok bool, got string, args ...any) {
	a.add(Check{Name: name, Want: want, Got: fmt.Sprintf(got, args...), OK: ok})
}

func (a *auditor) add(c Check) {
	a.result.Checks = append(a.result.Checks, c)
	if a.options.Out != nil {
		// That the terminal is gone is no reason to stop.
		_, _ = fmt.Fprintf(a.options.Out, "%s: %s\n", c.Name, c.Got+c.Skipped)
	}
}

// clock measures what reading the clock costs and the least step between two readings.
func (a *auditor) clock() {
	const n = 200_000
	step, begin := int64(math.MaxInt64), measure.Now()
	last := begin
	for range n {
		now := measure.Now()
		if now > last {
			step = min(step, now-last)
		}
		last = now
	}
	cost := float64(last-begin) / n
	a.check("cost of reading the clock", "below 1000 ns", cost < 1000, "%.0f ns", cost)
	a.check("resolution of the clock", "below 1000 ns", step < 1000, "%d ns", step)
}

// histogram records an exponential distribution, of which all quantiles are known.
func (a *auditor) histogram() {
	const n, mean = 1_000_000, 50_000.0
	h := measure.NewHistogram()
	for i := range n {
		h.Record(int64(-mean * math.Log(1-(float64(i)+0.5)/n)))
	}
	worst := 0.0
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999, 0.9999} {
		got, _ := h.Quantile(q)
		want := -mean * math.Log(1-q)
		worst = max(worst, math.Abs(got/want-1))
	}
	a.check("percentiles of a known distribution", "within 0.2 %", worst < 0.002, "%.3f %% off", 100*worst)
}

// stalledSender stops a sender of 1 kHz for 50 ms: the messages that waited must show it.
func (a *auditor) stalledSender(ctx context.Context) {
	const stall = 50 * time.Millisecond
	h, s := measure.NewHistogram(), measure.Schedule{Start: measure.Now() + int64(time.Millisecond), Rate: 1000}
	_, _ = s.Run(ctx, 500, func(i int, intended int64) error { // fails never: the function does not
		if i == 100 {
			measure.Burn(stall)
		}
		h.Record(measure.Now() - intended)
		return nil
	})
	// One message in ten falls into the stall: the one at p94 is 20 ms late.
	got, _ := h.Quantile(0.94)
	a.check("a sender that stalls for 50 ms", "p94 from the intended time above 19 ms", got > 19e6, "%.1f ms", got/1e6)
}

func (a *auditor) probe(ctx context.Context) {
	for _, placement := range []string{Same, Split} {
		result, err := a.startProbe(ctx, placement, contender.Config{Role: contender.Probe, Size: 64, Warmup: 500, Count: 5000})
		if err != nil {
			a.check("control probe, "+placement, "an answer", false, "%v", err)
			continue
		}
		f := result.Latency.Figures()
		a.check("control probe, "+placement, "all answered", result.Received == 5000, "p50 %s, p99 %s µs", number(f.P50), number(f.P99))
	}
}

// exchange runs a ping and a pong of the contender.
func (a *auditor) exchange(ctx context.Context, c competitor, on [2]contender.Host, size, count int, delay time.Duration) (*contender.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	cfg := contender.Config{Mode: c.Mode, Domain: a.options.Domain, Type: contender.Bytes, Size: size, Reliability: "reliable",
		Depth: 10, Topics: 1, Rate: 1000, BackgroundRate: 300, Warmup: count / 10, Count: count, DelayMicrosec: float64(delay) / 1000}
	pinging, ponging := cfg, cfg
	pinging.Role, ponging.Role = contender.Ping, contender.Pong
	for _, c := range []*contender.Config{&pinging, &ponging} {
		if err := place(Same, a.cpus, false, c); err != nil {
			return nil, err
		}
	}
	pong, err := contender.Start(ctx, c.program, ponging, on[1])
	if err != nil {
		return nil, err
	}
	defer pong.Kill()
	ping, err := contender.Start(ctx, c.program, pinging, on[0])
	if err != nil {
		return nil, err
	}
	defer ping.Kill()
	return ping.Result()
}

// legs compares round trips, on one clock, with the sum of both ways, each on the clocks of two processes.
func (a *auditor) legs(ctx context.Context, c competitor) {
	name := "round trip against both ways, " + c.id()
	const want = "sum of the means 0 to 10 % below the mean round trip"
	r, err := a.exchange(ctx, c, a.hosts, contender.StampSize, 5000, 0)
	if err != nil {
		a.check(name, want, false, "%v", err)
		return
	}
	whole, forth, back := r.Latency.Figures(), r.Forth.Figures(), r.Back.Figures()
	if whole.Mean == nil || forth.Mean == nil || back.Mean == nil {
		a.check(name, want, false, "%d answers of %d", r.Received, r.Sent)
		return
	}
	share := (*forth.Mean + *back.Mean) / *whole.Mean
	a.check(name, want, share > 0.9 && share < 1.001 && r.Received == r.Sent, "%.1f + %.1f of %.1f µs", *forth.Mean, *back.Mean, *whole.Mean)
}

// delay has the pong sleep for a known time.
func (a *auditor) delay(ctx context.Context, c competitor) {
	const injected = 2 * time.Millisecond
	// What is under 2 ms by a little is the median without, which is that of another run.
	name, want := "a pong that sleeps for 2 ms, "+c.id(), "median 1950 to 2300 µs above that of one that does not"
	without, err := a.median(ctx, c, a.hosts, 0)
	with, err2 := a.median(ctx, c, a.hosts, injected)
	if err := errors.Join(err, err2); err != nil {
		a.check(name, want, false, "%v", err)
		return
	}
	added := with - without
	a.check(name, want, added > 1950 && added < 2300, "%.0f µs", added)
}

// median returns that of round trips in µs, with a pong that sleeps.
func (a *auditor) median(ctx context.Context, c competitor, on [2]contender.Host, delay time.Duration) (float64, error) {
	const n = 200
	r, err := a.exchange(ctx, c, on, 64, n, delay)
	if err != nil {
		return 0, err
	}
	median := r.Latency.Figures().P50
	if median == nil {
		return 0, fmt.Errorf("%d answers of %d", r.Received, n)
	}
	return *median, nil
}

// delayedLink joins two hosts by a link of a known delay, for the first contender that there is.
func (a *auditor) delayedLink(ctx context.Context, competitors []competitor) {
	const delay = 2 * time.Millisecond
	i := slices.IndexFunc(competitors, func(c competitor) bool { return c.Missing == "" })
	if i < 0 {
		return
	}
	c := competitors[i]
	name, want := "a link that takes 2 ms each way, "+c.id(), "median 3950 to 5000 µs above that of one that does not"
	with, via, err := a.across(ctx, c, link.Settings{Delay: delay})
	var permission *hosts.PermissionError
	if errors.As(err, &permission) {
		a.add(Check{Name: name, Want: want, Skipped: err.Error()})
		return
	}
	without := 0.0
	if err == nil {
		base := link.Settings{}
		if via == hosts.TAP {
			base.Seed = 1 // the same kind of link
		}
		without, _, err = a.across(ctx, c, base)
	}
	if err != nil {
		a.check(name, want, false, "%v", err)
		return
	}
	added := with - without
	a.check(name, want, added > 3950 && added < 5000, "%.0f µs (by %s)", added, via)
}

// across is median between two hosts, which it joins.
func (a *auditor) across(ctx context.Context, c competitor, s link.Settings) (float64, hosts.Via, error) {
	n, err := hostNetwork(s)
	if err != nil {
		return 0, "", err
	}
	defer n.pair.Close()
	median, err := a.median(ctx, c, n.hosts, 0)
	return median, n.pair.Via, err
}
