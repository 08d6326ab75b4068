package measure

import "context"

// A Schedule is a row of instants at a fixed distance. Instants are computed from the start, so that
// neither rounding nor a late sender moves the later ones.
type Schedule struct {
	Start int64   // of the clock that Now reads
	Rate  float64 // per second
}

// At returns instant i.
func (s Schedule) At(i int) int64 { return s.Start + int64(float64(i)*1e9/s.Rate) }

// Period returns the distance in nanoseconds.
func (s Schedule) Period() int64 { return int64(1e9 / s.Rate) }

// Run calls send for the instants 0 to n-1, each at its time or as soon after it as the calls before
// allow: an instant that is late is neither left out nor moved. It ends early with ctx or the first
// error and returns how many calls succeeded. The caller should be locked to its thread.
func (s Schedule) Run(ctx context.Context, n int, send func(i int, intended int64) error) (int, error) {
	for i := range n {
		intended := s.At(i)
		if Now() < intended {
			SleepUntil(intended)
		}
		if ctx.Err() != nil {
			return i, nil
		}
		if err := send(i, intended); err != nil {
			return i, err
		}
	}
	return n, nil
}

// Late tells whether a message that was sent at the time sent missed its instant: by more than a
// tenth of the period.
func (s Schedule) Late(intended, sent int64) bool { return sent-intended > s.Period()/10 }
