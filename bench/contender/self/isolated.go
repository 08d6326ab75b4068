package self

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/executor"
	"golang.org/x/sys/unix"
)

// isolated is the mode whose critical lane is in a process of its own. That process runs Run too: it
// gets its configuration from the environment, and leaves its result in a file.
const isolated = "critical:isolated"

const (
	configVariable = "PINION_BENCH_CONFIG"
	resultVariable = "PINION_BENCH_RESULT"
)

// runPart is Run in the process of the critical lane.
func runPart(ctx context.Context) error {
	var c contender.Config
	if err := json.Unmarshal([]byte(os.Getenv(configVariable)), &c); err != nil {
		return fmt.Errorf("read the configuration of the part: %w", err)
	}
	result, err := play(ctx, c)
	if err != nil {
		return err
	}
	data, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return os.WriteFile(os.Getenv(resultVariable), data, 0)
}

// A handover is what the first process passes to the part and gets from it.
type handover struct{ file *os.File }

// newHandover prepares the environment of the part. The file goes with this process.
func newHandover(c contender.Config) (*handover, error) {
	config, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("result", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("a file for the result of the part: %w", err)
	}
	path := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd)
	return &handover{os.NewFile(uintptr(fd), path)}, errors.Join(os.Setenv(configVariable, string(config)), os.Setenv(resultVariable, path))
}

// result reads what the part has measured.
func (h *handover) result() (*contender.Result, error) {
	r := new(contender.Result)
	if err := json.NewDecoder(h.file).Decode(r); err != nil {
		return nil, fmt.Errorf("the result of the part: %w", err)
	}
	return r, nil
}

// wait returns when the part leaves its result, or ctx ends.
func (h *handover) wait(ctx context.Context) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if info, err := h.file.Stat(); err != nil || info.Size() > 0 {
				return
			}
		}
	}
}

// divide plays a role of which the critical topic is in a part, and puts both results together. What
// the Go runtime did is told of the part.
func divide(ctx context.Context, c contender.Config, play func(context.Context, contender.Config) (*contender.Result, error)) (*contender.Result, error) {
	h, err := newHandover(c)
	if err != nil {
		return nil, err
	}
	defer h.file.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.Role == contender.Ping {
		go func() {
			h.wait(ctx)
			cancel()
		}()
	}
	first, err := play(ctx, c)
	if err != nil {
		return nil, err
	}
	r, err := h.result()
	if err != nil {
		return nil, err
	}
	r.Background, r.BackgroundReceived = first.Background, first.BackgroundReceived
	for _, note := range first.Go.Notes {
		if !slices.Contains(r.Go.Notes, note) {
			r.Go.Notes = append(r.Go.Notes, note)
		}
	}
	return r, nil
}

// beside tells whether the critical topic is in another process than this.
func beside(c contender.Config) bool {
	roles := []contender.Role{contender.Subscriber, contender.Ping, contender.Pong}
	return c.Mode == isolated && slices.Contains(roles, c.Role) && executor.Part() == ""
}
