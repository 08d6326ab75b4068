package pubsub

import (
	"math/bits"
	"slices"
	"sync"
)

// suspects bound what the log tells of those that do wrong, again and again or under ever new names: each
// is told of once, of so many as are remembered, and all together whenever their count gets to a power of two.
type suspects struct {
	mu    sync.Mutex
	known []string
}

const maxSuspects = 64

// tell says whether to log that the count has grown by news, which are of these sources.
func (s *suspects) tell(count, news uint64, sources ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := false
	for _, source := range sources {
		if len(s.known) < maxSuspects && !slices.Contains(s.known, source) {
			s.known = append(s.known, source)
			first = true
		}
	}
	return first || doubled(count, news)
}

// doubled tells whether a count got to a power of two, or beyond one, by the last news.
func doubled(count, news uint64) bool { return bits.Len64(count) != bits.Len64(count-min(news, count)) }
