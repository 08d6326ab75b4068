package self

import (
	"context"
	"runtime"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
)

// loadBeside starts the goroutines that compute and allocate beside the executor until ctx ends.
func loadBeside(ctx context.Context, c contender.Config) {
	for range c.BusyThreads {
		go func() {
			for ctx.Err() == nil {
				measure.Burn(time.Millisecond)
			}
		}()
	}
	if c.GarbageMBs > 0 {
		go litter(ctx, c.GarbageMBs)
	}
}

// litter allocates pieces of 64 KiB at a rate of MB/s.
func litter(ctx context.Context, rate float64) {
	const piece = 64 << 10
	s := measure.Schedule{Start: measure.Now(), Rate: rate * 1e6 / piece}
	var kept [64][]byte
	for i := 0; ctx.Err() == nil; i++ {
		kept[i%len(kept)] = make([]byte, piece)
		if at := s.At(i); measure.Now() < at {
			time.Sleep(time.Duration(at - measure.Now()))
		}
	}
	runtime.KeepAlive(kept)
}
