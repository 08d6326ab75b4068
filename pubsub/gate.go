package pubsub

import (
	"sync"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// A gate lets inline callbacks through or not. Schedulers may move it before the reader exists.
type gate struct {
	mu     sync.Mutex // held while Resume delivers
	reader *cyclone.Reader
	moved  bool
	shut   bool
}

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.moved, g.shut = true, shut
	if g.reader != nil {
		g.apply()
	}
}

func (g *gate) apply() {
	if g.shut {
		g.reader.Pause()
	} else {
		g.reader.Resume()
	}
}

// first returns whether the reader is to be created paused: what the placement says, unless the
// scheduler has changed its mind since.
func (g *gate) first(placed bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.moved {
		g.shut = placed
	}
	return g.shut
}

// attach hands over the reader, which was created paused or not.
func (g *gate) attach(reader *cyclone.Reader, paused bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reader = reader
	if g.shut != paused {
		g.apply()
	}
}
