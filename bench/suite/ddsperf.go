package suite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/hosts"
	"github.com/pinion-ros/pinion/bench/measure"
)

// ddsperfEntries are the contenders that Cyclone DDS brings along.
var ddsperfEntries = []ContenderEntry{
	{Name: "ddsperf", Mode: "listener", What: "the tool of Cyclone DDS; it halves round trips, here they are doubled; it always batches throughput, and its messages of any size (topic KS) always have a key, of one instance where the table says unkeyed; size counts 12 bytes of its own"},
	{Name: "ddsperf", Mode: "waitset", What: "the tool of Cyclone DDS with a wait set; round trips doubled as well"},
}

// ddsperf runs the tool's ping and pong, or for a rate of 0 its throughput test.
func ddsperf(trip bool) runFunc {
	return func(ctx context.Context, r *runner, c competitor, cfg contender.Config, run *Run) error {
		// It prints figures of each second, of the first perhaps not; the first it prints are the warm-up.
		seconds := 2 + int(math.Ceil(r.duration.Seconds()))
		options := []string{"-i", strconv.Itoa(int(cfg.Domain)), "-D", strconv.Itoa(seconds), "-k", "all"}
		if cfg.Depth > 0 {
			options[5] = strconv.Itoa(cfg.Depth)
		}
		if cfg.Reliability == "best_effort" {
			options = append(options, "-u")
		}
		if cfg.Instances > 0 {
			options = append(options, "-n", strconv.Itoa(cfg.Instances))
		}
		size := strconv.Itoa(cfg.Size)
		near, far := []string{"sub", c.Mode}, []string{"pub", "size", size}
		if trip {
			near, far = []string{"ping", "size", size, c.Mode}, []string{"pong", c.Mode}
		}
		out, err := r.runTool(ctx, run, slices.Concat(options, near), slices.Concat(options, far))
		if err != nil {
			return err
		}
		if trip {
			return run.addPings(out)
		}
		return run.addThroughput(out)
	}
}

// runTool runs both ends and returns what the near one printed.
func (r *runner) runTool(ctx context.Context, run *Run, near, far []string) (string, error) {
	var ends [2]*exec.Cmd
	var out [2]strings.Builder
	for i, args := range [][]string{near, far} {
		var c contender.Config
		if err := place(run.Placement, r.cpus, i == 1, &c); err != nil {
			return "", err
		}
		ends[i] = exec.CommandContext(ctx, "ddsperf", args...)
		ends[i].Env = append(os.Environ(), r.hosts[i].Env...)
		ends[i].Stdout, ends[i].Stderr = &out[i], &out[i]
		ends[i].WaitDelay = time.Second
		if err := startScheduled(ends[i], c, r.hosts[i].Namespace); err != nil {
			return "", err
		}
	}
	time.Sleep(500 * time.Millisecond)
	if u, err := contender.ReadUsage(ends[0].Process.Pid); err == nil { // else it has ended, which shows below
		run.Receiver = &u
	}
	for i, e := range ends {
		var exit *exec.ExitError
		// It exits with 1 if the other end went first.
		if err := e.Wait(); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
			return "", fmt.Errorf("ddsperf: %w: %.500s", err, out[i].String())
		}
	}
	return out[0].String(), nil
}

// startScheduled starts a program all of whose threads have the scheduling of the configuration, as far
// as that is permitted. They inherit it from the thread that starts them, which ends then.
func startScheduled(cmd *exec.Cmd, c contender.Config, namespace *os.File) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		contender.ScheduleThread(c, 0, false)
		if namespace != nil {
			if err := hosts.Enter(namespace); err != nil {
				started <- err
				return
			}
		}
		started <- cmd.Start()
	}()
	return <-started
}

var (
	pingLine = regexp.MustCompile(` mean ([\d.]+)us min ([\d.]+)us 50% ([\d.]+)us 90% ([\d.]+)us 99% ([\d.]+)us max ([\d.]+)us cnt (\d+)`)
	subLine  = regexp.MustCompile(` delta (\d+) lost (\d+) rate ([\d.]+) (k|M|)S/s`)
)

// numbers returns the numbers of each line that matches but the first, which is the warm-up.
func numbers(out string, line *regexp.Regexp) [][]float64 {
	var all [][]float64
	scanner := bufio.NewScanner(strings.NewReader(out))
	for scanner.Scan() {
		m := line.FindStringSubmatch(scanner.Text())
		if m == nil {
			continue
		}
		var row []float64
		for _, text := range m[1:] {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				v = map[string]float64{"k": 1e3, "M": 1e6, "": 1}[text]
			}
			row = append(row, v)
		}
		all = append(all, row)
	}
	return all[min(1, len(all)):]
}

// addPings takes over the figures of each second: medians of percentiles, doubled, because the tool
// halves round trips.
func (r *Run) addPings(out string) error {
	lines := numbers(out, pingLine)
	if len(lines) == 0 {
		return fmt.Errorf("ddsperf printed no round trips: %w", io.ErrUnexpectedEOF)
	}
	column := func(i int) (values []float64) {
		for _, l := range lines {
			values = append(values, 2*l[i])
		}
		return values
	}
	median := func(i int) *float64 { m := measure.Median(column(i)); return &m }
	least, most, sum, count := math.Inf(1), 0.0, 0.0, 0.0
	for _, l := range lines {
		least, most = min(least, 2*l[1]), max(most, 2*l[5])
		sum, count = sum+2*l[0]*l[6], count+l[6]
	}
	mean := sum / count
	r.Figures = measure.Figures{P50: median(2), P90: median(3), P99: median(4), Min: &least, Max: &most, Mean: &mean}
	r.Sent, r.Received = uint64(count), uint64(count)
	return nil
}

// addThroughput takes over what the subscriber counted each second.
func (r *Run) addThroughput(out string) error {
	lines := numbers(out, subLine)
	if len(lines) == 0 {
		return fmt.Errorf("ddsperf printed no throughput: %w", io.ErrUnexpectedEOF)
	}
	for _, l := range lines {
		r.Received += uint64(l[0])
		r.Lost += uint64(l[1])
		r.AchievedRate += l[2] * l[3] / float64(len(lines))
	}
	r.Sent = r.Received + r.Lost
	r.Seconds = float64(r.Received) / r.AchievedRate
	r.LossRate = float64(r.Lost) / float64(max(r.Sent, 1))
	r.Mbit = r.AchievedRate * float64(r.Size) * 8 / 1e6
	return nil
}
