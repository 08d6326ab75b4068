package link

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"
)

// An arrival is a frame that came out of a line.
type arrival struct {
	at     time.Duration
	number uint32
}

// send puts frames of a size in, each a period after the one before, and returns what comes out when.
func send(l *Line, frames, size int, period time.Duration) []arrival {
	var out []arrival
	drain := func(until time.Duration) {
		for {
			at, ok := l.Next()
			if !ok || at > until {
				return
			}
			if l.Pop(at-1) != nil {
				panic("out before its time")
			}
			out = append(out, arrival{at, binary.BigEndian.Uint32(l.Pop(at))})
		}
	}
	frame := make([]byte, size)
	for i := range frames {
		now := time.Duration(i) * period
		drain(now)
		binary.BigEndian.PutUint32(frame, uint32(i))
		l.Put(frame, now)
	}
	drain(math.MaxInt64)
	return out
}

func settings(t *testing.T, text string) Settings {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Shares come out as they were asked for, the books balance, and everything follows from the seed.
func TestLine(t *testing.T) {
	const n, period, ms = 20_000, 100 * time.Microsecond, time.Millisecond
	for _, c := range []struct {
		text               string
		lost, dup, reorder float64 // shares
		least, most        time.Duration
		mean               time.Duration
	}{
		{text: ""},
		{text: "loss=1%", lost: 0.01},
		{text: "loss=10%", lost: 0.1},
		{text: "loss=30%", lost: 0.3},
		{text: "loss=100%", lost: 1},
		{text: "dup=5%", dup: 0.05},
		{text: "delay=50ms", least: 50 * ms, most: 50 * ms, mean: 50 * ms},
		{text: "reorder=2%,gap=10ms", reorder: 0.02, most: 10 * ms, mean: 200 * time.Microsecond},
		{text: "reorder=2%,gap=50us", most: 50 * time.Microsecond, mean: time.Microsecond}, // before the next one comes
		{text: "delay=50ms,jitter=10ms,seed=3", least: 40 * ms, most: 60 * ms, mean: 50 * ms, reorder: -1},
		{text: "loss=10%,dup=10%,delay=1ms,seed=9", lost: 0.1, dup: 0.09, least: ms, most: ms, mean: ms},
	} {
		t.Run(c.text, func(t *testing.T) {
			l := NewLine(settings(t, c.text), 0)
			out := send(l, n, 64, period)
			got := l.Counters()
			if got.Offered != n || got.Forwarded != uint64(len(out)) ||
				got.Offered+got.Duplicated != got.Forwarded+got.Lost+got.Overflowed+got.Down {
				t.Errorf("the books do not balance: %d out, %+v", len(out), got)
			}
			near := func(what string, got uint64, want float64) {
				// Five standard deviations: a seed that does not pass would be one in a million.
				if wrong := math.Abs(float64(got)/n - want); wrong > 5*math.Sqrt(want*(1-want)/n) {
					t.Errorf("%s %d of %d, want %g %%", what, got, n, want*100)
				}
			}
			near("lost", got.Lost, c.lost)
			near("duplicated", got.Duplicated, c.dup)
			if c.reorder >= 0 {
				near("reordered", got.Reordered, c.reorder)
			} else if got.Reordered < n/10 {
				t.Errorf("%d reordered: jitter far above the spacing must reorder", got.Reordered)
			}
			sum, seen := time.Duration(0), 0
			for _, a := range out {
				delay := a.at - time.Duration(a.number)*period
				if delay < c.least || delay > c.most {
					t.Fatalf("frame %d took %v, want %v to %v", a.number, delay, c.least, c.most)
				}
				sum += delay
				seen++
			}
			if seen > 0 {
				if mean := sum / time.Duration(seen); (mean - c.mean).Abs() > c.mean/10 {
					t.Errorf("mean delay %v, want %v", mean, c.mean)
				}
			}
			again := NewLine(settings(t, c.text), 0)
			if !slices.Equal(out, send(again, n, 64, period)) || again.Counters() != got {
				t.Error("the same seed does something else the second time")
			}
			if c.lost > 0 && c.lost < 1 || c.dup > 0 || c.reorder != 0 {
				s := settings(t, c.text)
				if slices.Equal(out, send(NewLine(s, 1), n, 64, period)) {
					t.Error("both directions do the same")
				}
				s.Seed++
				if slices.Equal(out, send(NewLine(s, 0), n, 64, period)) {
					t.Error("another seed does the same")
				}
			}
		})
	}
}

// Which frames are lost depends on the seed alone, not on what else happens.
func TestFateIsIndependent(t *testing.T) {
	numbers := func(text string, size int) map[uint32]bool {
		m := map[uint32]bool{}
		for _, a := range send(NewLine(settings(t, text), 0), 5000, size, time.Millisecond) {
			m[a.number] = true
		}
		return m
	}
	want := numbers("loss=20%,seed=5", 100)
	for _, text := range []string{"loss=20%,dup=50%,seed=5", "loss=20%,delay=9ms,jitter=9ms,seed=5", "loss=20%,reorder=50%,rate=100mbit,seed=5"} {
		got := numbers(text, 1000)
		if len(got) != len(want) {
			t.Errorf("%s: %d frames, want %d", text, len(got), len(want))
		}
		for n := range want {
			if !got[n] {
				t.Fatalf("%s: frame %d is lost", text, n)
			}
		}
	}
}

// A burst leaves at the rate, and what the queue cannot hold is dropped.
func TestRate(t *testing.T) {
	const size = 1250 // 10 ms at 1 Mbit/s
	l := NewLine(settings(t, "rate=1mbit,queue=5000"), 0)
	out := send(l, 10, size, 0)
	want := []arrival{{10e6, 0}, {20e6, 1}, {30e6, 2}, {40e6, 3}}
	if !slices.Equal(out, want) || l.Counters().Overflowed != 6 {
		t.Errorf("%v, %+v; want %v and 6 over the limit", out, l.Counters(), want)
	}
	// At the rate nothing waits.
	l = NewLine(settings(t, "rate=1mbit,queue=1250,mtu=1236"), 0)
	if out := send(l, 1000, size, 10*time.Millisecond); len(out) != 1000 || out[999].at != 10*time.Second {
		t.Errorf("%d frames, %+v", len(out), l.Counters())
	}
}

// However long the delay, what a line holds has a limit.
func TestHeld(t *testing.T) {
	const size = 60_000
	l := NewLine(settings(t, "delay=1m,dup=100%"), 0)
	for range 2 * maxHeld / size {
		l.Put(make([]byte, size), 0)
	}
	if c := l.Counters(); l.bytes > maxHeld || c.Overflowed == 0 || c.Overflowed+uint64(len(l.held)) != c.Offered+c.Duplicated {
		t.Errorf("%d bytes in %d frames, %+v", l.bytes, len(l.held), c)
	}
}

func TestDown(t *testing.T) {
	l := NewLine(settings(t, "delay=5ms,rate=1mbit"), 0)
	l.Put(make([]byte, 1250), 0)
	l.SetUp(false)
	l.Put(make([]byte, 1250), 1)
	if _, ok := l.Next(); ok {
		t.Error("something is on the way though the link is down")
	}
	l.SetUp(true)
	l.Put(make([]byte, 1250), time.Millisecond)
	at, ok := l.Next()
	if !ok || at != 16*time.Millisecond || l.Pop(at) == nil || l.Pop(at) != nil {
		t.Errorf("due at %v, %v, want 16ms", at, ok)
	}
	if c, want := l.Counters(), (Counters{Offered: 3, Forwarded: 1, Down: 2}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
}
