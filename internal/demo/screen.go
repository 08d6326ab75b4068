package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// A screen prints the live display: in place on a terminal, a line a second elsewhere.
type screen struct {
	w        io.Writer
	terminal bool
}

func newScreen(w io.Writer) *screen {
	f, ok := w.(*os.File)
	return &screen{w, ok && term.IsTerminal(int(f.Fd()))}
}

func (s *screen) printf(format string, args ...any) { fmt.Fprintf(s.w, format, args...) }

// live shows rates and latencies until ctx ends.
func (s *screen) live(ctx context.Context, name string, c *control) {
	s.printf("\n%s\n", name)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var before [3]uint64
	for {
		select {
		case <-ctx.Done():
			if s.terminal {
				s.printf("\n")
			}
			return
		case <-tick.C:
		}
		joints, gamepad, background := c.joints.snapshot(), c.gamepad.snapshot(), c.background.snapshot()
		// 79 columns at the most.
		line := fmt.Sprintf("  joints %4d/s p50 %5d p99 %6d max %6d µs, gamepad %3d/s, rest %5d/s",
			joints.Received-before[0], joints.P50.Microseconds(), joints.P99.Microseconds(), joints.Max.Microseconds(),
			gamepad.Received-before[1], background.Received-before[2])
		before = [3]uint64{joints.Received, gamepad.Received, background.Received}
		if s.terminal {
			s.printf("\r\x1b[K%s", line)
		} else {
			s.printf("%s\n", line)
		}
	}
}

// us prints a duration in microseconds, the unit of all that the demo measures.
func us(d time.Duration) string { return fmt.Sprintf("%d µs", d.Microseconds()) }

// aligned is us for columns.
func aligned(d time.Duration) string { return fmt.Sprintf("%9s", us(d)) }
