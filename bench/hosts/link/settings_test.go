package link

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Settings
		back string // "" for text
	}{
		{"", Settings{}, ""},
		{"loss=1%", Settings{Loss: 0.01}, ""},
		{"loss=0.07%,dup=2.5%,reorder=30%", Settings{Loss: 0.0007, Duplicate: 0.025, Reorder: 0.3}, ""},
		{"seed=7,rate=1.5mbit,queue=9000,mtu=576", Settings{Rate: 1_500_000, Queue: 9000, MTU: 576, Seed: 7}, "rate=1.5mbit,queue=9000,mtu=576,seed=7"},
		{"jitter=10ms,delay=50ms", Settings{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond}, "delay=50ms,jitter=10ms"},
		{"reorder=100%,gap=1s", Settings{Reorder: 1, Gap: time.Second}, ""},
		{"rate=1gbit", Settings{Rate: 1_000_000_000}, ""},
		{"rate=500kbit", Settings{Rate: 500_000}, ""},
		{"rate=9600bit", Settings{Rate: 9600}, "rate=9.6kbit"},
		{"loss=0%,delay=0s", Settings{}, "-"},
		{"seed=18446744073709551615", Settings{Seed: 1<<64 - 1}, ""},
	} {
		got, err := Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		rounded := got
		rounded.Loss = math.Round(got.Loss*1e9) / 1e9 // 0.07 / 100 is not 0.0007
		if rounded != c.want {
			t.Errorf("%q: %+v, want %+v", c.text, got, c.want)
		}
		want := c.text
		if c.back != "" {
			want = strings.Trim(c.back, "-")
		}
		if got.String() != want {
			t.Errorf("%q as text: %q, want %q", c.text, got, want)
		}
		if again, err := Parse(got.String()); err != nil || again != got {
			t.Errorf("%q again: %+v, %v, want %+v", got, again, err, got)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"loss", `"loss" is not of the form KEY=VALUE`},
		{",", `"" is not of the form`},
		{"loss=1%,", `"" is not of the form`},
		{" loss=1%", `there is no key " loss"; there are loss, dup, reorder, gap, delay, jitter, rate, queue, mtu, seed`},
		{"Loss=1%", `there is no key "Loss"`},
		{"loss=1%,loss=2%", "loss is set twice"},
		{"loss=1", `loss is "1", want a share such as 0.5%`},
		{"loss=%", "want a share"},
		{"loss=1e999%", "want a share"},
		{"loss=101%", "loss is 101%, want 0% to 100%"},
		{"dup=-1%", "dup is -1%, want 0% to 100%"},
		{"reorder=NaN%", "want 0% to 100%"},
		{"loss=Inf%", "want 0% to 100%"},
		{"delay=50", `delay is "50", want a duration such as 50ms`},
		{"delay=-1ms", "delay is -1ms, want 0s to 1m0s"},
		{"delay=2m", "delay is 2m0s, want 0s to 1m0s"},
		{"jitter=1ms", "jitter is 1ms, want 0s to the delay of 0s"},
		{"gap=1ms", "set reorder too"},
		{"rate=1", `rate is "1", want bits per second with a unit`},
		{"rate=0bit", "want bits per second"},
		{"rate=1bit", "rate is 1bit, want 1kbit to 1000gbit"},
		{"rate=2000gbit", "want bits per second"},
		{"rate=NaNmbit", "want bits per second"},
		{"rate=1Mbit", "want bits per second"},
		{"queue=2000", "set rate too"},
		{"rate=1mbit,queue=-1", "queue is -1 bytes, want 1514, which is one frame, to 33554432"},
		{"rate=1mbit,queue=589,mtu=576", "queue is 589 bytes, want 590"},
		{"rate=1mbit,queue=40000000", "queue is 40000000 bytes"},
		{"mtu=67", "mtu is 67, want 68 to 65521"},
		{"mtu=1e3", `mtu is "1e3", want a number of bytes`},
		{"seed=0", `seed is "0", want a number from 1`},
		{"seed=-1", "want a number from 1"},
		{"seed=18446744073709551616", "want a number from 1"},
	} {
		got, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
			continue
		}
		if got != (Settings{}) || !strings.HasPrefix(err.Error(), "link ") {
			t.Errorf("%q: %+v, %v", c.text, got, err)
		}
	}
}
