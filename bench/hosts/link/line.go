package link

import (
	"math/rand/v2"
	"slices"
	"time"
)

// maxHeld is how many bytes a line holds at the most, whatever the delay.
const maxHeld = 32 << 20

// Counters tell what a line did to frames. Offered and Duplicated together are Forwarded, Lost,
// Overflowed and Down, and those that the line still holds.
type Counters struct {
	Offered    uint64 `json:"offered"`    // came in
	Forwarded  uint64 `json:"forwarded"`  // went out, duplicates as well
	Lost       uint64 `json:"lost"`       // by chance
	Duplicated uint64 `json:"duplicated"` // were doubled
	Reordered  uint64 `json:"reordered"`  // went out behind one that had come in later
	Overflowed uint64 `json:"overflowed"` // found the queue full
	Down       uint64 `json:"down"`       // came, or were on the way, while the link was down
}

// A Line is one direction of a link. Times are since any beginning and must not run backwards. It is not
// safe for concurrent use.
type Line struct {
	settings Settings
	chance   *rand.Rand
	down     bool
	counters Counters

	held  []held        // in the order in which they are due
	bytes int           // of all held
	free  time.Duration // when the last frame will have passed the limit of the rate
	last  uint64        // highest number that went out
}

type held struct {
	due    time.Duration
	number uint64
	frame  []byte
}

// NewLine returns a line with valid settings. The directions of a link, 0 and 1, do not share their
// chance.
func NewLine(s Settings, direction uint64) *Line {
	return &Line{settings: s, chance: rand.New(rand.NewPCG(s.Seed, direction))}
}

// Counters returns what happened so far.
func (l *Line) Counters() Counters { return l.counters }

// SetUp takes the link down, and what is on the way with it, or up again.
func (l *Line) SetUp(up bool) {
	l.down = !up
	if up {
		return
	}
	l.counters.Down += uint64(len(l.held))
	l.held, l.bytes, l.free = nil, 0, 0
}

// Put takes a frame in, which is copied. Pop gives it back when its time has come, or never.
func (l *Line) Put(frame []byte, now time.Duration) {
	l.counters.Offered++
	number := l.counters.Offered
	s := &l.settings
	// Each frame takes the same numbers whatever becomes of it, or the fate of the next would depend on it.
	lost, twice, late := l.hit(s.Loss), l.hit(s.Duplicate), l.hit(s.Reorder)
	delay := s.Delay + time.Duration((2*l.chance.Float64()-1)*float64(s.Jitter))
	if l.down {
		l.counters.Down++
		return
	}
	passed, ok := l.pass(len(frame), now)
	switch {
	case !ok:
		l.counters.Overflowed++
		return
	case lost: // behind the limit of the rate, which it took its share of
		l.counters.Lost++
		return
	}
	due := passed + delay
	if late {
		due += s.gap()
	}
	l.hold(frame, due, number)
	if twice && l.bytes+len(frame) <= maxHeld {
		l.counters.Duplicated++
		l.hold(frame, due, number)
	}
}

func (l *Line) hit(share float64) bool { return l.chance.Float64() < share }

// pass returns when a frame will have passed the limit of the rate, and whether there is room for it.
func (l *Line) pass(size int, now time.Duration) (time.Duration, bool) {
	if l.bytes+size > maxHeld {
		return 0, false
	}
	rate := float64(l.settings.Rate) / 8 / float64(time.Second) // bytes per nanosecond
	if rate == 0 {
		return now, true
	}
	begin := max(now, l.free)
	if waiting := float64(begin-now) * rate; waiting+float64(size) > float64(l.settings.QueueBytes()) {
		return 0, false
	}
	l.free = begin + time.Duration(float64(size)/rate)
	return l.free, true
}

// hold keeps a copy of the frame. Most frames go to the end.
func (l *Line) hold(frame []byte, due time.Duration, number uint64) {
	i := len(l.held)
	for i > 0 && l.held[i-1].due > due {
		i--
	}
	l.held = slices.Insert(l.held, i, held{due, number, slices.Clone(frame)})
	l.bytes += len(frame)
}

// Next returns when the next frame is due, false if there is none.
func (l *Line) Next() (time.Duration, bool) {
	if len(l.held) == 0 {
		return 0, false
	}
	return l.held[0].due, true
}

// Pop returns the next frame that is due, nil if there is none. It is the caller's.
func (l *Line) Pop(now time.Duration) []byte {
	if len(l.held) == 0 || l.held[0].due > now {
		return nil
	}
	h := l.held[0]
	l.held[0] = held{}
	l.held = l.held[1:]
	l.bytes -= len(h.frame)
	l.counters.Forwarded++
	if h.number < l.last {
		l.counters.Reordered++
	}
	l.last = max(l.last, h.number)
	return h.frame
}
